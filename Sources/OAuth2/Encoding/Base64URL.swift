/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5, RFC 7515 §2).
package enum Base64URL {
    private static let alphabet: [UInt8] = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()

    /// Encodes bytes; the result has no padding.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        let input = Array(bytes)
        let length = (input.count * 4 + 2) / 3
        return String(unsafeUninitializedCapacity: length) { output in
            var position = 0
            var index = 0
            while index + 2 < input.count {
                let group = UInt32(input[index]) << 16 | UInt32(input[index + 1]) << 8 | UInt32(input[index + 2])
                output[position] = alphabet[Int(group >> 18)]
                output[position + 1] = alphabet[Int(group >> 12 & 0x3F)]
                output[position + 2] = alphabet[Int(group >> 6 & 0x3F)]
                output[position + 3] = alphabet[Int(group & 0x3F)]
                position += 4
                index += 3
            }
            switch input.count - index {
            case 1:
                let group = UInt32(input[index]) << 16
                output[position] = alphabet[Int(group >> 18)]
                output[position + 1] = alphabet[Int(group >> 12 & 0x3F)]
            case 2:
                let group = UInt32(input[index]) << 16 | UInt32(input[index + 1]) << 8
                output[position] = alphabet[Int(group >> 18)]
                output[position + 1] = alphabet[Int(group >> 12 & 0x3F)]
                output[position + 2] = alphabet[Int(group >> 6 & 0x3F)]
            default:
                break
            }
            return length
        }
    }

    /// Decodes the canonical form only: no padding, no other alphabet, no stray low bits.
    ///
    /// Two texts must never decode to the same bytes, or a token would have several spellings and single use could
    /// be walked around by respelling it.
    /// - Returns: `nil` for anything that ``encode(_:)`` would not have produced.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(bytes: Array(text.utf8))
    }

    /// As ``decode(_:)-swift.method``, from ASCII bytes.
    package static func decode(bytes text: ArraySlice<UInt8>) -> [UInt8]? { decode(bytes: Array(text)) }

    /// As ``decode(_:)-swift.method``, from ASCII bytes. Not generic: other modules would run it unspecialised, which
    /// costs more than the rest of verifying a token.
    package static func decode(bytes text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(text.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for character in text {
            let value = values[Int(character)]
            guard value != 0xFF else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(truncatingIfNeeded: buffer >> bits))
                buffer &= (1 << bits) - 1
            }
        }
        return buffer == 0 ? output : nil
    }
}
