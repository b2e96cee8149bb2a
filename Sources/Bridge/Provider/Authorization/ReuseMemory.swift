import OAuth2
import Synchronization

/// Remembers for a while which values were seen, such as the code challenges of a day (RFC 9700 §2.1.1).
package protocol ReuseMemory: Sendable {
    /// Notes a value: only one of any number of concurrent callers with the same value gets `.fresh`.
    /// - Parameter value: kept as a digest.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when the memory cannot say.
    func note(_ value: String, at now: Timestamp) async throws -> Novelty
}

/// Whether a value was presented before.
package enum Novelty: Hashable, Sendable {
    /// Not seen lately; from now on it was.
    case fresh
    case seen
    /// There is no room to note it. It may well be fresh, so it accuses no client.
    case full
}

/// The memory of a single process: 128 bits of each value's digest, in the order in which they will be forgotten.
package final class InProcessReuseMemory: ReuseMemory {
    private struct Entry {
        let value: UInt128
        let forgottenAt: ContinuousClock.Instant
    }

    private struct State {
        var values: Set<UInt128> = []
        var entries: [Entry] = []
        /// How many of the first entries are forgotten already; they are dropped when they are half of them.
        var forgotten = 0
    }

    private let lifetime: Duration
    private let capacity: Int
    private let time: TimeSource
    private let state = Mutex(State())

    /// - Parameters:
    ///   - lifetime: for how long a value is remembered.
    ///   - capacity: values at once, of some 80 bytes each.
    package init(lifetime: Duration, capacity: Int, time: TimeSource) {
        self.lifetime = lifetime
        self.capacity = max(1, capacity)
        self.time = time
    }

    // It goes by the monotonic clock.
    package func note(_ value: String, at _: Timestamp) -> Novelty {
        let key = SHA256Hash(of: value).leftHalf.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        let now = time.uptime()
        return state.withLock { state in
            Self.forget(before: now, in: &state)
            guard !state.values.contains(key) else { return .seen }
            guard state.values.count < capacity else { return .full }
            state.values.insert(key)
            state.entries.append(Entry(value: key, forgottenAt: now.advanced(by: lifetime)))
            return .fresh
        }
    }

    private static func forget(before now: ContinuousClock.Instant, in state: inout State) {
        while state.forgotten < state.entries.count, state.entries[state.forgotten].forgottenAt <= now {
            state.values.remove(state.entries[state.forgotten].value)
            state.forgotten += 1
        }
        guard state.forgotten * 2 > state.entries.count else { return }
        state.entries.removeFirst(state.forgotten)
        state.forgotten = 0
    }
}

/// A shared memory that is replaced by the process's own while it is away: a value may then pass once more per node.
package struct FailoverReuseMemory: ReuseMemory {
    private let shared: any ReuseMemory
    private let own: InProcessReuseMemory
    private let degradation: Degradation

    package init(_ shared: any ReuseMemory, own: InProcessReuseMemory, degradation: Degradation) {
        self.shared = shared
        self.own = own
        self.degradation = degradation
    }

    package func note(_ value: String, at now: Timestamp) async throws -> Novelty {
        try await degradation.run {
            try await shared.note(value, at: now)
        } endedBy: {
            // What was seen before is not written again.
            $0 != .seen
        } orElse: { _ in
            own.note(value, at: now)
        }
    }
}
