/// How long to wait before a receiver is tried again: doubled with every failure, a random half of it left out.
package struct AuditForwardBackoff: Sendable {
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(60)

    private var failures = 0

    package init() {}

    /// - Parameter dice: from 0 up to 1.
    package mutating func next(_ dice: Double = .random(in: 0..<1)) -> Duration {
        let full = min(Self.longest, Self.shortest * (1 << min(failures, 10)))
        failures += 1
        return full / 2 + full / 2 * dice
    }

    /// Something was delivered.
    package mutating func reset() { failures = 0 }
}
