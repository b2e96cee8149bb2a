import Synchronization

/// Sessions that were looked up lately, by the digest of their secret; bounded.
///
/// What was removed stays out: a look-up that had read the session just before its end may come to insert it just
/// after. So each insertion names the ``ticket`` that was taken before the store was read; one that is older than what
/// is remembered of removals is refused.
final class WebSessionCache: Sendable {
    /// A session as the store had it.
    struct Entry {
        var session: WebSession
        /// When the store was asked, by the monotonic clock.
        let readAt: ContinuousClock.Instant
    }

    private struct State {
        var entries: Generations<String, Entry>
        var digests: [SessionID: String] = [:]
        var removed: Set<SessionID> = []
        var removedBefore: Set<SessionID> = []
        /// Removals so far.
        var removals = 0
        /// The earliest ticket whose later removals are all remembered.
        var earliestTicket = 0
    }

    private let state: Mutex<State>
    private let capacity: Int
    /// Ends that are remembered at least: far more than happen while one look-up is under way.
    private static let removedLimit = 4096

    /// - Parameter capacity: sessions at most; one is about 600 bytes.
    init(capacity: Int) {
        self.capacity = capacity
        state = Mutex(State(entries: Generations(capacity: capacity)))
    }

    /// Sessions that can be found by their id: never more than the capacity.
    var count: Int { state.withLock { $0.digests.count } }

    /// Must be taken before the store is read.
    var ticket: Int { state.withLock { $0.removals } }

    func entry(digest: String) -> Entry? {
        state.withLock { state in
            var dropped: [String: Entry] = [:]
            let entry = state.entries.value(for: digest, dropped: &dropped)
            forgetIDs(of: dropped, in: &state)
            return entry
        }
    }

    func entry(id: SessionID) -> Entry? {
        guard let digest = state.withLock({ $0.digests[id] }) else { return nil }
        return entry(digest: digest)
    }

    func insert(_ session: WebSession, readAt: ContinuousClock.Instant, ticket: Int) {
        state.withLock { state in
            guard ticket >= state.earliestTicket else { return }
            insert(Entry(session: session, readAt: readAt), into: &state)
        }
    }

    /// Notes that a session was seen, where that is due.
    /// - Returns: whether the visit is to be written down: no other was noted meanwhile, as when a page sends several
    ///   requests at the same time. So is one of a session that is not cached.
    func touch(digest: String, at now: Timestamp) -> Bool {
        state.withLock { state in
            var isFirst = true
            state.entries.update(digest) { entry in
                isFirst = entry.session.isTouchDue(at: now)
                if isFirst { entry.session.lastSeenAt = now }
            }
            return isFirst
        }
    }

    func remove(_ id: SessionID) {
        state.withLock { state in
            if state.removed.count >= Self.removedLimit {
                state.earliestTicket = state.removals - state.removed.count
                state.removedBefore = state.removed
                state.removed = []
            }
            if state.removed.insert(id).inserted { state.removals += 1 }
            guard let digest = state.digests.removeValue(forKey: id) else { return }
            state.entries.remove(digest)
        }
    }

    /// Forgets everything, and takes in nothing that was read before.
    func removeAll() {
        state.withLock { state in
            let removals = state.removals + 1
            state = State(entries: Generations(capacity: capacity))
            state.removals = removals
            state.earliestTicket = removals
        }
    }

    private func insert(_ entry: Entry, into state: inout State) {
        let id = entry.session.id
        guard !state.removed.contains(id), !state.removedBefore.contains(id) else { return }
        let digest = entry.session.secretDigest
        var entry = entry
        // A visit may have been noted since the store was read for this look-up.
        if let known = state.entries.peek(digest) {
            entry.session.lastSeenAt = max(entry.session.lastSeenAt, known.session.lastSeenAt)
        }
        forgetIDs(of: state.entries.insert(entry, for: digest), in: &state)
        state.digests[id] = digest
    }

    private func forgetIDs(of dropped: [String: Entry], in state: inout State) {
        for (gone, entry) in dropped
        where state.digests[entry.session.id] == gone && !state.entries.contains(gone) {
            state.digests[entry.session.id] = nil
        }
    }
}
