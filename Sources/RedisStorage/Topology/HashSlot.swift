/// Which of a cluster's 16384 slots a key belongs to (Redis Cluster specification, "Key distribution model").
enum HashSlot {
    static let count = 16_384

    static func of(_ key: String) -> Int {
        let bytes = Array(key.utf8)
        return Int(crc16(tag(in: bytes[...])) % UInt16(count))
    }

    /// What is between the first `{` and the next `}`, unless that is nothing; otherwise the whole key.
    private static func tag(in key: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let open = key.firstIndex(of: UInt8(ascii: "{")),
            let close = key[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        else { return key }
        return key[(open + 1)..<close]
    }

    /// CRC-16/XMODEM: polynomial 0x1021, starting at zero.
    private static func crc16(_ bytes: ArraySlice<UInt8>) -> UInt16 {
        bytes.reduce(0) { crc, byte in
            (0..<8).reduce(crc ^ UInt16(byte) << 8) { value, _ in
                value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
            }
        }
    }
}
