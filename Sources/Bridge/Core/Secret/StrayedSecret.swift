import OAuth2

/// Finds secrets in values where none belongs, before a value is written down (contract §8).
package enum StrayedSecret {
    /// What stands for a text with a secret in it.
    package static let redacted = "<redacted>"
    /// How much of a value is looked at: many times what is kept of one, and little work however much is sent.
    private static let examinedBytes = 2048
    /// How often a value is decoded. What is sent encoded once too often hides its delimiters in letters and digits.
    private static let rounds = 3
    private static let firstOfTokens = UInt8(ascii: "e")
    private static let dot = UInt8(ascii: ".")

    /// Whether a secret of ours is in a value, or a signed token of anybody's, be it complete or not, and be the value
    /// percent-encoded. One that still is after some rounds is not looked into any further, and counts as one of these.
    static func isIn(_ value: ArraySlice<UInt8>) -> Bool {
        var bytes = Array(value.prefix(examinedBytes))
        for _ in 0..<rounds {
            if isPlain(in: bytes) { return true }
            guard let decoded = decoded(bytes) else { return false }
            bytes = decoded
        }
        return isPlain(in: bytes) || decoded(bytes) != nil
    }

    /// Whether a text begins as a signed token of anybody's does, or as what is sealed here, complete or not, but for
    /// delimiters ahead of it.
    package static func beginsSignedOrSealed(_ text: String) -> Bool {
        let bytes = Array(text.utf8.prefix(examinedBytes).drop { !ASCII.isLetterOrDigit($0) })
        return beginsToken(bytes[...]) || DatedText.isAtStart(of: bytes)
    }

    /// A text as it is written down: whole, or nothing of it. What follows a secret may belong to it, as where it was
    /// copied with a line break in it.
    package static func redacting(_ text: String) -> String { isIn(Array(text.utf8)[...]) ? redacted : text }

    private static func isPlain(in bytes: [UInt8]) -> Bool {
        bytes.indices.contains { index in
            // Events of every request bring a user agent here, in which hardly a byte begins anything.
            let byte = bytes[index]
            if byte == dot { return DatedText.isAround(dotAt: index, in: bytes) }
            guard byte == firstOfTokens || OpaqueSecret.firstOfMarks.contains(byte) else { return false }
            let rest = bytes[index...]
            return beginsToken(rest) || OpaqueSecret.isMarked(rest) && (begins(index, in: bytes) || isWhole(rest))
        }
    }

    /// Whether something begins at an index: after a letter or a digit a mark is most likely the end of a word.
    private static func begins(_ index: Int, in bytes: [UInt8]) -> Bool {
        index == 0 || !ASCII.isLetterOrDigit(bytes[index - 1])
    }

    /// Whether as much follows in one piece as a secret has, which no word does.
    private static func isWhole(_ rest: ArraySlice<UInt8>) -> Bool {
        rest.count >= OpaqueSecret.shortestLength
            && rest.prefix(OpaqueSecret.shortestLength).allSatisfy(ASCII.isBase64URL)
    }

    /// Whether compact tokens begin like that, login tokens among them: with a JSON object in base64url (RFC 7515
    /// §7.1). Twelve bytes of it tell, so that the work does not grow with what follows.
    private static func beginsToken(_ rest: ArraySlice<UInt8>) -> Bool {
        // Only `{` with a quote or white space behind it is worth decoding.
        guard rest.count >= 16, rest.first == firstOfTokens,
            [UInt8(ascii: "y"), UInt8(ascii: "w")].contains(rest[rest.startIndex + 1]),
            let text = Base64URL.decode(bytes: rest.prefix(16))
        else { return false }
        return text.first == UInt8(ascii: "{") && text.contains(UInt8(ascii: "\"")) && text.allSatisfy(isOfText)
    }

    private static func isOfText(_ byte: UInt8) -> Bool {
        ASCII.isPrintable(byte) || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
            || byte == UInt8(ascii: "\r")
    }

    /// Passes over what is not an escape, as readers of the log do.
    /// - Returns: `nil` where there is no escape.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.contains(UInt8(ascii: "%")) else { return nil }
        let output = PercentEncoding.decodeLeniently(bytes: bytes[...])
        return output.count < bytes.count ? output : nil
    }
}
