/// Which addresses are out in the open. A link must not make the phone knock at doors inside the home's network.
public enum PublicNetwork {
    /// IPv4 that is special, as the IANA registry lists it (RFC 6890): first address and length of the prefix.
    private static let special4: [([UInt8], Int)] = [
        ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8), ([169, 254, 0, 0], 16),
        ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24), ([192, 88, 99, 0], 24),
        ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15), ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24),
        ([224, 0, 0, 0], 3),
    ]

    /// - Parameter address: 4 or 16 octets in network order.
    public static func contains(_ address: [UInt8]) -> Bool {
        switch address.count {
        case 4: !special4.contains { isWithin(address, $0.0, $0.1) }
        case 16: contains6(address)
        default: false
        }
    }

    private static func contains6(_ address: [UInt8]) -> Bool {
        // IPv4 inside IPv6 is judged as IPv4: mapped, and by the translator's well-known prefix (RFC 6052).
        if isWithin(address, [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], 96)
            || isWithin(address, [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8), 96)
        {
            return contains(Array(address.suffix(4)))
        }
        // Only 2000::/3 is given out, except 2001::/23 (protocols, Teredo), documentation, 6to4, 3fff::/20.
        return isWithin(address, [0x20], 3) && !isWithin(address, [0x20, 0x01, 0x00], 23)
            && !isWithin(address, [0x20, 0x01, 0x0D, 0xB8], 32) && !isWithin(address, [0x20, 0x02], 16)
            && !isWithin(address, [0x3F, 0xFF, 0x00], 20)
    }

    private static func isWithin(_ address: [UInt8], _ prefix: [UInt8], _ bits: Int) -> Bool {
        (0..<bits).allSatisfy { bit in
            let mask = UInt8(0x80) >> UInt8(bit % 8)
            return address[bit / 8] & mask == prefix[bit / 8] & mask
        }
    }
}
