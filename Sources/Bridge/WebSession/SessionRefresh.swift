import OAuth2

/// Renews the cookies of a web session in the profile `tokens` (contract §6).
package struct SessionRefresh: Sendable {
    private let store: any SessionRefreshStore
    private let sessions: WebSessions
    private let endings: SessionEndings
    private let clients: Reloadable<ClientDirectory>
    private let subjects: Subjects
    private let cookies: CookieTokens
    private let limit: UserLimit
    private let time: TimeSource

    package init(
        store: any SessionRefreshStore, sessions: WebSessions, endings: SessionEndings,
        clients: Reloadable<ClientDirectory>, subjects: Subjects, cookies: CookieTokens, limit: UserLimit,
        time: TimeSource = .system
    ) {
        self.store = store
        self.sessions = sessions
        self.endings = endings
        self.clients = clients
        self.subjects = subjects
        self.cookies = cookies
        self.limit = limit
        self.time = time
    }

    package enum Outcome: Sendable {
        case refreshed(WebSession, accessToken: Secret<String>, cookies: [TokenCookie])
        /// The page did not repeat the anti-CSRF value; nothing was touched.
        case forged
        /// Unknown, over, or stolen: the browser's cookies are good for nothing.
        case over
    }

    /// - Parameters:
    ///   - refresh: the refresh cookie.
    ///   - proof: what the page sent as the anti-CSRF value.
    ///   - path: the route that takes the refresh cookie.
    /// - Throws: `rate_limited` when the user's sessions were renewed too often; ``StorageError`` when a store cannot
    ///   decide.
    package func refresh(
        _ refresh: OpaqueSecret, proof: String?, path: String, origin: RequestOrigin
    ) async throws -> Outcome {
        guard AntiCSRF.matches(proof, refresh) else { return .forged }
        let now = time.now()
        guard let known = try await store.session(refreshDigest: refresh.digest) else { return .over }
        if let wait = try await limit.take(of: known.subject, client: known.clientID, origin: origin, at: now) {
            throw OAuthError(
                .rateLimited, "Too many refreshes of one user.", detail: "refresh.subject",
                retryAfter: wait.roundedUpSeconds)
        }
        let successor = cookies.makeRefresh()
        switch try await store.refreshSession(
            digest: refresh.digest, to: successor.digest, at: now,
            replayed: Ending(at: now, reason: "refresh_token_reused", origin: origin))
        {
        case .refused: return .over
        case .replayed(let ended):
            await endings.take(in: ended)
            return .over
        case .refreshed(let session):
            guard let client = clients.current[session.clientID], client.cookieProfile == .tokens,
                try await !subjects.isDisabled(session.subject, at: now)
            else { return .over }
            sessions.remember(session)
            let made = try cookies.cookies(
                for: session, client: client, refresh: successor, refreshPath: path, at: now)
            return .refreshed(session, accessToken: made.accessToken, cookies: made.cookies)
        }
    }

    /// The session that a refresh cookie belongs to, for signing out.
    package func session(of refresh: OpaqueSecret) async throws -> WebSession? {
        try await store.session(refreshDigest: refresh.digest)
    }
}
