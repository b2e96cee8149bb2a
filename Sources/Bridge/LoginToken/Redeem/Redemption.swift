/// A redemption whose every condition but single use holds.
struct Redemption: Sendable {
    let claims: LoginTokenClaims
    /// The session that the token was issued from.
    let issuing: IssuingSession
    let website: Client
    let landing: Landing
    let origin: RequestOrigin
    let at: Timestamp
    /// Whether a website's server redeems, and no browser (contract §4.4).
    var isByServer = false
    /// An earlier attempt of this browser that may have been made.
    var retry: RedemptionRetry?

    /// What the session to open goes back to, and until when it can last.
    var lineage: Lineage {
        .redeeming(claims, issuedFrom: issuing, at: at, lifetime: website.sessionLifetime)
    }

    /// The session to open; its id and secret are new, or those of an attempt of ours that could not be confirmed.
    func session(random: RandomSource) -> OpenedSession {
        let secret = retry?.secret ?? OpaqueSecret.make(.webSession, at: at, random: random)
        let session = WebSession(
            id: retry?.sessionID ?? SessionID.make(at: at, random: random), secretDigest: secret.digest,
            lineage: lineage, clientID: website.id, appClientID: claims.clientID, loginTokenID: claims.id,
            createdAt: at, idleLifetime: website.sessionIdle, lastSeenAt: at,
            wantsLogoutNotice: isByServer && website.backchannelLogoutURI != nil)
        var opened = OpenedSession(session: session, secret: secret)
        if website.cookieProfile == .tokens, !isByServer {
            opened.refresh = retry?.refresh ?? .make(.sessionRefresh, at: at, random: random)
        }
        return opened
    }

    /// The sessions of the same user whose cookies the new one's overwrite.
    func replaced(of held: [WebSession], current: WebSession?) -> [WebSession] {
        let same = held.filter { $0.subject == claims.subject }
        return website.cookieProfile == .tokens
            ? same.filter { $0.id != current?.id && $0.clientID == website.id } : same.filter { $0.id == current?.id }
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
            event(
                .webSessionOpened, .success, reason: session.opening.rawValue, sessionID: session.id,
                detail: AuditDetail.opening(under: session.parentID)),
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

extension Lineage {
    /// A browser's session that a login token opens.
    /// - Parameter issuing: the session that the token was issued from.
    package static func redeeming(
        _ claims: LoginTokenClaims, issuedFrom issuing: IssuingSession, at now: Timestamp, lifetime: Duration
    ) -> Lineage {
        .handedOver(
            to: claims.subject, claims.authentication, session: claims.sessionID, issuedFrom: issuing, at: now,
            lifetime: lifetime)
    }
}
