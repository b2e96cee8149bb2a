import OAuth2

/// Finds secrets in values where none belongs, before a value is written down (contract §8).
enum StrayedSecret {
    /// Whether a secret of ours is in a value, or a signed token of anybody's, be it complete or not.
    static func isIn(_ value: ArraySlice<UInt8>) -> Bool {
        // In one word of `.`, `-`, `_`, letters and digits, wherever that stands.
        value.split { !ASCII.isNameByte($0) }.contains { word in
            OpaqueSecret.isMarked(String(decoding: word, as: UTF8.self)) || isToken(word)
        }
    }

    /// Whether a word begins as compact tokens do, login tokens among them: with a JSON object in base64url
    /// (RFC 7515 §7.1). Names with dots in them do not.
    private static func isToken(_ word: ArraySlice<UInt8>) -> Bool {
        let header = word.prefix { $0 != UInt8(ascii: ".") }
        guard header.count < word.count, let text = Base64URL.decode(bytes: header) else { return false }
        return JSONValue.parse(bytes: text)?.object != nil
    }
}
