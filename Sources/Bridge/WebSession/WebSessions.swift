package import Logging
import Synchronization

/// Finds, keeps alive and ends web sessions.
///
/// Lookups go through a bounded cache. What other processes end is learnt by ``refresh()``, which the service calls
/// twice a second; when that stops working the cache is not believed any more and every lookup asks the store.
package final class WebSessions: Sendable {
    /// Older news than this are no news: contract §7 promises that every node refuses within a second.
    static let newsLifetime = Duration.seconds(1)
    /// Ends may be written by a clock that is behind ours by this much, or be committed late.
    static let clockTolerance = Duration.seconds(5)

    private let store: any WebSessionStore
    private let revocations: (any RevocationChannel)?
    let time: TimeSource
    private let logger: Logger
    private let cache: WebSessionCache
    private let newsAt: Mutex<Timestamp>

    /// - Parameters:
    ///   - cacheCapacity: sessions kept in memory.
    ///   - revocations: tells other nodes at once what they would learn by asking the store.
    package init(
        store: any WebSessionStore, cacheCapacity: Int = 20_000, revocations: (any RevocationChannel)? = nil,
        time: TimeSource = .system,
        logger: Logger = Logger(label: "drawbridge.sessions")
    ) {
        self.store = store
        self.revocations = revocations
        self.time = time
        self.logger = logger
        cache = WebSessionCache(capacity: cacheCapacity)
        newsAt = Mutex(time.now())
    }

    /// The live session that a cookie opens; counts as a use of it.
    /// - Throws: ``StorageError`` when the store is needed and cannot answer.
    package func lookUp(_ secret: OpaqueSecret) async throws -> WebSession? {
        let digest = secret.digest
        let now = time.now()
        // One that looks too old here may have been used on another node since: the store knows.
        if now - newsAt.withLock({ $0 }) <= Self.newsLifetime, var session = cache.session(digest: digest),
            session.isAlive(at: now)
        {
            try await touch(&session, at: now)
            return session
        }
        guard var session = try await store.session(secretDigest: digest), session.isAlive(at: now) else { return nil }
        cache.insert(session)
        try await touch(&session, at: now)
        return session
    }

    /// As ``lookUp(_:)``, for what takes a session that is in use: the store is asked, and one that lay unused for
    /// longer than `limit` is not found.
    /// - Parameter isUse: whether this counts as a use of it.
    /// - Throws: ``AdminRefusal/idle`` for such a one.
    package func lookUp(
        _ secret: OpaqueSecret, usedWithin limit: Duration, isUse: Bool = true
    ) async throws -> WebSession? {
        let now = time.now()
        guard let session = try await store.session(secretDigest: secret.digest), session.isAlive(at: now) else {
            return nil
        }
        guard now - session.lastSeenAt <= limit else { throw AdminRefusal.idle }
        return isUse ? try await lookUp(secret) : session
    }

    /// The live session with this public id, for a caller who has proof of it in another form; counts as a use.
    /// - Throws: ``StorageError`` when the store is needed and cannot answer.
    package func lookUp(_ id: SessionID) async throws -> WebSession? {
        let now = time.now()
        if now - newsAt.withLock({ $0 }) <= Self.newsLifetime, var session = cache.session(id: id),
            session.isAlive(at: now)
        {
            try await touch(&session, at: now)
            return session
        }
        guard var session = try await store.session(id: id), session.isAlive(at: now) else { return nil }
        cache.insert(session)
        try await touch(&session, at: now)
        return session
    }

    /// The live session with this id, as the store has it; not a use of it.
    package func peek(_ id: SessionID) async throws -> WebSession? {
        guard let session = try await store.session(id: id), session.isAlive(at: time.now()) else { return nil }
        return session
    }

    /// Ends a session and remembers it as ended.
    package func end(_ session: WebSession, reason: String, origin: RequestOrigin) async throws {
        let now = time.now()
        _ = try await store.end(
            session.id, at: now, event: Self.endedEvent(session, reason: reason, origin: origin, at: now))
        await forget(session.id)
    }

    /// Forgets the sessions that were ended by anyone since the last call.
    package func refresh() async throws {
        let startedAt = time.now()
        let since = newsAt.withLock { $0 } - Self.clockTolerance
        for id in try await store.sessionsEnded(since: since) { cache.remove(id) }
        newsAt.withLock { $0 = startedAt }
    }

    /// Takes in a session that was just opened, so that its first request finds it.
    func remember(_ session: WebSession) { cache.insert(session) }

    /// Forgets a session that was ended, here and on the nodes that listen.
    func forget(_ id: SessionID) async {
        cache.remove(id)
        // News that are lost are read from the store within ``newsLifetime``.
        try? await revocations?.publish([id])
    }

    /// Takes in what another node ended.
    package func take(_ news: RevocationNews) {
        switch news {
        case .ended(let id): cache.remove(id)
        // ``refresh()`` reads from the store what was missed, so nothing has to be forgotten for it.
        case .gap: break
        }
    }

    static func endedEvent(
        _ session: WebSession, type: AuditEventType = .webSessionEnded, reason: String, origin: RequestOrigin,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now, type: type, outcome: .success, reason: reason, subject: session.subject,
            clientID: session.appClientID, targetClientID: session.clientID, sessionID: session.id,
            tokenID: session.loginTokenID, origin: origin)
    }

    /// Moves the idle end. Written down only when a twentieth of the idle time has passed, at most a minute, so a busy
    /// session costs a write a minute; a crash may shorten an idle session by that much, never lengthen it.
    private func touch(_ session: inout WebSession, at now: Timestamp) async throws {
        let due = min(session.idleLifetime / 20, .seconds(60))
        guard now - session.lastSeenAt >= due else { return }
        session.lastSeenAt = now
        cache.touch(digest: session.secretDigest, at: now)
        do {
            try await store.touch(session.id, at: now)
        } catch let error as StorageError {
            // The session is still alive by what is stored; a full disk must not sign everyone out.
            logger.warning("could not note that a session was seen", metadata: ["error": "\(error)"])
        }
    }
}
