import Foundation
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
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // One call to the kernel for up to 256 bytes; Swift's generator makes one for every eight.
            while initialized < count {
                let part = min(256, count - initialized)
                guard let start = buffer.baseAddress, getentropy(start + initialized, part) == 0 else {
                    preconditionFailure("the system has no random bytes")
                }
                initialized += part
            }
        }
    }
}
