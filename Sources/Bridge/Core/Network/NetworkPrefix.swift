/// A network in CIDR form, such as `203.0.113.0/24`.
package struct NetworkPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The network's bytes with all bits past the prefix cleared.
    private let bytes: [UInt8]
    /// How many bits all its addresses have in common.
    package let bits: Int

    /// - Parameter bits: clamped to the family's length.
    init(address: NetworkAddress, bits: Int) {
        let bits = max(0, min(bits, address.bytes.count * 8))
        bytes = Self.masked(address.bytes, bits: bits)
        self.bits = bits
    }

    /// Reads `address/bits`, or a bare address as a network of one.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = NetworkAddress(String(parts[0])) else { return nil }
        guard parts.count == 2 else {
            self.init(address: address, bits: address.bytes.count * 8)
            return
        }
        guard let bits = Int(parts[1]), bits >= 0, bits <= address.bytes.count * 8, parts[1].first != "+" else {
            return nil
        }
        self.init(address: address, bits: bits)
    }

    package var family: NetworkAddress.Family { bytes.count == 4 ? .v4 : .v6 }

    /// Whether an address of the same family lies in this network.
    package func contains(_ address: NetworkAddress) -> Bool {
        address.bytes.count == bytes.count && Self.masked(address.bytes, bits: bits) == bytes
    }

    /// Whether a whole network lies in this one.
    package func contains(_ other: NetworkPrefix) -> Bool {
        other.bytes.count == bytes.count && other.bits >= bits && Self.masked(other.bytes, bits: bits) == bytes
    }

    package var description: String { "\(NetworkAddress(network: bytes))/\(bits)" }

    /// The one address of a network that has only one.
    package var singleAddress: NetworkAddress? {
        bits == bytes.count * 8 ? NetworkAddress(network: bytes) : nil
    }

    /// What the text of every address of an IPv4 network begins with: its whole bytes, as `203.0.113.`. `nil` for
    /// IPv6, whose text is shortened where zeros stand.
    package var textPrefix: String? {
        guard family == .v4 else { return nil }
        return bytes.prefix(min(3, bits / 8)).map { "\($0)." }.joined()
    }

    private static func masked(_ bytes: [UInt8], bits: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = max(0, min(8, bits - index * 8))
            return kept == 8 ? byte : byte & ~(0xFF >> UInt8(kept))
        }
    }
}
