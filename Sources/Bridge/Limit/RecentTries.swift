import Synchronization

/// Notes who came again too soon. Unlike a ``ReplayGuard`` it keeps its time to the millisecond, and like one it is a
/// hint: what it forgets costs one more round.
package protocol RecentTries: Sendable {
    /// Notes an attempt, unless one was noted less than `window` ago; one that comes too soon does not lengthen the
    /// time.
    /// - Returns: whether it was noted. Where there is no room for another one it counts as the first.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when that cannot be decided; `CancellationError` in a task that
    ///   is cancelled, and then it may be noted.
    func isFirst(_ id: TokenID, within window: Duration) async throws -> Bool

    /// Forgets an attempt that led to nothing.
    func takeBack(_ id: TokenID) async throws
}

/// The attempts that one process has seen, by the monotonic clock.
package final class InProcessRecentTries: RecentTries {
    private let capacity: Int
    private let time: TimeSource
    private let state = Mutex(State())

    private struct State {
        var ends: [TokenID: ContinuousClock.Instant] = [:]
        /// No sweep before: a full table must not cost a sweep for every attempt.
        var nextSweep: ContinuousClock.Instant?
    }

    /// - Parameter capacity: attempts at once; at about 100 bytes each.
    package init(capacity: Int = 100_000, time: TimeSource = .system) {
        self.capacity = max(1, capacity)
        self.time = time
    }

    package func isFirst(_ id: TokenID, within window: Duration) -> Bool {
        let now = time.uptime()
        return state.withLock { state in
            if let end = state.ends[id], now < end { return false }
            if state.ends.count >= capacity, state.nextSweep.map({ $0 <= now }) ?? true {
                state.ends = state.ends.filter { now < $0.value }
                state.nextSweep = now.advanced(by: .seconds(1))
            }
            if state.ends.count < capacity { state.ends[id] = now.advanced(by: window) }
            return true
        }
    }

    package func takeBack(_ id: TokenID) { state.withLock { $0.ends[id] = nil } }
}

/// Shared attempts; while they are away, each process counts for itself.
package struct FailoverRecentTries: RecentTries {
    private let shared: any RecentTries
    private let own: InProcessRecentTries
    private let degradation: Degradation

    package init(_ shared: any RecentTries, own: InProcessRecentTries, degradation: Degradation) {
        self.shared = shared
        self.own = own
        self.degradation = degradation
    }

    package func isFirst(_ id: TokenID, within window: Duration) async throws -> Bool {
        try await degradation.run {
            try await shared.isFirst(id, within: window)
        } orElse: { _ in
            own.isFirst(id, within: window)
        }
    }

    package func takeBack(_ id: TokenID) async throws {
        own.takeBack(id)
        // What the shared ones keep of it costs one more round, no more.
        try await degradation.run {
            try await shared.takeBack(id)
        } endedBy: { _ in
            // A full Redis still deletes.
            false
        } orElse: { _ in
        }
    }
}
