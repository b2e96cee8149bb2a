import OAuth2

/// Text in header fields.
enum HeaderText {
    /// Percent-encodes what is not visible ASCII, and `%` and `,`, so that any text is a safe header value and can be
    /// read back: a subject is whatever its issuer says. By a comma a reader would take one value for two (RFC 9110 §5.3).
    static func encode(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        return PercentEncoding.encode(text, keeping: isPlain)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        ASCII.isVisible(byte) && byte != UInt8(ascii: "%") && byte != UInt8(ascii: ",")
    }

    /// The media type without its parameters, in lower case.
    static func mediaType(_ contentType: String) -> String {
        guard contentType.utf8.contains(where: { $0 <= 0x20 || $0 == 0x3B || ASCII.isUppercase($0) }) else {
            return contentType
        }
        let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }
        return String(decoding: type.filter { $0 != 0x20 && $0 != 0x09 }, as: UTF8.self).lowercased()
    }
}
