import OAuth2

/// Another issuer's signed token (RFC 7515 §7.1), taken apart and not verified. Its length is the caller's to limit.
///
/// Read more strictly than a token of ours, since its header says more of how it is to be treated than ours do.
struct ForeignToken: Sendable {
    let algorithm: String
    let claims: [String: JSONValue]
    private let jws: CompactJWS

    /// - Returns: `nil` unless there are exactly three canonical base64url parts, the first two of them JSON objects,
    ///   and the header names an algorithm.
    init?(_ token: String) {
        guard
            let jws = CompactJWS(token, maximumLength: .max, headerDepth: 8, refusesExtensions: false),
            let algorithm = jws.algorithm, let claims = jws.claims
        else { return nil }
        // A member of the wrong type is not the same as an absent one: guessing would skip the check on it.
        if let value = jws.header["kid"], value.string == nil { return nil }
        if let value = jws.header["typ"], value.string == nil { return nil }
        self.algorithm = algorithm
        self.claims = claims
        self.jws = jws
    }

    /// Whether a text has the form of an encrypted token, which begins as a signed one does: five parts (RFC 7516
    /// §7.1), and a header with `enc` (§4.1.2), which nothing has that we make.
    static func isEncrypted(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, let header = Base64URL.decode(parts[0]) else { return false }
        return JSONValue.parse(bytes: header, depth: 8)?.object?["enc"]?.string != nil
    }

    var keyID: String? { jws.keyID }
    var type: String? { jws.type }

    /// Whether the header lists extensions that must be understood (RFC 7515 §4.1.11). `b64: false` changes what is
    /// signed (RFC 7797), and is only legal together with `crit`.
    var hasCriticalExtensions: Bool { jws.header["crit"] != nil || jws.header["b64"] != nil }

    func isSigned(with key: IssuerKey, by algorithm: SignatureAlgorithm) -> Bool {
        key.isValid(jws.signature, for: jws.message, by: algorithm)
    }
}
