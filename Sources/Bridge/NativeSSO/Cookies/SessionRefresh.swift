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
    private let refusals: RefusalLog
    private let time: TimeSource

    package init(
        store: any DeviceStore, sessions: WebSessions, endings: SessionEndings,
        clients: Reloadable<ClientDirectory>, subjects: Subjects, cookies: CookieTokens, limit: UserLimit,
        refusals: RefusalLog, time: TimeSource = .system
    ) {
        self.store = store
        self.sessions = sessions
        self.endings = endings
        self.clients = clients
        self.subjects = subjects
        self.cookies = cookies
        self.limit = limit
        self.refusals = refusals
        self.time = time
    }

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
    ///   - flaw: why the request gets no cookies; then nothing is touched.
    /// - Throws: `invalid_request` for the flaw; `rate_limited` when the user's sessions were renewed too often;
    ///   ``StorageError`` when a store cannot decide.
    package func refresh(
        _ refresh: OpaqueSecret, proof: String?, path: String,
        withoutCookiesBecauseOf flaw: CookieDeliveryRefusal? = nil,
        origin: RequestOrigin
    ) async throws -> Outcome {
        let now = time.now()
        if let flaw {
            try await refusals.sessionRefreshRefused(flaw, origin: origin, at: now)
            throw flaw.error
        }
        guard AntiCSRF.matches(proof, refresh) else { return .forged }
        guard let known = try await store.session(refreshDigest: refresh.digest) else { return .over(clientID: nil) }
        // A session that is over renews nothing, and so takes nothing from its user's others.
        guard known.isAlive(at: now) else { return .over(clientID: known.clientID) }
        // A stolen cookie is told from a good one however little is left to take.
        if let wait = try await limit.take(of: known.subject, client: known.clientID, origin: origin, at: now),
            try await !store.isSuperseded(refreshDigest: refresh.digest)
        {
            throw OAuthError(
                .rateLimited, "too many refreshes of one user", detail: "refresh.subject",
                retryAfter: wait.roundedUpSeconds)
        }
        let successor = cookies.makeRefresh(at: now)
        switch try await store.refreshSession(
            digest: refresh.digest, to: successor.digest, at: now,
            replayed: Ending(at: now, reason: "refresh_token_reused", origin: origin))
        {
        case .refused: return .over(clientID: known.clientID)
        case .replayed(let ended):
            await endings.take(in: ended)
            return .over(clientID: known.clientID)
        case .refreshed(let session):
            guard let client = clients.current[session.clientID], client.cookieProfile == .tokens,
                try await !subjects.isDisabled(session.subject, at: now)
            else { return .over(clientID: session.clientID) }
            sessions.remember(session)
            let made = try cookies.cookies(
                for: session, client: client, refresh: successor, refreshPath: path, at: now)
            return .refreshed(session, accessToken: made.accessToken, cookies: made.cookies)
        }
    }

    /// The session that a refresh cookie belongs to, in whatever state.
    package func session(of refresh: OpaqueSecret) async throws -> WebSession? {
        try await store.session(refreshDigest: refresh.digest)
    }
}

extension RefusalLog {
    /// Cookies that were not renewed for whoever asked; at most ten a minute of one network.
    func sessionRefreshRefused(_ flaw: CookieDeliveryRefusal, origin: RequestOrigin, at now: Timestamp) async throws {
        try await record(
            AuditEvent(at: now, type: .refreshTokenRefused, outcome: .failure, reason: flaw.rawValue, origin: origin),
            within: .network("audit.session_refresh", of: origin, perMinute: 10))
    }
}

package enum SessionRefreshOutcome: Hashable, Sendable {
    case refreshed(WebSession)
    /// Unknown, or its session is over.
    case refused
    /// Stolen; the session has been ended, by this call or before.
    case replayed(Ended)
}
