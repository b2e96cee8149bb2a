/// Decides whether a bearer token is good and whom it names (RFC 6750).
package protocol BearerAuthenticator: Sendable {
    /// Verifies a token against the trusted issuers.
    /// - Throws: ``BearerRefusal`` when the token is not good, ``StorageError/unavailable(_:)`` when that cannot be
    ///   found out now.
    func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity

    /// Whether an issuer would be asked about the token before it could be said to be good: that is to be bounded, see
    /// ``BearerInquiries``.
    func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool

    /// The issuer of the settings whose token it says to be, whether or not that holds: an operator who reads of a
    /// refusal has to know whom to ask. Never a text of the token's own.
    func claimedIssuer(of token: Secret<String>) -> String?
}

extension BearerAuthenticator {
    package func claimedIssuer(of token: Secret<String>) -> String? { nil }
}

/// Why a bearer was refused: for audit and log. Outside, all are `invalid_token`.
package enum BearerRefusal: String, Error, Sendable, CaseIterable {
    case malformed
    /// A token made for something else, such as a login token.
    case wrongType = "wrong_type"
    case unknownIssuer = "unknown_issuer"
    case unknownKey = "unknown_key"
    case wrongAlgorithm = "wrong_algorithm"
    case badSignature = "bad_signature"
    case wrongAudience = "wrong_audience"
    /// The issuer may not speak for the client that the token names.
    case clientOfAnotherIssuer = "client_of_another_issuer"
    /// The user that the token names is another issuer's, or of an account here.
    case subjectOfAnotherIssuer = "subject_of_another_issuer"
    /// The `sid` is the id of a session that was opened here.
    case sessionOfAnotherIssuer = "session_of_another_issuer"
    case expired
    case notYetValid = "not_yet_valid"
    /// Made for longer than the issuer's tokens may live.
    case livesTooLong = "lives_too_long"
    case missingClaim = "missing_claim"
    /// A good token, which a client got for itself: it names no user.
    case clientsOwnToken = "clients_own_token"
    /// The introspection endpoint says that the token is not active.
    case inactive
    /// The token is bound to a key that the bearer has not shown.
    case senderConstrained = "sender_constrained"
    /// The token came as one that is bound to a key, and it is not.
    case notSenderConstrained = "not_sender_constrained"
    /// The token is bound to another key than the one that was shown.
    case wrongProofKey = "wrong_proof_key"
}

/// Believes access tokens of this instance; hands every other bearer to the trusted issuers.
package struct LocalBearers: BearerAuthenticator {
    private let tokens: AccessTokens
    private let issuer: String
    private let others: any BearerAuthenticator

    package init(tokens: AccessTokens, issuer: String, others: any BearerAuthenticator) {
        self.tokens = tokens
        self.issuer = issuer
        self.others = others
    }

    package func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity {
        guard tokens.saysItIsOurs(token) else { return try await others.authenticate(token, at: now) }
        let claims = try await tokens.active(token, at: now)
        // Without a session it speaks for a client, and a client is no user (contract §3).
        guard let sessionID = claims.sessionID else {
            throw claims.subject.isOfClient ? BearerRefusal.clientsOwnToken : .missingClaim
        }
        return BearerIdentity(
            subject: claims.subject, clientID: claims.clientID, issuer: issuer, authority: .own, sessionID: sessionID,
            deviceID: try await tokens.device(of: sessionID, at: now)?.rawValue,
            authentication: claims.authentication, scope: claims.scope, proofKeyThumbprint: claims.proofKeyThumbprint,
            issuedAt: claims.issuedAt, expiresAt: claims.expiresAt, cacheableUntil: now)
    }

    package func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool {
        others.mustAskIssuer(about: token, at: now) && !tokens.saysItIsOurs(token)
    }

    package func claimedIssuer(of token: Secret<String>) -> String? {
        tokens.saysItIsOurs(token) ? issuer : others.claimedIssuer(of: token)
    }
}
