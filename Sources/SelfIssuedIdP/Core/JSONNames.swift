import Foundation

/// The names of members in a JSON text.
///
/// Where a member is there twice, some readers take the first and some the last (RFC 8259 §4), so what the owner is
/// shown would not be what the website reads; in a JWT such a text is not a JSON object at all (RFC 7515 §4, RFC 7519
/// §4).
enum JSONNames {
    /// What is open at a place in the text: an array, or an object with the names that it has so far.
    private enum Level {
        case array
        case object(Set<String>)
    }

    /// Whether no object names a member twice.
    /// - Parameter text: well-formed JSON. Any encoding other than UTF-8 is refused (RFC 8259 §8.1).
    static func areUnique(in text: [UInt8]) -> Bool {
        // UTF-16 and UTF-32 write every brace and quotation mark with one; JSON in UTF-8 has none.
        guard !text.contains(0) else { return false }
        var open: [Level] = []
        var isNameNext = false
        var position = 0
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "{"):
                open.append(.object([]))
                isNameNext = true
            case UInt8(ascii: "["):
                open.append(.array)
                isNameNext = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = open.popLast()
                isNameNext = false
            case UInt8(ascii: ","):
                isNameNext = if case .object? = open.last { true } else { false }
            case UInt8(ascii: "\""):
                guard let end = endOfString(in: text, from: position) else { return false }
                if isNameNext {
                    guard case .object(var names)? = open.popLast(), let name = string(text[position...end]),
                        names.insert(name).inserted
                    else { return false }
                    open.append(.object(names))
                    isNameNext = false
                }
                position = end
            default: break
            }
            position += 1
        }
        return true
    }

    /// - Returns: the place of the closing quotation mark.
    private static func endOfString(in text: [UInt8], from start: Int) -> Int? {
        var position = start + 1
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""): return position
            // Whatever is escaped, it ends nothing.
            case UInt8(ascii: "\\"): position += 2
            default: position += 1
            }
        }
        return nil
    }

    /// - Parameter quoted: with its quotation marks; escapes may write one name in many ways.
    private static func string(_ quoted: ArraySlice<UInt8>) -> String? {
        guard quoted.contains(UInt8(ascii: "\\")) else {
            return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        }
        return try? JSONDecoder().decode(String.self, from: Data(quoted))
    }
}
