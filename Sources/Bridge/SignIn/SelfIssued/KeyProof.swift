import OAuth2

/// What a phone signs so that an app may link its key: `aud`, `nonce`, `iat` and `sub_jwk`, under that very key
/// (docs/self-issued.md). It is not an ID token, and no ID token is one: neither passes for the other. `exp`, `nbf` and
/// the header's `jwk` need not be there, and hold where they are.
struct KeyProof: Sendable {
    /// RFC 7638, SHA-256.
    let thumbprint: String
    let algorithm: SignatureAlgorithm
    let nonce: String

    /// - Parameter audience: where it is brought to.
    init(_ text: String, audience: String, at now: Timestamp) throws(SelfIssuedRefusal.Reason) {
        guard let token = CompactJWS(text), let claims = token.claims, let name = token.algorithm else {
            throw .malformed
        }
        // A website that a phone signs in at must not be able to bring what it got to us.
        guard claims["iss"] == nil, claims["sub"] == nil, claims["user_id"] == nil else { throw .notKeyProof }
        guard SelfIssuedKey.algorithms.contains(where: { $0.rawValue == name }) else { throw .algorithmNotAllowed }
        let key = try SelfIssuedKey(jwk: claims["sub_jwk"] ?? .null)
        guard name == key.algorithm.rawValue else { throw .algorithmNotAllowed }
        if let other = token.header["jwk"], try SelfIssuedKey(jwk: other).thumbprint != key.thumbprint {
            throw .subjectMismatch
        }
        guard key.signed(token) else { throw .signatureInvalid }
        guard let named = claims["aud"]?.string, named.hasSameBytes(as: audience) else {
            throw .audienceMismatch
        }
        try Self.checkTimes(of: claims, at: now)
        guard let nonce = claims["nonce"]?.string, !nonce.isEmpty else { throw .nonceMissing }
        thumbprint = key.thumbprint
        algorithm = key.algorithm
        self.nonce = nonce
    }

    private static func checkTimes(
        of claims: [String: JSONValue], at now: Timestamp
    ) throws(SelfIssuedRefusal.Reason) {
        let end = claims["exp"].flatMap(Timestamp.init(nearest:))
        let start = claims["nbf"].flatMap(Timestamp.init(nearest:))
        guard let issued = claims["iat"].flatMap(Timestamp.init(nearest:)), claims["exp"] == nil || end != nil,
            claims["nbf"] == nil || start != nil
        else { throw .malformed }
        let tolerance = SelfIssuedToken.tolerance
        if let end, now >= end + tolerance { throw .expired }
        guard issued >= now - KeyRegistration.lifetime - tolerance, issued <= now + tolerance,
            (start ?? issued) <= now + tolerance
        else { throw .issuedOutOfRange }
    }
}
