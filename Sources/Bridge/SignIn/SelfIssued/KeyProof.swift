import OAuth2

/// What a phone signs so that an app may link its key: `aud`, `nonce`, `iat` and `sub_jwk`, under that very key
/// (docs/self-issued.md). It is no ID token, and no ID token is one: neither passes for the other.
struct KeyProof: Sendable {
    /// Seconds that the phone's clock may be off.
    private static let tolerance = 60.0

    /// RFC 7638, SHA-256.
    let thumbprint: String
    let algorithm: String
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
        guard key.signed(token) else { throw .signatureInvalid }
        guard let named = claims["aud"]?.string, named.hasSameBytes(as: audience) else {
            throw .audienceMismatch
        }
        guard let issued = claims["iat"]?.decimal else { throw .malformed }
        let seconds = Double(now.milliseconds) / 1000
        let age = Double(KeyRegistration.lifetime.components.seconds) + Self.tolerance
        guard issued >= seconds - age, issued <= seconds + Self.tolerance else { throw .issuedOutOfRange }
        guard let nonce = claims["nonce"]?.string, !nonce.isEmpty else { throw .nonceMissing }
        thumbprint = key.thumbprint
        algorithm = name
        self.nonce = nonce
    }
}
