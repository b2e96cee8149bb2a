import OAuth2
import StorageConformance
import Synchronization
import Testing

@testable import Bridge

/// Contract §3: what an app revokes, and what the audit log has to say for it.
@Suite struct LoginTokenOverviewTests {
    private func overview(_ service: Service, searching log: any AuditLog) -> LoginTokenOverview {
        let time = service.clock.source
        return LoginTokenOverview(
            store: service.storage, audit: log, subjects: Subjects(store: service.storage, time: time),
            parents: ParentSessions(store: service.storage, sessions: service.appSessions, time: time), time: time)
    }

    @Test(arguments: [(0, 1), (1, 2), (3, 4)])
    func `a revocation names the website though the first pages of a search are empty`(
        emptyPages: Int, searches: Int
    ) async throws {
        try await withService { service async throws in
            let token = try await service.issue().id
            let log = LogInWindows(service.storage, emptyPages: emptyPages)
            try await overview(service, searching: log).revoke(token, bearer: service.bearer(), origin: origin())
            #expect(try await revokedWebsite(of: token, service) == website)
            #expect(log.searches == searches)
        }
    }

    @Test func `a token is revoked though its issue is not found within four pages`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().id
            let log = LogInWindows(service.storage, emptyPages: .max)
            try await overview(service, searching: log).revoke(token, bearer: service.bearer(), origin: origin())
            #expect(try await service.events().last == "login_token.revoked by_app")
            #expect(try await revokedWebsite(of: token, service) == nil)
            #expect(log.searches == 4)
        }
    }

    @Test func `nothing is searched for a token that is over`() async throws {
        try await withService { service async throws in
            let redeemed = try await service.issue()
            let late = try await service.issue()
            let log = LogInWindows(service.storage, emptyPages: 0)
            let app = overview(service, searching: log)
            _ = try await service.open(redeemed.token)
            let error = await #expect(throws: OAuthError.self) {
                try await app.revoke(redeemed.id, bearer: service.bearer(), origin: origin())
            }
            #expect(error?.code == .conflict && error?.detail == "already_redeemed")
            service.clock.advance(.seconds(60))
            try await app.revoke(late.id, bearer: service.bearer(), origin: origin())
            #expect(log.searches == 0)
        }
    }

    @Test func `contract §7: a disabled user's app learns and revokes nothing`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().id
            try await service.storage.change("alice", UserChange(isDisabled: true), ending: .sample(at: noon))
            let app = overview(service, searching: service.storage)
            #expect(
                try await refusal { try await app.status(of: token, bearer: service.bearer()) }
                    == "invalid_token subject_disabled")
            #expect(
                try await refusal { try await app.revoke(token, bearer: service.bearer(), origin: origin()) }
                    == "invalid_token subject_disabled")
            #expect(try await !service.events().contains("login_token.revoked by_app"))
        }
    }

    /// A session that tokens are issued from, an app's own or, as by a portal, a browser's.
    private func openSession(_ service: Service, ofApp: Bool) async throws -> (id: SessionID, root: EndingRoot) {
        guard ofApp else {
            let opened = try #require(try await service.open(try await service.issue().token).opened).session
            return (opened.id, .webSession(opened.id))
        }
        let session = AppSession(
            id: "app session", subject: "alice", clientID: app, scope: Scope(tokens: ["openid"]), opening: .authorize,
            authentication: Authentication(time: noon), createdAt: noon, expiresAt: noon + .seconds(3600))
        _ = try await service.storage.open(session, refreshToken: nil, events: [])
        return (session.id, .appSession(session.id))
    }

    @Test(arguments: [true, false])
    func `contract §7: a token that is not used is revoked with the session that it was issued from`(
        ofApp: Bool
    ) async throws {
        try await withService { service async throws in
            let session = try await openSession(service, ofApp: ofApp)
            let token = IssuedLoginToken(
                id: "link", subject: "alice", clientID: app, issuedAt: noon, expiresAt: noon + .seconds(60),
                sessionID: session.id)
            _ = try await service.storage.recordIssue(
                token, scope: nil, idempotency: nil,
                event: AuditEvent(at: noon, type: .loginTokenIssued, outcome: .success))
            #expect(try await service.overview.status(of: token.id, bearer: service.bearer()).word == .pending)
            try await service.endings.end(session.root, .sample(at: noon))
            #expect(try await service.overview.status(of: token.id, bearer: service.bearer()).word == .revoked)
        }
    }

    private func revokedWebsite(of token: TokenID, _ service: Service) async throws -> ClientID? {
        var filter = AuditFilter(type: .loginTokenRevoked)
        filter.tokenID = token
        let page = try await service.storage.search(filter, before: nil, limit: 1)
        return try #require(page.records.first).event.targetClientID
    }
}

/// A log of which much is not sealed yet: the first pages of a search are empty, though others follow.
final class LogInWindows: AuditLog {
    private let log: any AuditLog
    private let emptyPages: Int
    private let count = Mutex(0)

    init(_ log: any AuditLog, emptyPages: Int) {
        self.log = log
        self.emptyPages = emptyPages
    }

    /// How many pages were asked for.
    var searches: Int { count.withLock { $0 } }

    func search(_ filter: AuditFilter, before cursor: AuditCursor?, limit: Int) async throws -> AuditPage {
        let page = count.withLock { count in
            count += 1
            return count
        }
        guard page <= emptyPages else { return try await log.search(filter, before: cursor, limit: limit) }
        // Newer than everything in the log, so that the last page has what was looked for.
        let end = AuditCursor(at: noon + .seconds(3600), node: "test", sequence: Int64(100 - page))
        return AuditPage(entries: [], next: end)
    }

    func append(_ events: [AuditEvent]) async throws { try await log.append(events) }

    func entries(of node: String, in range: ClosedRange<Int64>, limit: Int) async throws -> [AuditEntry] {
        try await log.entries(of: node, in: range, limit: limit)
    }

    func chains() async throws -> [AuditChainHead] { try await log.chains() }

    func strays(limit: Int) async throws -> [AuditDamage] { try await log.strays(limit: limit) }

    func checkpoints() async throws -> [AuditReading<AuditCheckpoint>] { try await log.checkpoints() }

    func cuts() async throws -> [AuditReading<AuditCut>] { try await log.cuts() }

    func notes(of node: String, after position: AuditNotePosition, limit: Int) async throws -> [AuditNote] {
        try await log.notes(of: node, after: position, limit: limit)
    }

    func hashes(of node: String, at sequences: [Int64]) async throws -> [Int64: String] {
        try await log.hashes(of: node, at: sequences)
    }
}
