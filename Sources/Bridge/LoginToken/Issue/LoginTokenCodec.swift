import OAuth2

/// Writes and reads login tokens: compact JWS, `HS256`, `typ` `login+jwt` (contract §2).
///
/// Our own, because it is the hot path and accepts exactly one shape: nothing a token says chooses how it is checked.
package struct LoginTokenCodec: Sendable {
    /// A longer text is not a token of ours; checked before any work is spent on it.
    package static let maximumLength = 8192

    private let issuer: String
    private let keys: Reloadable<SecretKeyRing>
    private let inquiry: (any KeyInquiry)?

    /// - Parameters:
    ///   - issuer: the `iss` of every token, our public origin.
    ///   - inquiry: is asked about keys that `keys` does not have; `nil` where none are added.
    package init(issuer: String, keys: Reloadable<SecretKeyRing>, inquiry: (any KeyInquiry)? = nil) {
        self.issuer = issuer
        self.keys = keys
        self.inquiry = inquiry
    }

    /// A signed token and what it was made from, so that it can be made again.
    package struct Signed: Sendable {
        package let token: Secret<String>
        package let keyID: String
        package let payload: String
    }

    /// What a visitor types for a token whose website wants that.
    var typedCodes: TypedCodes { TypedCodes(keys: keys) }

    func signingKeyID(at now: Timestamp) -> String? { keys.current.signingKeyID(at: now) }

    /// - Returns: `nil` when no key may sign at `now`.
    package func sign(_ claims: LoginTokenClaims, at now: Timestamp) -> Signed? {
        guard let keyID = signingKeyID(at: now) else { return nil }
        return sign(payload: LoginTokenPayload.encode(claims), keyID: keyID, at: now)
    }

    /// Signs a payload again, as it stands: with the key that signed it, or where that has been retired with the one
    /// that signs now.
    package func sign(again payload: String, keyID: String, at now: Timestamp) async throws -> Signed? {
        if keys.current.header(ofKey: keyID) == nil { try await inquiry?.learn(keyID) }
        if let signed = sign(payload: payload, keyID: keyID, at: now) { return signed }
        return keys.current.signingKeyID(at: now).flatMap { sign(payload: payload, keyID: $0, at: now) }
    }

    /// Signs a payload as it stands.
    /// - Returns: `nil` when the key is unknown or retired.
    func sign(payload: String, keyID: String, at now: Timestamp) -> Signed? {
        let ring = keys.current
        guard let header = ring.header(ofKey: keyID) else { return nil }
        let message = header + "." + Base64URL.encode(Array(payload.utf8))
        guard let code = ring.authenticationCode(for: Array(message.utf8), keyID: keyID, at: now) else { return nil }
        return Signed(token: Secret(message + "." + Base64URL.encode(code)), keyID: keyID, payload: payload)
    }

    /// Verifies a token's form, signature, issuer and life. Changes nothing.
    /// - Throws: ``StorageError`` when the token names a key that this node does not have and the database cannot say
    ///   whether there is one.
    package func verify(_ token: Secret<String>, at now: Timestamp) async throws -> LoginTokenVerification {
        let text = Array(token.expose().utf8)
        guard text.count <= Self.maximumLength else { return .refused(.malformed) }
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(bytes: parts[1]),
            let signature = Base64URL.decode(bytes: parts[2])
        else { return .refused(.malformed) }
        let keyID: String
        if let known = keys.current.keyID(ofHeader: Array(parts[0])) {
            keyID = known
        } else {
            guard let bytes = Base64URL.decode(bytes: parts[0]), let header = LoginTokenHeader(bytes) else {
                return .refused(.malformed)
            }
            // Before the key is looked up: a token never chooses the algorithm it is checked by (RFC 8725 §3.1).
            guard header.algorithm == "HS256", header.type == LoginTokenHeader.tokenType else {
                return .refused(.wrongAlgorithm)
            }
            keyID = header.keyID
            if keys.current.header(ofKey: keyID) == nil { try await inquiry?.learn(keyID) }
        }
        let ring = keys.current
        let message = Array(text[..<parts[1].endIndex])
        guard let code = ring.authenticationCode(for: message, keyID: keyID, at: now) else {
            return .refused(.unknownKey)
        }
        guard ConstantTime.equals(bytes: code, signature) else { return .refused(.badSignature) }
        guard let claims = LoginTokenPayload.decode(payload) else { return .refused(.malformed) }
        guard claims.issuer == issuer else { return .refused(.wrongIssuer) }
        guard claims.expiresAt <= claims.issuedAt + LoginTokenSettings.maximumLifetime else {
            return .refused(.malformed)
        }
        // No leeway: the server's clock alone decides (contract §2).
        return now < claims.expiresAt ? .verified(claims) : .expired(claims)
    }
}

/// What a text that was presented as a login token is (contract §2).
package enum LoginTokenVerification: Hashable, Sendable {
    case verified(LoginTokenClaims)
    /// Ours, but too old. The claims serve the audit log.
    case expired(LoginTokenClaims)
    case refused(LoginTokenRefusal)

    /// What a token of ours says, and whether it is too old.
    package func read() throws(LoginTokenRefusal) -> (claims: LoginTokenClaims, isExpired: Bool) {
        switch self {
        case .verified(let claims): (claims, false)
        case .expired(let claims): (claims, true)
        case .refused(let refusal): throw refusal
        }
    }
}

/// Why a text is not one of our tokens: for audit and metrics.
package enum LoginTokenRefusal: String, Error, Sendable, CaseIterable {
    case malformed
    case wrongAlgorithm = "wrong_algorithm"
    case unknownKey = "unknown_key"
    case badSignature = "bad_signature"
    case wrongIssuer = "wrong_issuer"
}
