/// Whether app sessions are alive.
package final class AppSessions: Sendable {
    private let store: any GrantStore
    private let webSessions: WebSessions?
    private let cache: ShortLivedCache<SessionID, AppSession?>

    /// - Parameter webSessions: asked about an id that is not an app's; hears of ends.
    package init(store: any GrantStore, webSessions: WebSessions? = nil, time: TimeSource) {
        self.store = store
        self.webSessions = webSessions
        cache = ShortLivedCache(time: time)
        // Without news it finds out by the age of its answers: an app's session may end alone, which only a shortcut
        // tells of (contract §16.11).
        webSessions?.onNews { [cache] news in
            switch news {
            case .ended(let id): cache.forget(id)
            case .gap: cache.removeAll()
            case .keysChanged: break
            }
        }
    }

    /// The session in whatever state, at most a second old (contract §7); `nil` for an id that is not an app's.
    package func recent(_ id: SessionID) async throws -> AppSession? {
        try await cache.value(for: id) { try await store.appSession(id: id) }
    }

    /// Begins a look-up of ``recent(_:)`` that the caller makes; `nil` where the answer is remembered.
    func lookUp(_ id: SessionID) -> ShortLivedCache<SessionID, AppSession?>.LookUp? { cache.lookUp(id) }

    /// The session while it is alive; at most a second old (contract §7).
    package func alive(_ id: SessionID, at now: Timestamp) async throws -> AppSession? {
        try await recent(id).flatMap { $0.isAlive(at: now) ? $0 : nil }
    }

    package func isAlive(_ id: SessionID, at now: Timestamp) async throws -> Bool {
        if try await alive(id, at: now) != nil { return true }
        // The `sid` of a web view's cookie, and of what a website got by its back channel, is a web session.
        return try await webSessions?.lookUp(id) != nil
    }

    /// Has the next look-up ask the store.
    func forget(_ id: SessionID) { cache.forget(id) }

    /// Has the next look-up of every session ask the store.
    func forgetAll() { cache.removeAll() }
}

/// Whether an app's session was opened, or why not.
package enum AppSessionOpenOutcome: Hashable, Sendable {
    case opened
    case subjectDisabled
    case parentEnded
}
