import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Verifies nothing, and says of every token what it is told.
struct OneBearer: BearerAuthenticator {
    let identity: BearerIdentity

    func authenticate(_ token: Secret<String>, at now: Timestamp) -> BearerIdentity { identity }

    func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool { false }
}

/// Contract §1.3: an issuer names its own users, and nobody else's.
@Suite struct IssuerBoundaryTests {
    private static let backend = "https://backend.example"

    /// - Parameter sid: the session that it names: at a server, what a bearer with one is judged by is read ahead.
    private func bearer(
        _ subject: Subject, issuer: String = backend, _ authority: BearerIdentity.Authority = .trusted,
        sid: SessionID? = nil
    ) -> BearerIdentity {
        BearerIdentity(
            subject: subject, clientID: app, issuer: issuer, authority: authority, sessionID: sid,
            authentication: Authentication(), expiresAt: noon + .seconds(3600))
    }

    /// The subject that comes through, or why none does.
    private func found(_ identity: BearerIdentity, in service: Service) async throws -> String {
        let time = service.clock.source
        let boundary = IssuerBoundary(
            OneBearer(identity: identity), subjects: Subjects(store: service.storage, time: time),
            parents: ParentSessions(store: service.storage, sessions: service.appSessions, time: time))
        do {
            return try await boundary.authenticate(Secret("token"), at: service.clock.now).subject.rawValue
        } catch let refusal as BearerRefusal {
            return refusal.reason.rawValue
        }
    }

    private func addAccount(
        _ subject: Subject, to service: Service, issuer: String = Account.issuer, link: UpstreamIdentity? = nil
    ) async throws {
        let account = Account(subject: subject, username: Username(subject.rawValue), createdAt: noon)
        _ = try await service.storage.addAccount(
            account, issuer: issuer, link: link, event: AuditEvent(at: noon, type: .userCreated, outcome: .success))
    }

    @Test func `an issuer names its own users, and new ones`() async throws {
        try await withService { service in
            try await service.storage.addUser("alice", issuer: Self.backend, at: noon)
            #expect(try await found(bearer("alice"), in: service) == "alice")
            #expect(try await found(bearer("unheard-of"), in: service) == "unheard-of")
        }
    }

    @Test(arguments: [false, true])
    func `an issuer does not name the user of an account`(isFar: Bool) async throws {
        try await withCountedService(isFar: isFar) { service, _ in
            try await addAccount("root", to: service)
            #expect(try await found(bearer("root", sid: "its-own"), in: service) == "subject_of_another_issuer")
        }
    }

    @Test(arguments: [false, true])
    func `an issuer that is also an upstream provider does not name the accounts linked to it`(
        isFar: Bool
    ) async throws {
        try await withCountedService(isFar: isFar) { service, _ in
            let link = UpstreamIdentity(issuer: Self.backend, subject: "77")
            try await addAccount("opaque", to: service, issuer: Self.backend, link: link)
            #expect(try await found(bearer("opaque", sid: "its-own"), in: service) == "subject_of_another_issuer")
        }
    }

    @Test(arguments: [false, true], [BearerIdentity.Authority.trusted, .trustedWithAccounts])
    func `an issuer does not name the user of another`(
        isFar: Bool, _ authority: BearerIdentity.Authority
    ) async throws {
        try await withCountedService(isFar: isFar) { service, _ in
            try await service.storage.addUser("bob", issuer: "https://other.example", at: noon)
            let identity = bearer("bob", authority, sid: "its-own")
            #expect(try await found(identity, in: service) == "subject_of_another_issuer")
        }
    }

    @Test func `one whose subjects are those of the accounts names either, whoever was first`() async throws {
        try await withService { service in
            try await addAccount("alice", to: service)
            try await service.storage.addUser("bob", issuer: Self.backend, at: noon)
            try await addAccount("bob", to: service)
            for name in ["alice", "bob", "carol"] {
                let identity = bearer(Subject(rawValue: name), .trustedWithAccounts)
                #expect(try await found(identity, in: service) == name)
            }
        }
    }

    @Test func `a token of this service names whomever it was let in as`() async throws {
        try await withService { service in
            try await addAccount("alice", to: service)
            try await service.storage.addUser("bob", issuer: Self.backend, at: noon)
            let subjects = Subjects(store: service.storage, time: service.clock.source)
            for name in ["alice", "bob"] {
                let identity = bearer(Subject(rawValue: name), issuer: "https://bridge.example", .own)
                #expect(try await subjects.admission(of: identity) == .admitted)
            }
        }
    }

    @Test func `of two issuers that name one new subject at a time, one issues`() async throws {
        try await withService { service in
            let issuers = [Self.backend, "https://other.example"]
            let answers = await withTaskGroup { group in
                // Fewer than one device may ask for.
                for number in 0..<4 {
                    let identity = bearer("eve", issuer: issuers[number % 2])
                    group.addTask {
                        do {
                            _ = try await service.issuer.issue(
                                LoginTokenIssueRequest(), bearer: identity, origin: origin())
                            return (number % 2, "issued")
                        } catch let error as OAuthError {
                            return (number % 2, error.detail ?? "refused")
                        } catch {
                            return (number % 2, "\(error)")
                        }
                    }
                }
                return await group.reduce(into: [Int: Set<String>]()) { found, next in
                    found[next.0, default: []].insert(next.1)
                }
            }
            #expect(Set(answers.values) == [["issued"], ["subject_of_another_issuer"]])
            let known = try #require(try await service.storage.record(of: "eve"))
            let first = try #require(issuers.firstIndex(of: known.issuer))
            #expect(answers[first] == ["issued"])
        }
    }

    @Test func `an issue that is refused brings no user into being`() async throws {
        try await withService { service in
            await #expect(throws: OAuthError.self) {
                try await service.issuer.issue(
                    LoginTokenIssueRequest(ttl: 61), bearer: bearer("nobody"), origin: origin())
            }
            let known = try await service.storage.record(of: "nobody")
            #expect(known == nil)
        }
    }

    @Test func `an issue on the word of another issuer is refused with its reason`() async throws {
        try await withService { service in
            try await addAccount("root", to: service)
            let error = await #expect(throws: OAuthError.self) {
                try await service.issuer.issue(LoginTokenIssueRequest(), bearer: bearer("root"), origin: origin())
            }
            #expect(error?.code == .invalidToken)
            #expect(try await service.events() == ["user.created", "login_token.refused subject_of_another_issuer"])
        }
    }

    @Test(arguments: [false, true])
    func `a bearer of another issuer hangs nothing under a session of this service`(isFar: Bool) async throws {
        try await withCountedService(isFar: isFar) { service, _ in
            let answer = try await service.issue()
            let session = try #require(try await service.open(answer.token).opened).session
            #expect(
                try await found(bearer("alice", sid: session.id), in: service) == "session_of_another_issuer")
            _ = try await service.storage.end(.webSession(session.id), .sample(at: service.clock.now))
            service.clock.advance(.seconds(2))
            #expect(
                try await found(bearer("alice", sid: session.id), in: service) == "session_of_another_issuer")
            #expect(try await found(bearer("alice", sid: "its-own"), in: service) == "alice")
        }
    }

    @Test(arguments: [false, true])
    func `a bearer of another issuer hangs nothing under an app's session, alive or ended`(
        isFar: Bool
    ) async throws {
        try await withCountedService(isFar: isFar) { service, _ in
            let session = AppSession(
                id: "app session", subject: "alice", clientID: app, scope: Scope(tokens: ["openid"]),
                opening: .authorize, authentication: Authentication(time: noon), createdAt: noon,
                expiresAt: noon + .seconds(3600))
            _ = try await service.storage.open(session, refreshToken: nil, events: [])
            #expect(try await found(bearer("bob", sid: session.id), in: service) == "session_of_another_issuer")
            _ = try await service.storage.end(.appSession(session.id), .sample(at: service.clock.now))
            service.clock.advance(.seconds(1))
            #expect(try await found(bearer("bob", sid: session.id), in: service) == "session_of_another_issuer")
        }
    }
}
