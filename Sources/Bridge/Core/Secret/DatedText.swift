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
