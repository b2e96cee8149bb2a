import OAuth2

/// Why a bearer was refused. Outside, all are `invalid_token`, but for ``clientsOwnToken``: `unauthorized_client`.
package struct BearerRefusal: Error, Hashable, Sendable {
    /// The reason, for audit log and service log.
    package enum Reason: String, Sendable, CaseIterable {
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

    package let reason: Reason
    /// The claim that is missing or malformed, for an operator who asks (contract §13). Its name as the settings or
    /// the RFC have it: never a text of the token's own.
    package let claim: String?

    private init(_ reason: Reason, claim: String? = nil) {
        self.reason = reason
        self.claim = claim
    }

    /// A claim that the token has to have and has not.
    package static func missing(claim: String) -> Self { Self(.missingClaim, claim: claim) }
    /// A claim that is of another type, or holds what cannot stand there.
    package static func malformed(claim: String) -> Self { Self(.malformed, claim: claim) }
}

// Of the whole token.
extension BearerRefusal {
    package static let malformed = Self(.malformed)
    package static let wrongType = Self(.wrongType)
    package static let unknownIssuer = Self(.unknownIssuer)
    package static let unknownKey = Self(.unknownKey)
    package static let wrongAlgorithm = Self(.wrongAlgorithm)
    package static let badSignature = Self(.badSignature)
    package static let wrongAudience = Self(.wrongAudience)
    package static let clientOfAnotherIssuer = Self(.clientOfAnotherIssuer)
    package static let subjectOfAnotherIssuer = Self(.subjectOfAnotherIssuer)
    package static let sessionOfAnotherIssuer = Self(.sessionOfAnotherIssuer)
    package static let expired = Self(.expired)
    package static let notYetValid = Self(.notYetValid)
    package static let livesTooLong = Self(.livesTooLong)
    /// In a token of our own, whose claims only we write.
    package static let missingClaim = Self(.missingClaim)
    package static let clientsOwnToken = Self(.clientsOwnToken)
    package static let inactive = Self(.inactive)
    package static let senderConstrained = Self(.senderConstrained)
    package static let notSenderConstrained = Self(.notSenderConstrained)
    package static let wrongProofKey = Self(.wrongProofKey)
}

extension RefusalLog {
    /// A bearer that was refused; a good one as often as ``record(_:about:as:from:)`` has it.
    /// - Parameters:
    ///   - reason: a ``BearerRefusal`` or a `DPoPRefusal`, raw.
    ///   - issuer: one of the settings that the bearer says to be of; `nil` where it names none of them.
    ///   - identity: whom it names, where the bearer itself is good.
    ///   - client: the app that it names, as ``ClientDirectory/recordable(_:)`` says.
    package func bearerRefused(
        reason: String, issuer: String?, of identity: BearerIdentity?, client: ClientID?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        var detail = JSONObjectWriter()
        detail.add("issuer", issuer)
        let event = AuditEvent(
            at: now, type: .bearerRefused, outcome: .failure, reason: reason, subject: identity?.subject,
            clientID: client, sessionID: identity?.sessionID, origin: origin,
            detail: issuer == nil ? nil : detail.finishedText())
        guard let identity else { return try await record(event) }
        try await record(event, about: TokenOwner(identity), as: "audit.named_bearer", from: origin)
    }

    /// A good token of our own that was refused, as often as ``record(_:about:as:from:)`` has it.
    package func bearerRefused(
        reason: String, of owner: TokenOwner, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await record(
            AuditEvent(
                at: now, type: .bearerRefused, outcome: .failure, reason: reason, subject: owner.subject,
                clientID: owner.clientID, sessionID: owner.sessionID, tokenID: owner.tokenID, origin: origin),
            about: owner, as: "audit.owned_bearer", from: origin)
    }
}

extension LimitSettings {
    /// Keys for refused bearers that name nobody for certain: each refusal costs a signature check and an audit row, so
    /// they are counted.
    package func refusedBearerKeys(origin: RequestOrigin) -> [RateLimitKey] {
        networkKey("bearer.network", of: origin, refusedBearerPerNetwork)
    }

    /// Keys for bearers that an issuer is asked about: counted apart from ``refusedBearerKeys(origin:)``, which also
    /// count what is refused without asking.
    func bearerInquiryKeys(origin: RequestOrigin) -> [RateLimitKey] {
        networkKey("bearer.inquiry", of: origin, refusedBearerPerNetwork)
    }
}
