import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Contract §7, §16.
@Suite struct ParentSessionsTests {
    private let scope = Scope(tokens: ["openid"])

    private func withSession(
        _ body: (Service, ParentSessions, SessionID) async throws -> Void
    ) async throws {
        try await withService { service in
            let session = AppSession(
                id: "app session", subject: "alice", clientID: app, scope: Scope(tokens: ["openid", "profile"]),
                opening: .authorize, authentication: Authentication(time: noon), createdAt: noon,
                expiresAt: noon + .seconds(3600))
            _ = try await service.storage.open(session, refreshToken: nil, events: [])
            let parents = ParentSessions(
                store: service.storage, sessions: service.appSessions, time: service.clock.source)
            try await body(service, parents, session.id)
        }
    }

    @Test func `an issue does not read again what its bearer was checked against, believed half a second in all`()
        async throws
    {
        try await withSession { service, parents, id in
            let session = try #require(try await service.appSessions.alive(id, at: noon))
            // By another node, of which nothing was heard.
            _ = try await service.storage.end(.appSession(id), .sample(at: noon))
            service.clock.advance(.milliseconds(499))
            #expect(
                try await parents.standing(of: id, scope: scope, at: service.clock.now)
                    == .mayIssue(.own(session, scope: scope)))
            service.clock.advance(.milliseconds(1))
            #expect(try await parents.standing(of: id, scope: scope, at: service.clock.now) == .ended)
        }
    }

    @Test func `a session that is ended here issues nothing from then on`() async throws {
        try await withSession { service, parents, id in
            let session = try #require(try await service.appSessions.recent(id))
            #expect(
                try await parents.standing(of: id, scope: nil, at: noon)
                    == .mayIssue(.own(session, scope: session.scope)))
            try await service.endings.end(.appSession(id), .sample(at: noon))
            #expect(try await parents.standing(of: id, scope: nil, at: noon) == .ended)
        }
    }

    @Test func `a session issues nothing from the instant of its end`() async throws {
        try await withSession { service, parents, id in
            let session = try #require(try await service.appSessions.recent(id))
            let last = session.expiresAt - .milliseconds(1)
            #expect(
                try await parents.standing(of: id, scope: scope, at: last) == .mayIssue(.own(session, scope: scope)))
            #expect(try await parents.standing(of: id, scope: scope, at: session.expiresAt) == .ended)
        }
    }

    /// What a link says that was issued from a session.
    private func link(from session: SessionID) -> LoginTokenClaims {
        LoginTokenClaims(
            issuer: "https://bridge.example", audience: website, subject: "alice", issuedAt: noon,
            expiresAt: noon + .seconds(60), id: "link", clientID: app, sessionID: session,
            authentication: Authentication(), target: nil, binding: LoginTokenBinding())
    }

    @Test(arguments: [true, false])
    func `at a redemption a session is found in one look, and in a file no statement is for nothing`(
        isFar: Bool
    ) async throws {
        try await withCountedService(isFar: isFar) { service, engine in
            let browser = try #require(try await service.open(try await service.issue().token).opened).session
            let own = AppSession(
                id: "app session", subject: "alice", clientID: app, scope: scope, opening: .authorize,
                authentication: Authentication(time: noon), createdAt: noon, expiresAt: noon + .seconds(3600))
            _ = try await service.storage.open(own, refreshToken: nil, events: [])
            let sessions: [(SessionID, ParentSessions.Standing, LookCounts)] = [
                (own.id, .mayIssue(.own(own, scope: scope)), LookCounts(looks: 1, statements: 1)),
                (browser.id, .chained, LookCounts(looks: 1, statements: 2)),
                ("its-own", .mayIssue(.foreign), LookCounts(looks: 1, statements: 2)),
            ]
            for (id, standing, inFile) in sessions {
                engine.clear()
                let found = try await service.parents.standing(of: link(from: id), isHandOff: false, at: noon)
                #expect(found == standing, "\(id)")
                #expect(engine.counts == (isFar ? LookCounts(looks: 1, statements: 2) : inFile), "\(id)")
            }
        }
    }

    @Test func `whether the session of a token has ended is found in one look`() async throws {
        try await withCountedService { service, engine in
            let browser = try #require(try await service.open(try await service.issue().token).opened).session
            for id in [browser.id, "its-own"] {
                let token = IssuedLoginToken(
                    id: "link", subject: "alice", clientID: app, issuedAt: noon, expiresAt: noon + .seconds(60),
                    sessionID: id)
                engine.clear()
                let hasEnded = try await service.parents.hasEnded(issuing: token, at: noon)
                #expect(!hasEnded && engine.counts.looks == 1, "\(id)")
            }
        }
    }

    @Test func `what is no session of ours is another issuer's`() async throws {
        try await withSession { _, parents, _ in
            let named = try await parents.standing(of: "its-own", scope: nil, at: noon)
            #expect(named == .mayIssue(.foreign))
            let unnamed = try await parents.standing(of: nil, scope: nil, at: noon)
            #expect(unnamed == .mayIssue(.foreign))
        }
    }
}
