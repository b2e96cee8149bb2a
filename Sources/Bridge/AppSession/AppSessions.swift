/// Whether app sessions are alive, and their end with everything under them.
package struct AppSessions: Sendable {
    private let store: any AppSessionStore
    private let webSessions: WebSessions?
    private let onEnd: @Sendable () -> Void
    private let cache: ShortLivedCache<SessionID, AppSession?>

    /// - Parameters:
    ///   - webSessions: told which sessions ended, so that this node and the listening ones forget them at once.
    ///   - onEnd: called after sessions ended, so that their clients hear of it soon.
    package init(
        store: any AppSessionStore, webSessions: WebSessions? = nil, time: TimeSource = .system,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.webSessions = webSessions
        cache = ShortLivedCache(time: time)
        self.onEnd = onEnd
    }

    /// The session while it is alive; at most a second old (contract §7).
    package func alive(_ id: SessionID, at now: Timestamp) async throws -> AppSession? {
        let session = try await cache.value(for: id) { try await store.appSession(id: id) }
        return session.flatMap { $0.isAlive(at: now) ? $0 : nil }
    }

    package func isAlive(_ id: SessionID, at now: Timestamp) async throws -> Bool {
        if try await alive(id, at: now) != nil { return true }
        // The `sid` of a web view's cookie, and of what a website got by its back channel, is a web session.
        return try await webSessions?.lookUp(id) != nil
    }

    /// Ends a session and everything under it.
    /// - Parameter first: events that go ahead of those of the ends, such as the reuse that led to it.
    @discardableResult
    package func end(
        _ id: SessionID, reason: String, first: [AuditEvent] = [], origin: RequestOrigin, at now: Timestamp
    ) async throws -> [SessionID] {
        let ended = try await store.endAppSession(
            id, at: now, first: first, ended: Self.endedEvent(reason: reason, origin: origin, at: now))
        await forget(ended)
        return ended
    }

    /// Ends what hangs under a browser session that was signed out.
    @discardableResult
    package func endAll(
        underBrowserSession id: SessionID, reason: String, origin: RequestOrigin, at now: Timestamp
    ) async throws -> [SessionID] {
        let ended = try await store.endAppSessions(
            underBrowserSession: id, at: now, ended: Self.endedEvent(reason: reason, origin: origin, at: now))
        await forget(ended)
        return ended
    }

    /// Takes in sessions that another verb ended.
    package func forget(_ ended: [SessionID]) async {
        for id in ended {
            cache.forget(id)
            await webSessions?.forget(id)
        }
        onEnd()
    }

    package static func endedEvent(reason: String, origin: RequestOrigin, at now: Timestamp) -> AuditEvent {
        AuditEvent(at: now, type: .appSessionEnded, outcome: .success, reason: reason, origin: origin)
    }
}
