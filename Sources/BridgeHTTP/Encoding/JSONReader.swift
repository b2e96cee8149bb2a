import OAuth2

/// Reads JSON scalars off a byte string, as RFC 8259 writes them and not one byte more.
struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    var isAtContainer: Bool { peek == UInt8(ascii: "{") || peek == UInt8(ascii: "[") }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    mutating func scalar() -> FlatJSONObject.Value? {
        switch peek {
        case UInt8(ascii: "\""): string().map { .text($0) }
        case UInt8(ascii: "t"): literal("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): literal("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): literal("null") ? .null : nil
        default: number()
        }
    }

    private mutating func literal(_ text: StaticString) -> Bool {
        let matches = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
        if matches { position += text.utf8CodeUnitCount }
        return matches
    }

    private mutating func number() -> FlatJSONObject.Value? {
        let start = position
        _ = take(UInt8(ascii: "-"))
        guard let integer = digits(), integer.count == 1 || integer.first != UInt8(ascii: "0") else { return nil }
        var isInteger = true
        if take(UInt8(ascii: ".")) {
            isInteger = false
            guard digits() != nil else { return nil }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
            guard digits() != nil else { return nil }
        }
        guard isInteger, let value = Int64(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            return .otherNumber
        }
        return .integer(value)
    }

    private mutating func digits() -> ArraySlice<UInt8>? {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position > start ? bytes[start..<position] : nil
    }

    /// A string with its escapes resolved; `nil` for controls, unknown escapes, lone surrogates and invalid UTF-8.
    mutating func string() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var output: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: output, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                output.append(contentsOf: String(Character(scalar)).utf8)
            case 0..<0x20: return nil
            default: output.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = peek else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: return nil
        }
        guard let high = hexadecimalUnit() else { return nil }
        guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let low = hexadecimalUnit(),
            (0xDC00..<0xE000).contains(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func hexadecimalUnit() -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = HexDigit.value(byte) else { return nil }
            position += 1
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
