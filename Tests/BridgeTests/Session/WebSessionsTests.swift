import BridgeTestSupport
import OAuth2
import StorageConformance
import Synchronization
import Testing

@testable import Bridge

/// Contract §6.
@Suite struct WebSessionsTests {
    private func opened(_ service: Service) async throws -> OpenedSession {
        try #require(try await service.open(try await service.issue().token).opened)
    }

    @Test func `a session ends when it stays unused for its idle life`() async throws {
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

    @Test func `requests that come at the same time write one visit down`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            // Each reads the row as it was before the first of them had written.
            let store = VisitedSession(session: session.session)
            let sessions = WebSessions(store: store, time: service.clock.source)
            for visits in 1...2 {
                service.clock.advance(.seconds(60))
                for _ in 0..<5 {
                    #expect(try await sessions.lookUp(session.secret)?.lastSeenAt == service.clock.now)
                }
                #expect(store.visits.withLock { $0 } == visits)
            }
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
                try await service.endings.end(
                    .webSession(session.session.id), .signOut(origin: origin(), at: service.clock.now))
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
            _ = try await service.storage.end(.webSession(session.session.id), .sample(at: noon))
            try await service.sessions.refresh()
            #expect(try await service.sessions.lookUp(session.secret) == nil)
        }
    }

    @Test(arguments: [false, true])
    func `contract §7: whoever ends here what another node was quicker to end finds nothing of it alive here`(
        isOfUser: Bool
    ) async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            let root: EndingRoot = isOfUser ? .user(session.session.subject) : .webSession(session.session.id)
            try await service.sessions.refresh()
            #expect(try await service.sessions.lookUp(session.secret) != nil)
            _ = try await service.storage.end(root, .sample(at: noon))
            // Not heard here yet.
            #expect(try await service.sessions.lookUp(session.secret) != nil)
            #expect(try await service.endings.end(root, .signOut(origin: origin(), at: service.clock.now)).isEmpty)
            #expect(try await service.sessions.lookUp(session.secret) == nil)
        }
    }

    @Test func `contract §7: and no app's session either`() async throws {
        try await withService { service async throws in
            let session = AppSession(
                id: SessionID(rawValue: "app session"), subject: "alice", clientID: app,
                scope: Scope(tokens: ["openid"]), opening: .authorize, authentication: Authentication(time: noon),
                createdAt: noon, expiresAt: noon + .seconds(3600))
            _ = try await service.storage.open(session, refreshToken: nil, events: [])
            #expect(try await service.appSessions.isAlive(session.id, at: noon))
            _ = try await service.storage.end(.user(session.subject), .sample(at: noon))
            #expect(try await service.appSessions.isAlive(session.id, at: noon))
            try await service.endings.end(.appSession(session.id), .sample(at: noon))
            #expect(try await !service.appSessions.isAlive(session.id, at: noon))
        }
    }

    @Test func `without news for more than a second the cache is not believed`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            _ = try await service.storage.end(.webSession(session.session.id), .sample(at: noon))
            service.clock.advance(.milliseconds(1001))
            #expect(try await service.sessions.lookUp(session.secret) == nil)
        }
    }

    private func session(
        _ number: Int, idleLifetime: Duration = .seconds(60), lastSeenAt: Timestamp = noon
    ) -> WebSession {
        WebSession(
            id: SessionID(rawValue: "id \(number)"), secretDigest: "digest \(number)", subject: "s", clientID: website,
            appClientID: nil, parentID: nil, loginTokenID: nil, opening: .loginToken,
            authentication: Authentication(), createdAt: noon, expiresAt: noon + .seconds(60),
            idleLifetime: idleLifetime, lastSeenAt: lastSeenAt)
    }

    @Test(
        arguments: [
            (.seconds(60), 3000), (.seconds(1199), 59_950), (.seconds(1200), 60_000), (.seconds(1201), 60_000),
            (.seconds(Int64.max), 60_000), (.milliseconds(60), 3), (.milliseconds(61), 4), (.zero, 0),
        ] as [(Duration, Int64)])
    func `a visit is written down a twentieth of the idle life after the last, or a minute, to the millisecond`(
        idleLifetime: Duration, rest: Int64
    ) {
        let visited = session(0, idleLifetime: idleLifetime)
        #expect(visited.isTouchDue(at: noon + .milliseconds(rest)))
        #expect(!visited.isTouchDue(at: noon + .milliseconds(rest - 1)))
    }

    @Test func `whether a visit is written down is known between any two instants`() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(session(0, lastSeenAt: first).isTouchDue(at: last))
        #expect(!session(0, lastSeenAt: last).isTouchDue(at: first))
    }

    @Test func `a visit is noted once, whoever read the session before that was written`() {
        let cache = WebSessionCache(capacity: 100)
        let now = noon + .seconds(30)
        cache.insert(session(0), readAt: .now, ticket: cache.ticket)
        #expect(cache.touch(digest: "digest 0", at: now))
        #expect(!cache.touch(digest: "digest 0", at: now))
        cache.insert(session(0), readAt: .now, ticket: cache.ticket)
        #expect(!cache.touch(digest: "digest 0", at: now))
        #expect(cache.touch(digest: "digest of none that is cached", at: now))
    }

    @Test func `a look-up that read a session before its end does not bring it back`() {
        let cache = WebSessionCache(capacity: 100)
        let before = cache.ticket
        for number in 1...4097 { cache.remove(SessionID(rawValue: "id \(number)")) }
        for number in [1, 2, 4097] {
            cache.insert(session(number), readAt: .now, ticket: before)
            #expect(cache.entry(digest: "digest \(number)") == nil)
        }
        cache.insert(session(0), readAt: .now, ticket: before)
        #expect(cache.entry(digest: "digest 0") != nil)
    }

    @Test func `what was read before more ends than are remembered is not kept`() {
        let cache = WebSessionCache(capacity: 100)
        let before = cache.ticket
        for number in 1...20_000 { cache.remove(SessionID(rawValue: "id \(number)")) }
        cache.insert(session(1), readAt: .now, ticket: before)
        #expect(cache.entry(digest: "digest 1") == nil)
        cache.insert(session(0), readAt: .now, ticket: cache.ticket)
        #expect(cache.entry(digest: "digest 0") != nil)
    }

    @Test func `what was read before everything was forgotten is not kept`() {
        let cache = WebSessionCache(capacity: 100)
        let before = cache.ticket
        cache.removeAll()
        cache.insert(session(1), readAt: .now, ticket: before)
        #expect(cache.entry(digest: "digest 1") == nil)
    }

    @Test func `no more ids are known than sessions are kept, whatever is looked up meanwhile`() {
        let cache = WebSessionCache(capacity: 4)
        // What a look-up moves to the young generation may be what drops the old one.
        for number in 0..<1000 {
            cache.insert(session(number), readAt: .now, ticket: cache.ticket)
            for earlier in max(0, number - 3)..<number { _ = cache.entry(digest: "digest \(earlier)") }
            #expect(cache.count <= 4)
        }
        #expect(cache.entry(id: "id 999") != nil)
    }

    @Test func `the cache keeps what is used and stays within its bound`() {
        let cache = WebSessionCache(capacity: 100)
        func insert(_ number: Int) { cache.insert(session(number), readAt: .now, ticket: cache.ticket) }
        insert(0)
        for number in 1...1000 {
            insert(number)
            #expect(cache.entry(digest: "digest 0") != nil)
        }
        let kept = (0...1000).count { cache.entry(digest: "digest \($0)") != nil }
        #expect(kept <= 100)
        cache.remove("id 0")
        #expect(cache.entry(digest: "digest 0") == nil)
        cache.removeAll()
        #expect(cache.entry(digest: "digest 1000") == nil)
    }

    @Test func `contract §16.11: a cached session is believed for 30 s, whatever the news say`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            try await service.sessions.refresh()
            // Somebody puts the end into the database without a number: no news will ever tell of it.
            let silent = SilentEnds(storage: service.storage)
            let sessions = WebSessions(store: silent, time: service.clock.source)
            try await sessions.refresh()
            #expect(try await sessions.lookUp(session.secret) != nil)
            silent.isEnded.withLock { $0 = true }
            for _ in 0..<30 {
                #expect(try await sessions.lookUp(session.secret) != nil)
                service.clock.advance(.seconds(1))
                try await sessions.refresh()
            }
            service.clock.advance(.milliseconds(1))
            #expect(try await sessions.lookUp(session.secret) == nil)
        }
    }

    @Test(arguments: [(Duration.milliseconds(1001), 0), (.seconds(30) + .milliseconds(1), 30)])
    func `a clock that is set back makes neither the news nor a cached session younger`(
        _ age: Duration, newsMeanwhile: Int
    ) async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            let clock = SettableClock(noon)
            let silent = SilentEnds(storage: service.storage)
            let sessions = WebSessions(store: silent, time: clock.source)
            try await sessions.refresh()
            #expect(try await sessions.lookUp(session.secret) != nil)
            silent.isEnded.withLock { $0 = true }
            clock.set(by: .seconds(-3600))
            for _ in 0..<newsMeanwhile {
                #expect(try await sessions.lookUp(session.secret) != nil)
                clock.advance(.seconds(1))
                try await sessions.refresh()
            }
            clock.advance(age - .seconds(newsMeanwhile))
            #expect(try await sessions.lookUp(session.secret) == nil)
        }
    }

    @Test func `a cookie's session is read once, alive or left, until its absolute end`() async throws {
        try await withService { service async throws in
            let session = try await opened(service)
            let store = VisitedSession(session: session.session)
            let sessions = WebSessions(store: store, time: service.clock.source)
            func named() async throws -> [SessionID?] {
                let before = store.questions.withLock { $0 }
                let found = try await sessions.lookUpOrLeft(session.secret)
                #expect(store.questions.withLock { $0 } == before + 1)
                return [found.alive?.id, found.left?.id]
            }
            #expect(try await named() == [session.session.id, nil])
            service.clock.advance(.seconds(600))
            #expect(try await named() == [nil, session.session.id], "closed")
            service.clock.advance(.seconds(3000))
            #expect(try await named() == [nil, nil], "browsers drop the cookie by then")
        }
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

private struct ReadOnlySessions: SessionStoreDouble {
    let session: WebSession

    func session(secretDigest: String) -> WebSession? { session }
    func session(id: SessionID) -> WebSession? { session }
    func touch(_ id: SessionID, at now: Timestamp) throws { throw StorageError.unavailable("read-only") }
}

/// A database that counts visits and shows none of them, and counts how often it is asked for a cookie's session.
private final class VisitedSession: SessionStoreDouble {
    let session: WebSession
    let visits = Mutex(0)
    let questions = Mutex(0)

    init(session: WebSession) { self.session = session }

    func session(secretDigest: String) -> WebSession? {
        questions.withLock { $0 += 1 }
        return session
    }
    func session(id: SessionID) -> WebSession? { session }
    func touch(_ id: SessionID, at now: Timestamp) { visits.withLock { $0 += 1 } }
}

/// A database in which a session has ended and no news say so.
private final class SilentEnds: SessionStoreDouble {
    let storage: any BridgeStorage
    let isEnded = Mutex(false)

    init(storage: any BridgeStorage) { self.storage = storage }

    func session(secretDigest: String) async throws -> WebSession? {
        isEnded.withLock { $0 } ? nil : try await storage.session(secretDigest: secretDigest)
    }

    func session(id: SessionID) async throws -> WebSession? {
        isEnded.withLock { $0 } ? nil : try await storage.session(id: id)
    }
}
