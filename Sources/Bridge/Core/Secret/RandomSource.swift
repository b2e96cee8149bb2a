import Foundation
import OAuth2
import Synchronization

/// Where random bytes come from: a parameter, so that tests can fix them.
package struct RandomSource: Sendable {
    private let fill: @Sendable (Int) -> [UInt8]

    package init(_ fill: @escaping @Sendable (Int) -> [UInt8]) { self.fill = fill }

    /// - Parameter count: how many bytes.
    package func bytes(_ count: Int) -> [UInt8] { fill(count) }

    /// Random bytes as base64url: 16 bytes give 22 characters.
    package func text(_ count: Int) -> String { Base64URL.encode(fill(count)) }

    /// Base64url of the time in 48 bits of milliseconds and of so many random bytes after it: an id.
    ///
    /// The time stands first so that a store's index of ids grows at one end, instead of having a page somewhere else
    /// written for every row.
    package func text(_ count: Int, after now: Timestamp) -> String {
        Base64URL.encode(now.leadingBytes + bytes(count))
    }

    /// Bytes as ``bytes(_:)`` gives them, fetched many at a time.
    ///
    /// For identifiers that every request needs, where a call to the kernel costs more than the rest of them. Not for
    /// secrets: these would stand in memory before they are used.
    package func buffered(_ size: Int = 2048) -> RandomSource {
        let buffer = Mutex(ArraySlice<UInt8>())
        return RandomSource { count in
            guard count <= size else { return fill(count) }
            return buffer.withLock { buffer in
                if buffer.count < count { buffer = fill(size)[...] }
                defer { buffer = buffer.dropFirst(count) }
                return Array(buffer.prefix(count))
            }
        }
    }

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

extension Timestamp {
    /// What an id begins with, so that ids sort in the order of their making: eight characters of base64url.
    var leadingBytes: [UInt8] {
        let time = UInt64(bitPattern: milliseconds)
        return (0..<6).map { UInt8(truncatingIfNeeded: time >> UInt64(40 - 8 * $0)) }
    }

    /// Reads ``leadingBytes``.
    ///
    /// Random bytes give any time at all; ours lie between 2020 and 2100.
    /// - Returns: `nil` for what cannot be one.
    init?(leading bytes: some Sequence<UInt8>) {
        let milliseconds = bytes.prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard (1_577_836_800_000...4_102_444_800_000).contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
