package import OAuth2

/// Decides whether a bearer token is good and whom it names (RFC 6750).
package protocol BearerAuthenticator: Sendable {
    /// Verifies a token against the trusted issuers.
    /// - Throws: ``BearerRefusal`` when the token is not good, ``StorageError/unavailable(_:)`` when that cannot be
    ///   found out now.
    func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity
}

/// Whom a verified bearer names.
package struct BearerIdentity: Hashable, Sendable {
    /// Whom an issuer may speak for (contract §1.3).
    package enum Authority: Hashable, Sendable {
        /// This service: whoever was let in here.
        case own
        /// Its own users and sessions.
        case trusted
        /// The same, and the users of our accounts: the operator says that they are the same people.
        case trustedWithAccounts
    }

    /// With the issuer's `subject_prefix` already in front.
    package let subject: Subject
    /// The app.
    package let clientID: ClientID
    /// The issuer's `iss`.
    package let issuer: String
    package let authority: Authority
    /// The app's session at its issuer, from `sid`.
    package let sessionID: SessionID?
    /// The device that it is used on, as far as its issuer tells them apart; `nil` when it does not.
    package let deviceID: String?
    package let authentication: Authentication
    /// What it may be used for; `nil` of another issuer, whose scopes are not ours.
    package let scope: Scope?
    /// The key that must be shown with it (RFC 7800, RFC 9449 §6): whoever takes the bearer checks it with
    /// ``SenderConstraint``.
    package let proofKeyThumbprint: String?
    /// The instant from which the bearer is refused.
    package let expiresAt: Timestamp
    /// How long this answer may be kept: up to ``expiresAt``, less where the issuer must be asked again.
    package let cacheableUntil: Timestamp

    package init(
        subject: Subject, clientID: ClientID, issuer: String, authority: Authority = .trusted, sessionID: SessionID?,
        deviceID: String? = nil,
        authentication: Authentication, scope: Scope? = nil, proofKeyThumbprint: String? = nil, expiresAt: Timestamp,
        cacheableUntil: Timestamp? = nil
    ) {
        self.subject = subject
        self.clientID = clientID
        self.issuer = issuer
        self.authority = authority
        self.sessionID = sessionID
        self.deviceID = deviceID
        self.authentication = authentication
        self.scope = scope
        self.proofKeyThumbprint = proofKeyThumbprint
        self.expiresAt = expiresAt
        self.cacheableUntil = cacheableUntil ?? expiresAt
    }
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
    /// The introspection endpoint says that the token is not active.
    case inactive
    /// The token is bound to a key that the bearer has not shown.
    case senderConstrained = "sender_constrained"
    /// The token came as one that is bound to a key, and it is not.
    case notSenderConstrained = "not_sender_constrained"
    /// The token is bound to another key than the one that was shown.
    case wrongProofKey = "wrong_proof_key"
}
