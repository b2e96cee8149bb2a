import OAuth2

/// What the audit log keeps of a parameter that means nothing to us, so that whoever sent it can find his mistake.
enum RefusedParameter {
    /// One line of JSON, `{"<name>":"…"}`, with the value's first 64 bytes.
    static func detail(_ name: String, _ value: [UInt8]) -> String {
        "{\(JSONText.quoted(name)):\(quoted(value[...], 64))}"
    }

    /// A JSON string. Bytes outside visible ASCII are written as `\xNN`, so that nothing in the log can act on a
    /// terminal or a page.
    static func quoted(_ value: ArraySlice<UInt8>, _ keptBytes: Int) -> String {
        JSONText.quoted(
            value.prefix(keptBytes).map { byte in
                (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\")
                    ? String(UnicodeScalar(byte)) : "\\x" + HexDigit.encode([byte])
            }.joined())
    }
}
