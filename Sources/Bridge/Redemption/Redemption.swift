/// A redemption whose every condition but single use holds.
struct Redemption: Sendable {
    let claims: LoginTokenClaims
    let website: Client
    let landing: Landing
    let origin: RequestOrigin
    let at: Timestamp
    /// Whether a website's server redeems, and no browser (contract §4.4).
    var isByServer = false

    /// The session to open; its id and secret are new, whatever the request brought.
    func session(random: RandomSource) -> OpenedSession {
        let secret = OpaqueSecret.make(.webSession, random: random)
        let session = WebSession(
            id: SessionID.make(at: at, random: random), secretDigest: secret.digest, subject: claims.subject,
            clientID: website.id, appClientID: claims.clientID, parentID: claims.sessionID, loginTokenID: claims.id,
            opening: .loginToken, authentication: claims.authentication, createdAt: at,
            expiresAt: at + website.sessionLifetime, idleLifetime: website.sessionIdle, lastSeenAt: at)
        return OpenedSession(session: session, secret: secret)
    }

    func event(
        _ type: AuditEventType, _ outcome: AuditEvent.Outcome, reason: String? = nil, sessionID: SessionID?,
        detail: String? = nil
    ) -> AuditEvent {
        AuditEvent(
            at: at, type: type, outcome: outcome, reason: reason, subject: claims.subject, clientID: claims.clientID,
            targetClientID: website.id, sessionID: sessionID, tokenID: claims.id, origin: origin, detail: detail)
    }

    /// What a successful redemption leaves in the audit log.
    func events(opening session: WebSession) -> [AuditEvent] {
        var events = [
            event(.loginTokenRedeemed, .success, sessionID: session.id),
            event(.webSessionOpened, .success, reason: session.opening.rawValue, sessionID: session.id),
        ]
        if let refusal = landing.refusal {
            events.append(
                event(
                    .redirectRefused, .failure, reason: refusal.reason.rawValue, sessionID: session.id,
                    detail: refusal.detail))
        }
        return events
    }
}
