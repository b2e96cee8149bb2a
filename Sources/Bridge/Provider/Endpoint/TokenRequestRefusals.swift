import OAuth2

/// Writes down the token requests that were refused. Each costs a row that stays, so a network can only cause so many:
/// counted apart from the rest are those about a token that somebody was given, which junk must not hide.
struct TokenRequestRefusals: Sendable {
    private let refusals: RefusalLog
    private let gate: LimitGate
    private let limits: LimitSettings

    init(_ refusals: RefusalLog, limiter: any RateLimiter, limits: LimitSettings) {
        self.refusals = refusals
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
    }

    /// - Parameters:
    ///   - sender: who sent it.
    ///   - owner: whose the token is that came with it, where that is known.
    func record(
        _ error: OAuthError, from sender: SendingClient, of owner: TokenOwner? = nil, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        if owner == nil {
            let decision = try await gate.take(
                limits.refusedTokenRequestKeys(origin: origin), client: sender.id, origin: origin, at: now)
            guard case .allowed = decision else { return }
        }
        try await refusals.tokenRequestRefused(error, from: sender, of: owner, origin: origin, at: now)
    }
}

extension RefusalLog {
    /// A token request that was refused; about a token that somebody was given, as often as
    /// ``record(_:about:as:from:)`` has it.
    func tokenRequestRefused(
        _ error: OAuthError, from sender: SendingClient, of owner: TokenOwner? = nil, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        let event = Self.tokenRequest(refusedWith: error, from: sender, of: owner, origin: origin, at: now)
        guard let owner else { return try await record(event) }
        try await record(event, about: owner, as: "audit.owned_token", from: origin)
    }

    private static func tokenRequest(
        refusedWith error: OAuthError, from sender: SendingClient, of owner: TokenOwner?, origin: RequestOrigin,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now, type: .tokenRequestRefused, outcome: .failure, reason: error.detail ?? error.code.rawValue,
            subject: owner?.subject, clientID: sender.id, sessionID: owner?.sessionID, tokenID: owner?.tokenID,
            origin: origin, detail: detail(from: sender, of: owner))
    }

    private static func detail(from sender: SendingClient, of owner: TokenOwner?) -> String? {
        let issuedTo = owner?.clientID == sender.id ? nil : owner?.clientID
        let members: [(name: String, value: String?)] = [
            (AuditDetail.deviceSecretID, owner?.deviceSecretID?.rawValue),
            (AuditDetail.issuedTo, issuedTo?.rawValue),
            (AuditDetail.namedClient, sender.claimedID?.rawValue),
        ]
        guard members.contains(where: { $0.value != nil }) else { return nil }
        var detail = JSONObjectWriter()
        for member in members { detail.add(member.name, member.value) }
        return detail.finishedText()
    }

    /// A token that a client may neither end nor ask about, at the neighbours of the token endpoint, which have no
    /// limit of their own: where nobody is known to own it, sixty a minute are written for each network.
    func tokenWithheld(
        _ error: OAuthError, clientID: ClientID, of owner: TokenOwner? = nil, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        guard owner == nil else {
            return try await tokenRequestRefused(error, from: .known(clientID), of: owner, origin: origin, at: now)
        }
        try await record(
            Self.tokenRequest(refusedWith: error, from: .known(clientID), of: nil, origin: origin, at: now),
            within: .network("audit.token_withheld", of: origin, perMinute: 60))
    }
}

extension LimitSettings {
    /// Token requests that are refused, per network, but for those about a token that somebody was given.
    func refusedTokenRequestKeys(origin: RequestOrigin) -> [RateLimitKey] {
        networkKey("token.network", of: origin, refusedTokenRequestPerNetwork)
    }
}
