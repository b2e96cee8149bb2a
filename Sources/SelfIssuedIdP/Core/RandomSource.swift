/// Where random bytes come from: a parameter, so that tests can fix them.
public struct RandomSource: Sendable {
    private let fill: @Sendable (Int) -> [UInt8]

    /// A source of your own.
    public init(_ fill: @escaping @Sendable (Int) -> [UInt8]) { self.fill = fill }

    func bytes(_ count: Int) -> [UInt8] { fill(count) }

    /// The operating system's generator.
    public static let system = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
