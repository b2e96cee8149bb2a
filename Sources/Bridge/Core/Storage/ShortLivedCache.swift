import Synchronization

/// Remembers answers of a store for a moment, so that a busy key costs about two reads a second and a change is still
/// seen by every node within one (contract §7). Callers that come while there is no answer each read by themselves:
/// none waits for, or fails with, the read of another.
package final class ShortLivedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var entries: [Key: (value: Value, until: ContinuousClock.Instant)] = [:]
        /// Look-ups under way that nothing was forgotten during, by key; those of one key share a number.
        var loads: [Key: (number: Int, count: Int)] = [:]
        var lastNumber = 0

        mutating func begin(_ key: Key) -> Int {
            if let load = loads[key] {
                loads[key] = (load.number, load.count + 1)
                return load.number
            }
            lastNumber += 1
            loads[key] = (lastNumber, 1)
            return lastNumber
        }

        /// - Returns: whether what was found may be kept.
        mutating func end(_ number: Int, of key: Key) -> Bool {
            guard let load = loads[key], load.number == number else { return false }
            loads[key] = load.count > 1 ? (number, load.count - 1) : nil
            return true
        }
    }

    private let state = Mutex(State())
    private let lifetime: Duration
    private let capacity: Int
    private let time: TimeSource

    /// - Parameters:
    ///   - lifetime: by the monotonic clock: a wall clock that is set back must not keep an answer alive. Half of
    ///     what the contract allows: the request that finds the change takes time too.
    ///   - capacity: when it is reached, everything is forgotten; entries live too briefly for more care.
    package init(lifetime: Duration = .milliseconds(500), capacity: Int = 10_000, time: TimeSource) {
        self.lifetime = lifetime
        self.capacity = capacity
        self.time = time
    }

    /// A look-up under way, for a caller who asks the store for several things at once. Each is ended once, by
    /// ``end(with:)`` or ``abandon()``.
    package struct LookUp: Sendable {
        fileprivate let cache: ShortLivedCache
        /// What the store is to be asked about.
        package let key: Key
        fileprivate let number: Int
        /// Counted from before the store is asked: what it says may be as old as that.
        fileprivate let until: ContinuousClock.Instant

        /// Keeps what the store said, unless it was to be forgotten meanwhile.
        package func end(with value: Value) { cache.end(self, with: value) }

        /// Keeps nothing: the store did not say.
        package func abandon() { cache.end(self, with: nil) }
    }

    /// What is known of a key.
    private enum Finding: Sendable {
        case remembered(Value)
        case missing(LookUp)
    }

    /// The remembered value, or the one that `load` gives.
    package func value(for key: Key, load read: () async throws -> Value) async throws -> Value {
        let lookUp: LookUp
        switch find(key) {
        case .remembered(let value): return value
        case .missing(let begun): lookUp = begun
        }
        do {
            let value = try await read()
            lookUp.end(with: value)
            return value
        } catch {
            lookUp.abandon()
            throw error
        }
    }

    /// Begins a look-up that the caller makes and ends; `nil` where the value is remembered.
    package func lookUp(_ key: Key) -> LookUp? {
        if case .missing(let lookUp) = find(key) { lookUp } else { nil }
    }

    private func find(_ key: Key) -> Finding {
        let now = time.uptime()
        return state.withLock { state -> Finding in
            if let entry = state.entries[key], now < entry.until { return .remembered(entry.value) }
            return .missing(
                LookUp(cache: self, key: key, number: state.begin(key), until: now.advanced(by: lifetime)))
        }
    }

    private func end(_ lookUp: LookUp, with value: Value?) {
        state.withLock { state in
            // What was read before a change may be what the change made untrue.
            guard state.end(lookUp.number, of: lookUp.key), let value else { return }
            if state.entries.count >= capacity { state.entries.removeAll(keepingCapacity: true) }
            state.entries[lookUp.key] = (value, lookUp.until)
        }
    }

    /// Has the next look-up ask the store, after a change of our own.
    package func forget(_ key: Key) {
        state.withLock { state in
            state.entries[key] = nil
            state.loads[key] = nil
        }
    }

    /// Forgets everything, after a change of our own.
    package func removeAll() {
        state.withLock { state in
            state.entries.removeAll()
            state.loads.removeAll()
        }
    }
}
