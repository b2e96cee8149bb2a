/// A strict JSON parser (RFC 8259) over bytes, for ``JSONValue/parse(_:depth:)``.
struct JSONReader {
    private let text: [UInt8]
    private var position = 0

    init(text: [UInt8]) { self.text = text }

    mutating func document(depth: Int) -> JSONValue? {
        guard let value = value(depth: depth) else { return nil }
        skipSpace()
        return position == text.count ? value : nil
    }

    private var current: UInt8? { position < text.count ? text[position] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) -> JSONValue? {
        skipSpace()
        switch current {
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "{"): return depth > 0 ? object(depth: depth - 1) : nil
        case UInt8(ascii: "["): return depth > 0 ? array(depth: depth - 1) : nil
        case UInt8(ascii: "t"): return literal("true", .bool(true))
        case UInt8(ascii: "f"): return literal("false", .bool(false))
        case UInt8(ascii: "n"): return literal("null", .null)
        default: return number()
        }
    }

    private mutating func literal(_ word: String, _ value: JSONValue) -> JSONValue? {
        guard text[position...].starts(with: word.utf8) else { return nil }
        position += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) -> JSONValue? {
        position += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if skip("}") { return .object(members) }
        while true {
            skipSpace()
            guard let name = string() else { return nil }
            skipSpace()
            guard skip(":"), let value = value(depth: depth),
                members.updateValue(value, forKey: name) == nil
            else { return nil }
            skipSpace()
            if skip("}") { return .object(members) }
            guard skip(",") else { return nil }
        }
    }

    private mutating func array(depth: Int) -> JSONValue? {
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if skip("]") { return .array(elements) }
        while true {
            guard let value = value(depth: depth) else { return nil }
            elements.append(value)
            skipSpace()
            if skip("]") { return .array(elements) }
            guard skip(",") else { return nil }
        }
    }

    private mutating func digits() -> Bool {
        let start = position
        while let byte = current, ASCII.isDigit(byte) { position += 1 }
        return position > start
    }

    private mutating func number() -> JSONValue? {
        let start = position
        _ = skip("-")
        if !skip("0") { guard digits() else { return nil } }
        if skip(".") { guard digits() else { return nil } }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            guard digits() else { return nil }
        }
        return .number(String(decoding: text[start..<position], as: UTF8.self))
    }

    private mutating func string() -> String? {
        guard skip("\"") else { return nil }
        let start = position
        var union: UInt8 = 0
        while let byte = current, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            union |= byte
            position += 1
        }
        // Most strings are plain ASCII, which needs no validation and no copy.
        if union < 0x80, current == UInt8(ascii: "\"") {
            position += 1
            return String(decoding: text[start..<position - 1], as: UTF8.self)
        }
        var bytes = Array(text[start..<position])
        while let byte = current, byte >= 0x20 {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(validating: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard appendEscaped(to: &bytes) else { return nil }
            default:
                bytes.append(byte)
            }
        }
        return nil
    }

    private mutating func appendEscaped(to bytes: inout [UInt8]) -> Bool {
        guard let byte = current else { return false }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "u"):
            guard let scalar = escapedScalar() else { return false }
            bytes.append(contentsOf: String(Character(scalar)).utf8)
        default: return false
        }
        return true
    }

    // A surrogate that is not half of a pair stands for no character: refused, not replaced.
    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard let unit = codeUnit() else { return nil }
        guard (0xD800...0xDBFF).contains(unit) else { return Unicode.Scalar(unit) }
        guard skip("\\"), skip("u"), let low = codeUnit(), (0xDC00...0xDFFF).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func codeUnit() -> UInt32? {
        guard position + 4 <= text.count else { return nil }
        var unit: UInt32 = 0
        for byte in text[position..<position + 4] {
            guard let digit = HexDigit.value(byte) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        position += 4
        return unit
    }
}
