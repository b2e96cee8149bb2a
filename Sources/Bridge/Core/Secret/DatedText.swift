import OAuth2

/// `<expiry>.<kid>.<bytes>`: how something that a derived key made, and that goes stale by itself, is written.
///
/// ``FormTokens``, ``ShortLivedSeal`` and ``DPoPNonces`` agree on this and on nothing else: what the bytes are is theirs.
struct DatedText {
    let expiresAt: Timestamp
    let keyID: String
    let bytes: [UInt8]

    /// - Parameter expiresAt: counts in whole seconds.
    init(expiresAt: Timestamp, keyID: String, bytes: [UInt8]) {
        self.expiresAt = expiresAt
        self.keyID = keyID
        self.bytes = bytes
    }

    /// - Returns: `nil` for any text but the one spelling of each.
    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let expiry = Int64(parts[0]), String(expiry) == parts[0],
            let keyID = Base64URL.decode(parts[1]).flatMap({ String(validating: $0, as: UTF8.self) }),
            let bytes = Base64URL.decode(parts[2])
        else { return nil }
        self.init(expiresAt: Timestamp(seconds: expiry), keyID: keyID, bytes: bytes)
        // Beyond what an instant holds, many texts would mean the last one.
        guard expiresAt.seconds == expiry else { return nil }
    }

    var text: String {
        "\(expiresAt.seconds).\(Base64URL.encode(Array(keyID.utf8))).\(Base64URL.encode(bytes))"
    }
}

extension DatedText {
    /// Digits of a time of our days in seconds, as of every one until the year 2286.
    private static let digits = 10
    /// Far less than any has, for one that was cut off; too much for the number of a version.
    private static let telling = 24

    /// Whether a dot in a longer text is the first one of such a text, complete or not: it has no mark that could be
    /// looked for, and what stands ahead of it there may be anything.
    static func isAround(dotAt index: Int, in bytes: [UInt8]) -> Bool {
        guard index >= digits, bytes[index - digits..<index].allSatisfy(ASCII.isDigit) else { return false }
        let rest = bytes[(index + 1)...]
        let keyID = rest.prefix(while: ASCII.isBase64URL)
        let sealed = rest.dropFirst(keyID.count + 1).prefix(telling)
        return !keyID.isEmpty && rest.dropFirst(keyID.count).first == UInt8(ascii: ".")
            && sealed.count == telling && sealed.allSatisfy(ASCII.isBase64URL)
    }

    /// Whether a text begins with such a text, complete or not.
    static func isAtStart(of bytes: [UInt8]) -> Bool {
        bytes.firstIndex(of: UInt8(ascii: ".")) == digits && isAround(dotAt: digits, in: bytes)
    }
}
