import Foundation

extension String {
    /// Whether the other is the same byte by byte. `==` goes by canonical equivalence: to it U+212A is a `K`.
    package func hasSameBytes(as other: String) -> Bool {
        var (left, right) = (self, other)
        // In one piece: every look for a name compares two, and the views' own iterators cost five times as much.
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count, let first = left.baseAddress, let second = right.baseAddress else {
                    return left.isEmpty && right.isEmpty
                }
                return memcmp(first, second, left.count) == 0
            }
        }
    }
}
