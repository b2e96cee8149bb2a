package import Logging
import Synchronization

/// Finds web sessions and keeps them alive.
///
/// Lookups go through a bounded cache. What other processes end is learnt by ``refresh()``, which the service calls
/// twice a second; when that stops working the cache is not believed any more and every lookup asks the store.
package final class WebSessions: Sendable {
    /// News older than this no longer count: contract §7 promises that every node refuses within a second.
    static let newsLifetime = Duration.seconds(1)
    /// How long a cached session is believed without the store, whatever is or is not heard (contract §16.11).
    static let believedFor = Duration.seconds(30)

    private struct News {
        /// How far the ends of other processes were read; `nil` before the first time.
        var mark: EndMark?
        /// When that was, by the monotonic clock (ADR-0010).
        var at: ContinuousClock.Instant?
        /// The ends that were read then. A mark does not move while the database has an old transaction open, and what
        /// was read since comes again each time.
        var ended: Set<SessionID> = []
    }

    private let store: any SessionStore
    private let revocations: (any RevocationChannel)?
    private let time: TimeSource
    private let logger: Logger
    private let cache: WebSessionCache
    private let news = Mutex(News())
    private let listeners: Mutex<[@Sendable (RevocationNews) -> Void]> = Mutex([])

    /// - Parameters:
    ///   - cacheCapacity: sessions kept in memory.
    ///   - revocations: tells other nodes at once what they would learn by asking the store.
    package init(
        store: any SessionStore, cacheCapacity: Int = 20_000, revocations: (any RevocationChannel)? = nil,
        time: TimeSource,
        logger: Logger = Logger(label: "drawbridge.sessions")
    ) {
        self.store = store
        self.revocations = revocations
        self.time = time
        self.logger = logger
        cache = WebSessionCache(capacity: cacheCapacity)
    }

    /// The live session that a cookie opens; counts as a use of it.
    /// - Throws: ``StorageError`` when the store is needed and cannot answer.
    package func lookUp(_ secret: OpaqueSecret) async throws -> WebSession? {
        try await lookUpOrLeft(secret).alive
    }

    /// As ``lookUp(_:)``, or else the session that the cookie names though it is not alive, until its absolute end,
    /// when browsers drop the cookie.
    /// - Throws: ``StorageError`` when the store is needed and cannot answer.
    package func lookUpOrLeft(_ secret: OpaqueSecret) async throws -> NamedSession {
        let digest = secret.digest
        let cached = cache.entry(digest: digest)
        if let session = cached.flatMap(remembered) { return NamedSession(alive: session) }
        return try await lookUp(cached: cached) { try await store.session(secretDigest: digest) }
    }

    /// What memory alone can answer, which is nearly every request to a website: read lately, alive, and seen so lately
    /// that there is nothing to note.
    private func remembered(_ entry: WebSessionCache.Entry) -> WebSession? {
        let now = time.now()
        guard isBelieved(entry, at: time.uptime()), entry.session.isAlive(at: now),
            !entry.session.isTouchDue(at: now)
        else { return nil }
        return entry.session
    }

    /// The live session with this public id, for a caller who has proof of it in another form; counts as a use.
    /// - Throws: ``StorageError`` when the store is needed and cannot answer.
    package func lookUp(_ id: SessionID) async throws -> WebSession? {
        try await lookUp(cached: cache.entry(id: id)) { try await store.session(id: id) }.alive
    }

    private func lookUp(
        cached: WebSessionCache.Entry?, else read: () async throws -> WebSession?
    ) async throws -> NamedSession {
        let now = time.now()
        let uptime = time.uptime()
        // One that looks too old here may have been used on another node since: the store knows.
        if var entry = cached, isBelieved(entry, at: uptime), entry.session.isAlive(at: now) {
            try await touch(&entry.session, at: now)
            return NamedSession(alive: entry.session)
        }
        let ticket = cache.ticket
        let found = NamedSession(try await read(), at: now)
        guard var session = found.alive else { return found }
        cache.insert(session, readAt: uptime, ticket: ticket)
        try await touch(&session, at: now)
        return NamedSession(alive: session)
    }

    private func isBelieved(_ entry: WebSessionCache.Entry, at now: ContinuousClock.Instant) -> Bool {
        guard let newsAt = news.withLock({ $0.at }) else { return false }
        return now - newsAt <= Self.newsLifetime && now - entry.readAt <= Self.believedFor
    }

    /// A browser's session, judged by when it was last used.
    package enum RecentSession: Sendable {
        case inUse(WebSession)
        /// It is live, and was unused for too long.
        case idle(WebSession)
        case none
    }

    /// As ``lookUp(_:)``, for what takes a session that is in use: the store is asked, and one that was unused for
    /// longer than `limit` is idle.
    /// - Parameter isUse: whether this counts as a use of it.
    package func lookUp(
        _ secret: OpaqueSecret, usedWithin limit: Duration, isUse: Bool = true
    ) async throws -> RecentSession {
        let now = time.now()
        guard let session = try await store.session(secretDigest: secret.digest), session.isAlive(at: now) else {
            return .none
        }
        guard now - session.lastSeenAt <= limit else { return .idle(session) }
        guard isUse else { return .inUse(session) }
        return try await lookUp(secret).map(RecentSession.inUse) ?? .none
    }

    /// The session of a secret in whatever state, as the store has it; not a use of it.
    package func known(_ secret: OpaqueSecret) async throws -> WebSession? {
        try await store.session(secretDigest: secret.digest)
    }

    /// The session of an id in whatever state, as the store has it; not a use of it.
    package func known(_ id: SessionID) async throws -> WebSession? { try await store.session(id: id) }

    /// The live session of a secret, as the store has it; not a use of it.
    package func peek(_ secret: OpaqueSecret) async throws -> WebSession? {
        NamedSession(try await known(secret), at: time.now()).alive
    }

    /// The live session with this id, as the store has it; not a use of it.
    package func peek(_ id: SessionID) async throws -> WebSession? {
        NamedSession(try await known(id), at: time.now()).alive
    }

    /// Forgets the sessions that were ended by anyone since the last call.
    package func refresh() async throws {
        let startedAt = time.uptime()
        let last = news.withLock { $0 }
        let found = try await store.sessionsEnded(since: last.mark)
        if found.hasGap { cache.removeAll() }
        for id in found.ended { cache.remove(id) }
        // Apps' sessions end with browsers', and are not in the list. What was read before was told before.
        if found.hasGap || !found.ended.allSatisfy({ last.ended.contains($0) }) { tell(.gap) }
        news.withLock { $0 = News(mark: found.mark, at: startedAt, ended: Set(found.ended)) }
    }

    /// Takes in a session that was just opened, so that its first request finds it.
    func remember(_ session: WebSession) {
        cache.insert(session, readAt: time.uptime(), ticket: cache.ticket)
    }

    /// Forgets sessions that were ended, here and on the nodes that listen.
    func forget(_ ids: [SessionID]) async {
        for id in ids { cache.remove(id) }
        // A message that is lost delays the end on other nodes until they next ask the store.
        if !ids.isEmpty { try? await revocations?.publish(ids) }
    }

    /// Takes in what another node ended.
    package func take(_ news: RevocationNews) {
        switch news {
        case .ended(let id): cache.remove(id)
        // ``refresh()`` reads from the store what was missed, so nothing has to be forgotten for it.
        case .gap, .keysChanged: break
        }
        tell(news)
    }

    /// Has `hear` called with the news that come in here, for callers that remember other things that end.
    package func onNews(_ hear: @escaping @Sendable (RevocationNews) -> Void) {
        listeners.withLock { $0.append(hear) }
    }

    private func tell(_ news: RevocationNews) {
        for hear in listeners.withLock({ $0 }) { hear(news) }
    }

    /// Moves the idle end. Written down only when it is due (``WebSession/isTouchDue(at:)``), so a busy session costs
    /// about one write per minute, however many requests come at once; a crash may shorten an idle session by that
    /// much, never lengthen it.
    private func touch(_ session: inout WebSession, at now: Timestamp) async throws {
        guard session.isTouchDue(at: now) else { return }
        session.lastSeenAt = now
        guard cache.touch(digest: session.secretDigest, at: now) else { return }
        do {
            try await store.touch(session.id, at: now)
        } catch let error as StorageError {
            // The session is still alive by what is stored; a full disk must not sign everyone out.
            logger.warning("could not note that a session was seen", metadata: ["error": "\(error)"])
        }
    }
}

/// The session that a browser's cookie names.
package struct NamedSession: Sendable {
    package let alive: WebSession?
    /// Where it is closed or has ended.
    package let left: WebSession?

    fileprivate init(alive: WebSession) {
        self.alive = alive
        left = nil
    }

    /// - Parameter session: as the store has it. Past its absolute end it is neither.
    init(_ session: WebSession?, at now: Timestamp) {
        let isAlive = session?.isAlive(at: now) ?? false
        alive = isAlive ? session : nil
        left = isAlive ? nil : session.flatMap { now < $0.expiresAt ? $0 : nil }
    }
}
