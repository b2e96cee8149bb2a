/// A bounded dictionary of what was used lately.
///
/// Two generations: what is found in the old one moves to the young one, and when the young one is full the old one is
/// dropped. That keeps what is in use at the price of one dictionary step a look-up.
struct Generations<Key: Hashable, Value> {
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private let size: Int

    /// - Parameter capacity: values at most, rounded down to an even number; at least 2.
    init(capacity: Int) { size = max(1, capacity / 2) }

    /// The value, which is in use from now on.
    /// - Parameter dropped: what went for that, as ``insert(_:for:)`` tells it; left as it is when nothing did.
    mutating func value(for key: Key, dropped: inout [Key: Value]) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        dropped = insert(value, for: key)
        return value
    }

    /// The value, for who keeps nothing else by these keys.
    mutating func value(for key: Key) -> Value? {
        var dropped: [Key: Value] = [:]
        return value(for: key, dropped: &dropped)
    }

    /// The value, whose use this is not.
    func peek(_ key: Key) -> Value? { young[key] ?? old[key] }

    func contains(_ key: Key) -> Bool { young[key] != nil || old[key] != nil }

    /// - Returns: what was dropped for it; some of that may be in the young generation too.
    @discardableResult
    mutating func insert(_ value: Value, for key: Key) -> [Key: Value] {
        var dropped: [Key: Value] = [:]
        if young.count >= size {
            dropped = old
            old = young
            young = [:]
        }
        young[key] = value
        return dropped
    }

    /// Changes a value of the young generation in place: one that was looked up just now.
    mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        guard let index = young.index(forKey: key) else { return }
        change(&young.values[index])
    }

    mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }
}
