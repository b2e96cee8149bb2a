import Synchronization

/// Remembers answers of a store for a moment, so that a busy key costs one read a second and a change is still seen
/// by every node within that second (contract §7).
package final class ShortLivedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let entries = Mutex<[Key: (value: Value, until: Timestamp)]>([:])
    private let lifetime: Duration
    private let capacity: Int

    /// - Parameter capacity: when it is reached, everything is forgotten; entries live too briefly for more care.
    package init(lifetime: Duration = .seconds(1), capacity: Int = 10_000) {
        self.lifetime = lifetime
        self.capacity = capacity
    }

    /// Forgets everything, after a change of our own.
    package func removeAll() { entries.withLock { $0.removeAll() } }

    /// The remembered value, or the one that `load` gives.
    package func value(
        for key: Key, at now: Timestamp, load: () async throws -> Value
    ) async throws -> Value {
        if let entry = entries.withLock({ $0[key] }), now < entry.until { return entry.value }
        let value = try await load()
        let until = now + lifetime
        entries.withLock { entries in
            if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
            entries[key] = (value, until)
        }
        return value
    }

    /// Has the next look-up ask the store.
    package func forget(_ key: Key) { entries.withLock { $0[key] = nil } }
}
