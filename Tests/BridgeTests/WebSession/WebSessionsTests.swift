import Testing

@testable import Bridge

/// Contract §6.
@Suite struct WebSessionsTests {
    private func opened(_ service: Service) async throws -> OpenedSession {
        try #require(try await service.open(try await service.issue().token).opened)
    }

    @Test func `a session ends when it lies unused for its idle life`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            service.clock.advance(.seconds(599))
            #expect(try await service.sessions.lookUp(session.secret) != nil)
            service.clock.advance(.seconds(599))
            #expect(try await service.sessions.lookUp(session.secret) != nil)
            service.clock.advance(.seconds(600))
            #expect(try await service.sessions.lookUp(session.secret) == nil)
        }
    }

    @Test func `no use carries a session past its absolute end`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            for _ in 0..<7 {
                service.clock.advance(.seconds(500))
                #expect(try await service.sessions.lookUp(session.secret)?.expiresAt == noon + .seconds(3600))
            }
            service.clock.advance(.seconds(100))
            #expect(try await service.sessions.lookUp(session.secret) == nil)
        }
    }

    @Test func `use is written down at most twice a minute of a ten minute idle life`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            service.clock.advance(.seconds(29))
            _ = try await service.sessions.lookUp(session.secret)
            #expect(try await service.storage.session(id: session.session.id)?.lastSeenAt == noon)
            service.clock.advance(.seconds(1))
            _ = try await service.sessions.lookUp(session.secret)
            #expect(try await service.storage.session(id: session.session.id)?.lastSeenAt == noon + .seconds(30))
        }
    }

    @Test func `an unknown secret opens nothing`() async throws {
        try await withService { service async throws in
            #expect(try await service.sessions.lookUp(OpaqueSecret.make(.webSession, random: .system)) == nil)
        }
    }

    @Test func `an ended session is refused at once, and ending it twice is recorded once`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            for _ in 0..<2 {
                try await service.sessions.end(session.session, reason: "signed_out", origin: origin())
                #expect(try await service.sessions.lookUp(session.secret) == nil)
            }
            #expect(
                try await service.events().filter { $0.hasPrefix("web_session.ended") } == [
                    "web_session.ended signed_out"
                ])
        }
    }

    @Test func `what another process ended is refused after the next refresh`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            let event = AuditEvent(at: noon, type: .webSessionEnded, outcome: .success)
            _ = try await service.storage.end(session.session.id, at: noon, event: event)
            try await service.sessions.refresh()
            #expect(try await service.sessions.lookUp(session.secret) == nil)
        }
    }

    @Test func `without news for more than a second the cache is not believed`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            let event = AuditEvent(at: noon, type: .webSessionEnded, outcome: .success)
            _ = try await service.storage.end(session.session.id, at: noon, event: event)
            service.clock.advance(.milliseconds(1001))
            #expect(try await service.sessions.lookUp(session.secret) == nil)
        }
    }

    private func session(_ number: Int) -> WebSession {
        WebSession(
            id: SessionID(rawValue: "id \(number)"), secretDigest: "digest \(number)", subject: "s", clientID: website,
            appClientID: nil, parentID: nil, loginTokenID: nil, opening: .loginToken,
            authentication: Authentication(), createdAt: noon, expiresAt: noon + .seconds(60),
            idleLifetime: .seconds(60), lastSeenAt: noon)
    }

    @Test func `a look-up that read a session before its end does not bring it back`() {
        let cache = WebSessionCache(capacity: 100)
        cache.remove("id 1")
        for number in 2...4097 { cache.remove(SessionID(rawValue: "id \(number)")) }
        for number in [1, 2, 4097] {
            cache.insert(session(number))
            #expect(cache.session(digest: "digest \(number)") == nil)
        }
        cache.insert(session(0))
        #expect(cache.session(digest: "digest 0") != nil)
    }

    @Test func `the cache keeps what is used and stays within its bound`() {
        let cache = WebSessionCache(capacity: 100)
        cache.insert(session(0))
        for number in 1...1000 {
            cache.insert(session(number))
            #expect(cache.session(digest: "digest 0") != nil)
        }
        let kept = (0...1000).count { cache.session(digest: "digest \($0)") != nil }
        #expect(kept <= 100)
        cache.remove("id 0")
        #expect(cache.session(digest: "digest 0") == nil)
        cache.removeAll()
        #expect(cache.session(digest: "digest 1000") == nil)
    }

    @Test func `a store that cannot note a visit does not sign the user out`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            let sessions = WebSessions(store: ReadOnlySessions(session: session.session), time: service.clock.source)
            service.clock.advance(.seconds(120))
            #expect(try await sessions.lookUp(session.secret) != nil)
        }
    }
}

private struct ReadOnlySessions: WebSessionStore {
    let session: WebSession
    func session(secretDigest: String) -> WebSession? { session }
    func session(id: SessionID) -> WebSession? { session }
    func open(_ session: WebSession, replacing replaced: ReplacedSession?, events: [AuditEvent]) -> Bool { false }
    func touch(_ id: SessionID, at now: Timestamp) throws { throw StorageError.unavailable("read-only") }
    func end(_ id: SessionID, at now: Timestamp, event: AuditEvent) -> Bool { false }
    func sessionsEnded(since: Timestamp) -> [SessionID] { [] }
    func purgeSessions(expiredBefore cutoff: Timestamp, limit: Int) -> Int { 0 }
}
