import OAuth2

/// Renews the cookies of a web session in the profile `tokens` (contract §6).
package final class SessionRefresh: Sendable {
    private let store: any DeviceStore
    private let sessions: WebSessions
    private let endings: SessionEndings
    private let clients: Reloadable<ClientDirectory>
    private let subjects: Subjects
    private let cookies: CookieTokens
    private let limit: UserLimit
    private let gate: LimitGate
    private let limits: LimitSettings
    private let refusals: RefusalLog
    private let time: TimeSource

    package init(
        store: any DeviceStore, sessions: WebSessions, endings: SessionEndings,
        clients: Reloadable<ClientDirectory>, subjects: Subjects, cookies: CookieTokens, limit: UserLimit,
        limiter: any RateLimiter, limits: LimitSettings, refusals: RefusalLog, time: TimeSource
    ) {
        self.store = store
        self.sessions = sessions
        self.endings = endings
        self.clients = clients
        self.subjects = subjects
        self.cookies = cookies
        self.limit = limit
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        self.refusals = refusals
        self.time = time
    }

    /// What the browser gets for its refresh cookie (contract §6).
    package enum Outcome: Sendable {
        case refreshed(WebSession, accessToken: Secret<String>, cookies: [TokenCookie])
        /// The page did not repeat the anti-CSRF value; nothing was touched.
        case forged
        /// Unknown, over, or stolen: the browser's cookies are good for nothing.
        /// - Parameter clientID: whose cookies they are, when that is known.
        case over(clientID: ClientID?)
    }

    /// - Parameters:
    ///   - refresh: the refresh cookie.
    ///   - proof: what the page sent as the anti-CSRF value.
    ///   - path: the route that takes the refresh cookie.
    ///   - allowance: whether this request may be answered with cookies; when not, nothing is touched.
    /// - Throws: `invalid_request` when it may not; `rate_limited` when the user's sessions were renewed too often, or
    ///   too many cookies of the network are unknown; ``StorageError`` when a store cannot decide.
    package func refresh(
        _ refresh: OpaqueSecret, proof: String?, path: String, cookies allowance: CookieAllowance, origin: RequestOrigin
    ) async throws -> Outcome {
        let now = time.now()
        if case .refused(let refusal) = allowance {
            try await refusals.sessionRefreshRefused(refusal, origin: origin, at: now)
            throw refusal.error
        }
        guard AntiCSRF.matches(proof, refresh) else {
            try await refusals.sessionRefreshRefused(.withoutProof, origin: origin, at: now)
            return .forged
        }
        guard let known = try await store.session(refreshDigest: refresh.digest) else {
            // Limits a network that tries cookies we never issued. A valid cookie is not held back by its neighbours'
            // failures.
            try await gate.pass(
                limits.unknownRefreshKeys(origin: origin), origin: origin, at: now, else: .rateLimited,
                "too many unknown refresh cookies")
            return try await over(.unknown, nil, origin: origin, at: now)
        }
        // What renews nothing moves no idle end, and takes nothing from its user's other sessions.
        guard known.isAlive(at: now) else { return try await over(.sessionEnded, known, origin: origin, at: now) }
        guard let client = clients.current[known.clientID], client.cookieProfile == .tokens else {
            return try await over(.otherProfile, known, origin: origin, at: now)
        }
        // The website has come to find the session too weak (`min_acr`).
        guard client.acceptsStrength(of: known.authentication) else {
            return try await over(.authenticationTooWeak, known, origin: origin, at: now)
        }
        guard try await !subjects.isDisabled(known.subject) else {
            return try await over(.userDisabled, known, origin: origin, at: now)
        }
        // A stolen cookie is told from a good one however little is left to take.
        let decision = try await limit.take(of: known.subject, client: known.clientID, origin: origin, at: now)
        if decision != .allowed, try await !store.isSuperseded(refreshDigest: refresh.digest) {
            try decision.check(else: .rateLimited, "too many refreshes of one user")
        }
        let successor = cookies.makeRefresh(at: now)
        switch try await store.refreshSession(
            digest: refresh.digest, to: successor.digest, at: now,
            replayed: Ending(at: now, reason: .refreshTokenReused, origin: origin, extent: .descendants))
        {
        case .refused: return try await over(.sessionEnded, known, origin: origin, at: now)
        // Its event is the end of the session.
        case .replayed(let ended):
            await endings.take(in: ended)
            return .over(clientID: known.clientID)
        case .refreshed(let session):
            sessions.remember(session)
            let made = try cookies.cookies(
                for: session, client: client, refresh: successor, refreshPath: path, at: now)
            return .refreshed(session, accessToken: made.accessToken, cookies: made.cookies)
        }
    }

    private func over(
        _ refusal: SessionRefreshRefusal, _ session: WebSession?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Outcome {
        try await refusals.sessionRefreshRefused(refusal, of: session, origin: origin, at: now)
        return .over(clientID: session?.clientID)
    }

    /// The session that a refresh cookie belongs to, in whatever state.
    package func session(of refresh: OpaqueSecret) async throws -> WebSession? {
        try await store.session(refreshDigest: refresh.digest)
    }
}

// What ends by a refresh cookie. What the browser's session took over from the one before goes on: the cookie opens
// none of that.
extension SessionRefresh {
    /// For ``TokenRevocation``: a refresh cookie, renewed since or not, ends its session (contract §5.6).
    package var revocation: TokenRevocation.OtherTokens {
        { token, client, origin, now in
            guard let cookie = OpaqueSecret(token.expose(), kind: .sessionRefresh) else { return false }
            guard let session = try await self.session(of: cookie) else { return true }
            guard session.clientID == client.id else {
                throw TokenRevocation.notYours(TokenOwner(of: session, digest: cookie.digest))
            }
            try await self.end(
                session, reason: .revoked, by: EndingAsker(client.id, in: session.id), origin: origin, at: now)
            return true
        }
    }

    /// Ends the session of a refresh cookie for a caller that shows the anti-CSRF value with it.
    /// - Returns: `false` when the cookie is unknown or its session over.
    /// - Throws: `forbidden` without that value, and then nothing was touched; ``StorageError``.
    package func signOut(_ cookie: OpaqueSecret, proof: String?, origin: RequestOrigin) async throws -> Bool {
        let now = time.now()
        guard AntiCSRF.matches(proof, cookie) else {
            try await refusals.sessionRefreshRefused(.withoutProof, origin: origin, at: now)
            throw OAuthError(.forbidden, "anti_csrf_token must repeat the anti-CSRF value")
        }
        guard let session = try await session(of: cookie), session.isAlive(at: now) else { return false }
        try await end(
            session, reason: .signedOut, by: EndingAsker(session.clientID, in: session.id), origin: origin, at: now)
        return true
    }

    private func end(
        _ session: WebSession, reason: EndReason, by asker: EndingAsker, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await endings.end(
            .webSession(session.id),
            Ending(at: now, reason: reason, origin: origin, by: asker, extent: .descendants))
    }
}

extension RefusalLog {
    /// Cookies that were not renewed for the caller; at most ten a minute for one network.
    func sessionRefreshRefused(
        _ refusal: CookieDeliveryRefusal, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await sessionRefreshRefused(reason: refusal.rawValue, of: nil, origin: origin, at: now)
    }

    /// Cookies that were not renewed because something is wrong with them; at most ten a minute for one network.
    /// - Parameter session: whose it is, when that is known.
    func sessionRefreshRefused(
        _ refusal: SessionRefreshRefusal, of session: WebSession? = nil, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await sessionRefreshRefused(reason: refusal.rawValue, of: session, origin: origin, at: now)
    }

    private func sessionRefreshRefused(
        reason: String, of session: WebSession?, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await record(
            AuditEvent(
                at: now, type: .refreshTokenRefused, outcome: .failure, reason: reason, subject: session?.subject,
                clientID: session?.clientID, sessionID: session?.id, origin: origin),
            within: .network("audit.session_refresh", of: origin, perMinute: 10))
    }
}

extension LimitSettings {
    /// Refresh cookies that were never issued, per network.
    func unknownRefreshKeys(origin: RequestOrigin) -> [RateLimitKey] {
        networkKey("refresh.network", of: origin, unknownRefreshPerNetwork)
    }
}

/// Why a refresh cookie renews nothing: the reason in the audit log.
enum SessionRefreshRefusal: String, Sendable, CaseIterable {
    /// The page did not repeat the anti-CSRF value.
    case withoutProof = "cookies_without_proof"
    /// Never given out, or forgotten since its session ended.
    case unknown = "cookies_unknown"
    case sessionEnded = "session_ended"
    /// The website has come to want a stronger sign-in.
    case authenticationTooWeak = "authentication_too_weak"
    /// The website is gone, or has cookies of another kind.
    case otherProfile = "cookies_other_profile"
    case userDisabled = "subject_disabled"
}

/// What the store says of a rotation of the refresh cookie.
package enum SessionRefreshOutcome: Hashable, Sendable {
    case refreshed(WebSession)
    /// Unknown, or its session is over.
    case refused
    /// Stolen; the session has been ended, by this call or before.
    case replayed(Ended)
}
