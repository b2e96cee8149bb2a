/// A DPoP proof (RFC 9449 §4.2): its maker holds the private key of ``keyThumbprint`` and means one request.
///
/// Reading it verifies form and signature (§4.3, checks 1 to 7). Whether it is about *this* request, and fresh, is
/// decided by ``flaw(method:targets:)`` and by a caller that knows the time.
package struct DPoPProof: Sendable {
    /// What proofs may be signed with: `dpop_signing_alg_values_supported`.
    package static let algorithms = VerificationKey.announcedAlgorithms.map(\.rawValue)
    /// The longest value of the header field.
    package static let maximumLength = 8 * 1024

    /// RFC 7638 thumbprint of the key that signed: `jkt`.
    package let keyThumbprint: String
    /// `jti`
    package let id: String
    /// `iat`, seconds.
    package let issuedAt: Double
    /// `nbf` and `exp`, which a proof need not have.
    package let notBefore: Double?
    package let expiresAt: Double?
    /// `ath`
    package let tokenHash: String?
    package let nonce: String?
    private let method: String
    private let target: String

    private static let longestID = 128

    package init(_ text: String) throws(DPoPRefusal) {
        guard text.utf8.count <= Self.maximumLength, let token = CompactJWS(text), let claims = token.claims else {
            throw .malformed
        }
        guard token.type == "dpop+jwt" else { throw .wrongType }
        guard let algorithm = token.algorithm, Self.algorithms.contains(algorithm) else { throw .wrongAlgorithm }
        guard let jwk = token.header["jwk"]?.object else { throw .unusableKey }
        guard VerificationKey.privateMembers.isDisjoint(with: jwk.keys) else { throw .privateKey }
        guard let key = VerificationKey(jwk: .object(jwk)) else { throw .unusableKey }
        guard key.verifies(token) else { throw .badSignature }
        guard let id = claims["jti"]?.string, (1...Self.longestID).contains(id.utf8.count),
            let method = claims["htm"]?.string, let target = claims["htu"]?.string,
            let issuedAt = claims["iat"]?.decimal
        else { throw .missingClaim }
        keyThumbprint = key.thumbprint
        self.id = id
        self.method = method
        self.target = target
        self.issuedAt = issuedAt
        notBefore = try Self.optional(claims["nbf"], \.decimal)
        expiresAt = try Self.optional(claims["exp"], \.decimal)
        tokenHash = try Self.optional(claims["ath"], \.string)
        nonce = try Self.optional(claims["nonce"], \.string)
    }

    /// Why the proof is not about this request; `nil` when it is (§4.3, checks 8 and 9).
    /// - Parameter targets: the addresses that the request may have been sent to.
    package func flaw(method: String, targets: [String]) -> DPoPRefusal? {
        guard self.method == method else { return .wrongMethod }
        guard let meant = HTTPTarget(target), targets.contains(where: { meant == HTTPTarget($0) }) else {
            return .wrongTarget
        }
        return nil
    }

    /// Whether `ath` is of this access token (§4.3, check 12).
    package func fits(accessToken: String) -> Bool {
        guard let tokenHash else { return false }
        return ConstantTime.equals(tokenHash.utf8, Self.hash(ofToken: accessToken).utf8)
    }

    /// `ath` of an access token (§4.2).
    package static func hash(ofToken token: String) -> String {
        SHA256Hash(of: token).base64URL
    }

    // A member of the wrong type is not the same as an absent one: guessing would skip the check on it.
    private static func optional<Value>(
        _ value: JSONValue?, _ read: (JSONValue) -> Value?
    ) throws(DPoPRefusal) -> Value? {
        guard let value else { return nil }
        guard let content = read(value) else { throw .malformed }
        return content
    }
}
