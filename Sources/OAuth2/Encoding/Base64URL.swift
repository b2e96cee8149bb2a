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
        // Every value of the alphabet has six bits; anything else sets the highest.
        var seen: UInt8 = 0
        var strayBits: UInt8 = 0
        let values = values
        let output = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { output, count in
            var index = 0
            while index + 3 < text.count {
                let first = values[Int(text[index])]
                let second = values[Int(text[index + 1])]
                let third = values[Int(text[index + 2])]
                let fourth = values[Int(text[index + 3])]
                seen |= first | second | third | fourth
                output[count] = first << 2 | second >> 4
                output[count + 1] = second << 4 | third >> 2
                output[count + 2] = third << 6 | fourth
                index += 4
                count += 3
            }
            guard index < text.count else { return }
            let first = values[Int(text[index])]
            let second = values[Int(text[index + 1])]
            seen |= first | second
            output[count] = first << 2 | second >> 4
            count += 1
            strayBits = second << 4
            guard index + 2 < text.count else { return }
            let third = values[Int(text[index + 2])]
            seen |= third
            output[count] = second << 4 | third >> 2
            count += 1
            strayBits = third << 6
        }
        return seen & 0x80 == 0 && strayBits == 0 ? output : nil
    }
}
