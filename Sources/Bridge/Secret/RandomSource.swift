import OAuth2

/// Where random bytes come from: a parameter, so that tests can fix them.
package struct RandomSource: Sendable {
    private let fill: @Sendable (Int) -> [UInt8]

    package init(_ fill: @escaping @Sendable (Int) -> [UInt8]) { self.fill = fill }

    /// - Parameter count: how many bytes.
    package func bytes(_ count: Int) -> [UInt8] { fill(count) }

    /// Random bytes as base64url: 16 bytes give 22 characters.
    package func text(_ count: Int) -> String { Base64URL.encode(fill(count)) }

    /// The operating system's generator.
    package static let system = RandomSource { count in
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
