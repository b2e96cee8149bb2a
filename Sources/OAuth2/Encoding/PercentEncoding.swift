/// Percent-encoding of one component (RFC 3986 §2.1).
package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes everything but the unreserved characters, so the result fits a query value, a cookie value or a path
    /// segment alike.
    /// - Parameter isKept: the bytes that stay as they are, where more may than that; never `%`.
    package static func encode(_ text: String, keeping isKept: (UInt8) -> Bool = ASCII.isUnreserved) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isKept(byte) {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(Self.digits[Int(byte >> 4)])
                output.append(Self.digits[Int(byte & 0xF)])
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension PercentEncoding {
    /// Decodes one component; `+` stays a plus.
    /// - Returns: `nil` for a `%` that two hexadecimal digits do not follow, or bytes that are not UTF-8.
    package static func decode(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return decode(bytes: Array(text.utf8)[...]).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Decodes one component to bytes, of any encoding.
    /// - Parameters:
    ///   - plusIsSpace: as in a form (`application/x-www-form-urlencoded`).
    ///   - isRefused: octets that may not come from an escape.
    /// - Returns: `nil` for a `%` that two hexadecimal digits do not follow, or a refused octet.
    package static func decode(
        bytes text: ArraySlice<UInt8>, plusIsSpace: Bool = false, refusing isRefused: (UInt8) -> Bool = { _ in false }
    ) -> [UInt8]? {
        replacingEscapes(in: text, plusIsSpace: plusIsSpace) { octet, output in
            output.append(octet)
            return !isRefused(octet)
        }
    }

    /// Decodes every escape that there is, as a reader does who is not strict: a `%` that two hexadecimal digits do not
    /// follow stays.
    package static func decodeLeniently(bytes text: ArraySlice<UInt8>) -> [UInt8] {
        replacingEscapes(in: text, passesOverOthers: true) { octet, output in
            output.append(octet)
            return true
        } ?? []
    }

    /// The text with each escape replaced by what `replace` appends for its octet.
    /// - Parameters:
    ///   - passesOverOthers: whether a `%` stays that two hexadecimal digits do not follow; otherwise it gives up.
    ///   - replace: `false` gives up.
    static func replacingEscapes(
        in text: ArraySlice<UInt8>, plusIsSpace: Bool = false, passesOverOthers: Bool = false,
        by replace: (UInt8, inout [UInt8]) -> Bool
    ) -> [UInt8]? {
        // Most texts have none, and login tokens are long.
        guard text.contains(where: { $0 == UInt8(ascii: "%") || plusIsSpace && $0 == UInt8(ascii: "+") }) else {
            return Array(text)
        }
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "+") where plusIsSpace:
                output.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                if index + 2 < text.endIndex, let high = HexDigit.value(text[index + 1]),
                    let low = HexDigit.value(text[index + 2])
                {
                    guard replace(high << 4 | low, &output) else { return nil }
                    index += 2
                } else {
                    guard passesOverOthers else { return nil }
                    output.append(text[index])
                }
            case let byte:
                output.append(byte)
            }
            index += 1
        }
        return output
    }
}
