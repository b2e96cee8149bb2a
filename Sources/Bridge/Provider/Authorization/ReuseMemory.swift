/// Remembers for a while which values were seen, such as the code challenges of a day (RFC 9700 §2.1.1).
package protocol ReuseMemory: Sendable {
    /// Notes a value: of any number of concurrent callers with one value one gets `.fresh`.
    /// - Parameter value: kept as a digest.
    /// - Throws: ``StorageError/unavailable(_:)`` when the memory cannot say.
    func note(_ value: String, at now: Timestamp) async throws -> Novelty
}

package enum Novelty: Hashable, Sendable {
    /// Not seen lately; from now on it was.
    case fresh
    case seen
    /// There is no room to note it. It may well be fresh, so nobody is to be accused by it.
    case full
}
