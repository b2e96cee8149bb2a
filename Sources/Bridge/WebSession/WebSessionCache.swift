import Synchronization

/// Sessions that were looked up lately, by the digest of their secret; bounded.
///
/// Two generations: what is found in the old one moves to the young one, and when the young one is full the old one
/// is dropped. That keeps the sessions in use at the price of one dictionary step a lookup.
///
/// What was removed stays out for a while: a look-up that had read the session just before its end may come to insert
/// it just after.
final class WebSessionCache: Sendable {
    private struct State {
        var young: [String: WebSession] = [:]
        var old: [String: WebSession] = [:]
        var digests: [SessionID: String] = [:]
        var removed: Set<SessionID> = []
        var removedBefore: Set<SessionID> = []
    }

    private let state = Mutex(State())
    private let generationSize: Int
    /// Ends that are remembered at least: far more than happen while one look-up is under way.
    private static let removedLimit = 4096

    /// - Parameter capacity: sessions at most; one is about 600 bytes.
    init(capacity: Int) { generationSize = max(1, capacity / 2) }

    func session(digest: String) -> WebSession? {
        state.withLock { state in
            if let session = state.young[digest] { return session }
            guard let session = state.old[digest] else { return nil }
            insert(session, into: &state)
            return session
        }
    }

    func session(id: SessionID) -> WebSession? {
        guard let digest = state.withLock({ $0.digests[id] }) else { return nil }
        return session(digest: digest)
    }

    func insert(_ session: WebSession) {
        state.withLock { insert(session, into: &$0) }
    }

    /// Notes that a cached session was seen.
    func touch(digest: String, at now: Timestamp) {
        state.withLock { $0.young[digest]?.lastSeenAt = now }
    }

    func remove(_ id: SessionID) {
        state.withLock { state in
            if state.removed.count >= Self.removedLimit {
                state.removedBefore = state.removed
                state.removed = []
            }
            state.removed.insert(id)
            guard let digest = state.digests.removeValue(forKey: id) else { return }
            state.young[digest] = nil
            state.old[digest] = nil
        }
    }

    func removeAll() {
        state.withLock { $0 = State() }
    }

    private func insert(_ session: WebSession, into state: inout State) {
        guard !state.removed.contains(session.id), !state.removedBefore.contains(session.id) else { return }
        if state.young.count >= generationSize {
            for session in state.old.values { state.digests[session.id] = nil }
            state.old = state.young
            state.young = [:]
            for session in state.old.values { state.digests[session.id] = session.secretDigest }
        }
        state.young[session.secretDigest] = session
        state.digests[session.id] = session.secretDigest
    }
}
