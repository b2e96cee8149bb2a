/// Comparison whose time does not depend on where two byte strings differ.
package enum ConstantTime {
    /// Compares all bytes; only the length may show in the time taken.
    package static func equals(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
        equals(bytes: Array(left), Array(right))
    }

    /// As ``equals(_:_:)``, for bytes that are arrays already.
    package static func equals(bytes left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
