/// The session that an app issues from (`sid` of its bearer), as far as it is one of ours.
package struct ParentSessions: Sendable {
    enum Standing: Hashable, Sendable {
        /// Of another issuer, which answers for it.
        case foreign
        /// One of our app sessions, alive.
        case app
        /// One of our web sessions, opened by a login token: a chain.
        case fromLoginToken
        case ended
    }

    private let store: any WebSessionStore
    private let apps: (any AppSessionStore)?
    private let cache: ShortLivedCache<SessionID, Standing>

    package init(store: any WebSessionStore, apps: (any AppSessionStore)? = nil, time: TimeSource = .system) {
        self.store = store
        self.apps = apps
        cache = ShortLivedCache(time: time)
    }

    func standing(of id: SessionID?, at now: Timestamp) async throws -> Standing {
        guard let id else { return .foreign }
        return try await cache.value(for: id) {
            if let session = try await apps?.appSession(id: id) { return session.isAlive(at: now) ? .app : .ended }
            guard let session = try await store.session(id: id) else { return .foreign }
            return session.isAlive(at: now) ? .fromLoginToken : .ended
        }
    }
}
