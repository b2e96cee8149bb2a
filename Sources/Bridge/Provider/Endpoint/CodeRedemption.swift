import OAuth2

/// What the grants that redeem a code have in common, whoever brought it: an app's browser, or a device's user.
struct CodeRedemption: Sendable {
    let codes: any GrantStore
    let browsers: any SessionStore
    let endings: SessionEndings
    let refreshTokens: RefreshTokens
    let tokens: SessionTokens
    let refusals: RefusalLog
    let random: RandomSource

    /// The session that the code was granted in, as strong as it was then; `nil` once that is over, or has lain unused
    /// for too long.
    func browser(of state: AuthorizationCodeState, at now: Timestamp) async throws -> WebSession? {
        guard let browser = try await browsers.session(id: state.grantedIn) else { return nil }
        // Where another took its place, the code went on with that one; where not, an end took the code with it.
        let end = browser.endedAt == nil ? browser.idleExpiresAt : browser.expiresAt
        return now < end ? browser.asGranted(with: state.code.grant.authentication) : nil
    }

    /// What a code that is redeemed would open, and whether it did.
    struct Opening {
        let session: AppSession
        let refreshToken: OpaqueSecret?
        let outcome: AuthorizationCodeRedeemOutcome
    }

    /// Opens the code's session. Its first refresh token is bound to the key of a client that has no other proof.
    /// - Parameters:
    ///   - type: the event that says so.
    ///   - hasRefreshToken: whether it gets one.
    func open(
        _ state: AuthorizationCodeState, _ request: TokenRequest, lineage: Lineage,
        requestedClaims: RequestedClaims = .none, as type: AuditEventType, hasRefreshToken: Bool
    ) async throws -> Opening {
        let client = request.client
        let session = AppSession(
            id: SessionID.make(at: request.at, random: random), lineage: lineage, clientID: client.id,
            browserSessionID: state.code.grant.browserSessionID, requestedClaims: requestedClaims,
            wantsLogoutNotice: client.backchannelLogoutURI != nil, createdAt: request.at)
        let refreshToken = hasRefreshToken ? refreshTokens.make(at: request.at) : nil
        let record = refreshToken.map {
            refreshTokens.record(
                $0, for: session, scope: session.scope,
                proofKeyThumbprint: client.isPublic ? request.proofKeyThumbprint : nil, at: request.at)
        }
        let outcome = try await codes.redeemOnce(
            digest: state.code.digest, opening: session, refreshToken: record, at: request.at,
            events: [
                // Of the code: about the session that it was granted in, as its issue is, so that a search by that one
                // finds what came of it.
                event(type, state, request, of: state.grantedIn, [AuditDetail.opened: session.id]),
                event(.appSessionOpened, state, request, of: session.id, [AuditDetail.parent: state.grantedIn]),
            ])
        return Opening(session: session, refreshToken: refreshToken, outcome: outcome)
    }

    /// One of the two who used the code stole it, and it cannot be told which: what it opened ends (RFC 6749 §4.1.2).
    func endReused(
        _ state: AuthorizationCodeState, _ request: TokenRequest, as type: AuditEventType, reason: EndReason
    ) async throws {
        let reuse = event(type, state, request, reason: reason.rawValue)
        let isAdmitted = try await refusals.admits(reuse, within: [.repeats(of: state.code.digest)])
        let ended = try await codes.recordCodeReuse(
            digest: state.code.digest, reuse: reuse,
            ending: Ending(at: request.at, reason: reason, origin: request.origin, extent: .stolen),
            alwaysTells: isAdmitted)
        if ended.isEmpty, !isAdmitted { refusals.countLeftOut(reuse) }
        await endings.take(in: ended)
    }

    /// - Parameters:
    ///   - sessionID: the session that it is about.
    ///   - other: the session at the other end of the code, by what it is to that one.
    func event(
        _ type: AuditEventType, _ state: AuthorizationCodeState, _ request: TokenRequest, reason: String? = nil,
        of sessionID: SessionID? = nil, _ other: KeyValuePairs<String, SessionID> = [:]
    ) -> AuditEvent {
        var detail = JSONObjectWriter()
        detail.add(AuditDetail.codeID, IssuedAuthorizationCode.publicName(state.code.digest))
        for (name, id) in other { detail.add(name, id.rawValue) }
        return AuditEvent(
            at: request.at, type: type, outcome: reason == nil ? .success : .failure, reason: reason,
            subject: state.code.grant.subject, clientID: request.client.id, sessionID: sessionID,
            origin: request.origin, detail: detail.finishedText())
    }
}
