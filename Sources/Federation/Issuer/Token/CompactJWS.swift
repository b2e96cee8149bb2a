import OAuth2

/// A signed token in its compact form (RFC 7515 §7.1), taken apart and not verified.
struct CompactJWS: Sendable {
    let algorithm: String
    let keyID: String?
    /// `typ` in lower case without the `application/` that may stand before it (RFC 7515 §4.1.9).
    let type: String?
    /// Whether the header lists extensions that must be understood (RFC 7515 §4.1.11).
    let hasCriticalExtensions: Bool
    let claims: [String: JSONValue]
    /// The first two parts with their dot: what the signature covers.
    let signingInput: [UInt8]
    let signature: [UInt8]

    /// - Returns: `nil` unless there are exactly three canonical base64url parts, the first two of them JSON objects.
    init?(_ token: String) {
        let bytes = Array(token.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let headerBytes = Base64URL.decode(bytes: parts[0]),
            let header = JSONValue.parse(headerBytes, depth: 8)?.object,
            let algorithm = header["alg"]?.string,
            let claimsBytes = Base64URL.decode(bytes: parts[1]),
            let claims = JSONValue.parse(claimsBytes)?.object,
            let signature = Base64URL.decode(bytes: parts[2])
        else { return nil }
        // A member of the wrong type is not the same as an absent one: guessing would skip the check on it.
        if let value = header["kid"], value.string == nil { return nil }
        if let value = header["typ"], value.string == nil { return nil }
        self.algorithm = algorithm
        keyID = header["kid"]?.string
        type = header["typ"]?.string.map(Self.normalized(type:))
        // `b64: false` changes what is signed (RFC 7797) and is only legal together with `crit`.
        hasCriticalExtensions = header["crit"] != nil || header["b64"] != nil
        self.claims = claims
        signingInput = Array(bytes[..<parts[1].endIndex])
        self.signature = signature
    }

    private static func normalized(type: String) -> String {
        let type = type.lowercased()
        return type.hasPrefix("application/") ? String(type.dropFirst("application/".count)) : type
    }
}
