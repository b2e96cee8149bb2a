/// CRC-32 as in IEEE 802.3: a checksum against typing errors and for scanners, not a protection.
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { crc, byte in crc >> 8 ^ table[Int((crc ^ UInt32(byte)) & 0xFF)] }
    }
}
