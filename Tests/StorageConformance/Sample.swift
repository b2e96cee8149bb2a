import Bridge

/// Values to fill a store with.
enum Sample {
    static let now = Timestamp(milliseconds: 1_763_708_400_123)

    static func token(
        _ id: String, subject: Subject = "alice", client: ClientID = "app", issuedIn session: SessionID? = nil,
        issuedAt: Timestamp = now, lifetime: Duration = .seconds(60)
    ) -> IssuedLoginToken {
        IssuedLoginToken(
            id: TokenID(rawValue: id), subject: subject, clientID: client, issuedAt: issuedAt,
            expiresAt: issuedAt + lifetime, sessionID: session)
    }

    /// A session with ids that follow from `name`.
    static func session(
        _ name: String, token: TokenID? = nil, subject: Subject = "alice", at: Timestamp = now,
        lifetime: Duration = .seconds(3600), parent: SessionID? = nil
    ) -> WebSession {
        WebSession(
            id: SessionID(rawValue: "session-\(name)"), secretDigest: "digest-\(name)", subject: subject,
            clientID: "web", appClientID: "app", parentID: parent, loginTokenID: token, opening: .loginToken,
            authentication: Authentication(), createdAt: at, expiresAt: at + lifetime, idleLifetime: .seconds(600),
            lastSeenAt: at)
    }

    /// A session that a portal's session opened on another website.
    static func handOff(_ name: String, from portal: SessionID) -> WebSession {
        WebSession(
            id: SessionID(rawValue: "session-\(name)"), secretDigest: "digest-\(name)", subject: "alice",
            clientID: "other", appClientID: "web", parentID: portal, loginTokenID: TokenID(rawValue: name),
            opening: .handOff, authentication: Authentication(), createdAt: now, expiresAt: now + .seconds(3600),
            idleLifetime: .seconds(600), lastSeenAt: now)
    }

    static func use(_ session: WebSession, at: Timestamp = now) -> LoginTokenUse {
        LoginTokenUse(at: at, sessionID: session.id, address: "192.0.2.1", userAgentDigest: "agent")
    }

    static func event(
        _ type: AuditEventType, at: Timestamp = now, outcome: AuditEvent.Outcome = .success, reason: String? = nil
    ) -> AuditEvent {
        AuditEvent(at: at, type: type, outcome: outcome, reason: reason)
    }

    static func record(key: String, fingerprint: String = "f", token: IssuedLoginToken) -> IdempotencyRecord {
        IdempotencyRecord(
            keyDigest: key, fingerprint: fingerprint, tokenID: token.id, keyID: "k1", payload: #"{"sub":"Zoë"}"#,
            expiresAt: token.expiresAt)
    }
}

extension LoginTokenStore {
    /// Redeems `token` for a session that is named after it and `suffix`.
    func redeemSample(
        _ token: IssuedLoginToken, suffix: String = "", at: Timestamp = Sample.now,
        replacing replaced: ReplacedSession...
    ) async throws -> LoginTokenRedeemOutcome {
        let session = Sample.session(token.id.rawValue + suffix, token: token.id, subject: token.subject, at: at)
        return try await redeem(
            token, opening: session, use: Sample.use(session, at: at), replacing: replaced,
            events: [Sample.event(.loginTokenRedeemed, at: at), Sample.event(.webSessionOpened, at: at)])
    }
}

extension AuditLog {
    /// Every event of a type, over all nodes.
    func events(_ type: AuditEventType) async throws -> [AuditEvent] {
        var filter = AuditFilter()
        filter.type = type
        return try await search(filter, before: nil, limit: 500).records.map(\.event)
    }
}
