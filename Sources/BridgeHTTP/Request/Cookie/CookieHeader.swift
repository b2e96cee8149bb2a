/// Reads one cookie out of a `Cookie` header (RFC 6265 §4.2.1).
enum CookieHeader {
    /// As ``value(of:in:)-(StaticString,_)``, for a name that is known at run time only.
    static func value(named name: String, in header: String) -> String? {
        var header = header
        var name = name
        return header.withUTF8 { bytes in name.withUTF8 { value(of: $0, in: bytes) } }
    }

    /// The value of the only cookie with this name.
    ///
    /// A server cannot tell which of several cookies with one name is its own: a sibling domain may have planted the
    /// other. So two of them count as none.
    /// - Returns: `nil` when absent, repeated, or when the value holds a byte outside RFC 6265's cookie-octet.
    static func value(of name: StaticString, in header: String) -> String? {
        var header = header
        return header.withUTF8 { bytes in name.withUTF8Buffer { value(of: $0, in: bytes) } }
    }

    /// Whether there is a cookie with this name, whatever its value, and however many there are.
    static func names(_ name: String, in header: String) -> Bool {
        header.utf8.split(separator: UInt8(ascii: ";")).contains { pair in
            pair.drop { $0 == 0x20 || $0 == 0x09 }.starts(with: "\(name)=".utf8)
        }
    }

    private static func value(
        of name: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>
    ) -> String? {
        var found: Slice<UnsafeBufferPointer<UInt8>>?
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let end = bytes[index...].firstIndex(of: UInt8(ascii: ";")) ?? bytes.endIndex
            let pair = trimmed(bytes[index..<end])
            index = end + 1
            guard pair.count > name.count, pair[pair.startIndex + name.count] == UInt8(ascii: "="),
                pair.starts(with: name)
            else { continue }
            guard found == nil else { return nil }
            found = pair[(pair.startIndex + name.count + 1)...]
        }
        guard let found, found.allSatisfy(isCookieOctet) else { return nil }
        return String(decoding: found, as: UTF8.self)
    }

    private static func trimmed(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
        var text = text
        while let first = text.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }

    private static func isCookieOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x2B, 0x2D...0x3A, 0x3C...0x5B, 0x5D...0x7E: true
        default: false
        }
    }
}
