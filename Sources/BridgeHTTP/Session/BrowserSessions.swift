package import Bridge
package import Hummingbird
import OAuth2

/// Whose session a browser's cookies open, whichever profile they are of (contract §6).
///
/// What a hand-off or an exchange opened at a website of another domain is known to that website's server as well. It
/// counts as a visit of the website (``visitor(of:)``), and never where the user's account, other sessions or new
/// grants are in question.
package final class BrowserSessions: Sendable {
    private let sessions: WebSessions
    private let clients: Reloadable<ClientDirectory>
    /// Verifies the access token in a cookie; `nil` where only the profile `session` is in use.
    private let accessTokens: AccessTokens?
    private let origins: OriginReader
    private let time: TimeSource

    init(
        sessions: WebSessions, clients: Reloadable<ClientDirectory>, accessTokens: AccessTokens?, origins: OriginReader,
        time: TimeSource = .system
    ) {
        self.sessions = sessions
        self.clients = clients
        self.accessTokens = accessTokens
        self.origins = origins
        self.time = time
    }

    /// The live session of a request's cookies; counts as a use of it.
    /// - Throws: ``StorageError`` when it cannot be found out.
    package func find(_ request: Request) async throws -> SignedIn? {
        try await find(request) { !origins.isKeptElsewhere($0) }
    }

    /// The same, at the website that the request came to.
    func visitor(of request: Request) async throws -> SignedIn? {
        try await find(request) { origins.admits($0, at: request) }
    }

    /// - Parameter counts: one that does not is passed over, since a browser may have cookies of several.
    private func find(_ request: Request, where counts: (WebSession) -> Bool) async throws -> SignedIn? {
        // Every request to a website passes here: no call that waits, but for the one that may have to.
        if let secret = request.sessionSecret, let session = try await sessions.lookUp(secret), counts(session) {
            return SignedIn(session: session, tokenPrefix: nil)
        }
        guard let accessTokens else { return nil }
        let now = time.now()
        for prefix in clients.current.tokenCookiePrefixes {
            guard let text = request.cookie(named: prefix + CookieTokens.accessTokenName),
                let claims = try await verified(text, accessTokens, at: now), let id = claims.sessionID,
                // A cookie brings no proof.
                claims.proofKeyThumbprint == nil,
                // Asked first: to look the session up counts as a use of it.
                try await accessTokens.isActive(claims.id, sessionID: nil, at: now),
                let session = try await sessions.lookUp(id), session.clientID == claims.clientID,
                clients.current[session.clientID]?.cookieProfile == .tokens, counts(session)
            else { continue }
            return SignedIn(session: session, tokenPrefix: prefix)
        }
        return nil
    }

    /// The live session that the cookie of the profile `session` opens; counts as a use of it.
    func opened(by request: Request) async throws -> WebSession? {
        try await opened(by: request) { !origins.isKeptElsewhere($0) }
    }

    /// The same, at the website that the request came to.
    func openedHere(by request: Request) async throws -> WebSession? {
        try await opened(by: request) { origins.admits($0, at: request) }
    }

    /// As ``opened(by:)``, and no use of it.
    func peeked(by request: Request) async throws -> WebSession? {
        guard let id = try await known(by: request)?.id, let session = try await sessions.peek(id),
            !origins.isKeptElsewhere(session)
        else { return nil }
        return session
    }

    private func opened(by request: Request, where counts: (WebSession) -> Bool) async throws -> WebSession? {
        guard let secret = request.sessionSecret, let session = try await sessions.lookUp(secret) else { return nil }
        return counts(session) ? session : nil
    }

    /// Every live session that the cookies name, at whichever website: what a sign-out ends.
    func all(of request: Request) async throws -> [SignedIn] {
        let opened = try await opened(by: request) { _ in true }
        return [opened.map { SignedIn(session: $0, tokenPrefix: nil) }].compactMap(\.self)
            + (try await tokenSessions(of: request))
    }

    /// Whether an access token is the value of a cookie that a website of another domain has seen.
    func isKeptElsewhere(_ token: AccessTokenClaims) async throws -> Bool {
        guard let session = try await session(of: token) else { return false }
        return origins.isKeptElsewhere(session)
    }

    /// The live browser's session whose cookie an access token is the value of. No use of it.
    func session(of token: AccessTokenClaims) async throws -> WebSession? {
        guard let id = token.sessionID else { return nil }
        return try await session(id)
    }

    /// The live browser's session with this id. No use of it.
    func session(_ id: SessionID) async throws -> WebSession? { try await sessions.peek(id) }

    /// The session of the cookie of the profile `session`, ended or not: whose it was.
    func known(by request: Request) async throws -> WebSession? {
        guard let secret = request.sessionSecret else { return nil }
        return try await sessions.known(secret)
    }

    /// The same, as somebody who is signed in.
    func secretSession(of request: Request) async throws -> SignedIn? {
        try await opened(by: request).map { SignedIn(session: $0, tokenPrefix: nil) }
    }

    /// Whether a web view's cookies sign somebody in at the website that the request came to. Asking is no use of the
    /// session.
    func isInWebView(_ request: Request) async throws -> Bool {
        try await tokenSessions(of: request).contains { !$0.isSpent && origins.admits($0.session, at: request) }
    }

    /// Every live session of the profile `tokens` that the cookies name, those too whose access token is spent: a page
    /// may renew it, so its user is still signed in here. No use of them.
    func tokenSessions(of request: Request) async throws -> [SignedIn] {
        guard let accessTokens else { return [] }
        let now = time.now()
        var found: [SignedIn] = []
        for prefix in clients.current.tokenCookiePrefixes {
            guard let text = request.cookie(named: prefix + CookieTokens.accessTokenName),
                let (claims, isSpent) = try await read(text, accessTokens, at: now), let id = claims.sessionID,
                claims.proofKeyThumbprint == nil,
                let session = try await sessions.peek(id), session.clientID == claims.clientID
            else { continue }
            found.append(SignedIn(session: session, tokenPrefix: prefix, isSpent: isSpent))
        }
        return found
    }

    private func verified(
        _ text: String, _ accessTokens: AccessTokens, at now: Timestamp
    ) async throws -> AccessTokenClaims? {
        do { return try await accessTokens.verify(Secret(text), at: now) } catch is BearerRefusal { return nil }
    }

    /// The claims of an access token of ours, and whether it is spent: it has run out, or was revoked (RFC 7009).
    private func read(
        _ text: String, _ accessTokens: AccessTokens, at now: Timestamp
    ) async throws -> (claims: AccessTokenClaims, isSpent: Bool)? {
        if let claims = try await verified(text, accessTokens, at: now) {
            return (claims, try await !accessTokens.isActive(claims.id, sessionID: nil, at: now))
        }
        guard let claims = accessTokens.expired(Secret(text), at: now) else { return nil }
        return (claims, true)
    }

    /// The prefix of cookies whose access token is spent while their session lives, so that a page may renew them.
    package func renewable(_ request: Request) async throws -> String? {
        guard let accessTokens else { return nil }
        let now = time.now()
        for prefix in clients.current.tokenCookiePrefixes {
            guard let text = request.cookie(named: prefix + CookieTokens.accessTokenName),
                let (claims, isSpent) = try await read(text, accessTokens, at: now), isSpent,
                let id = claims.sessionID,
                let session = try await sessions.peek(id), session.clientID == claims.clientID
            else { continue }
            return prefix
        }
        return nil
    }
}

/// A browser that has a live session, which only its cookies can show.
package struct SignedIn: Sendable {
    package let session: WebSession
    /// The prefix of the cookies that opened it; `nil` for the profile `session`.
    package let tokenPrefix: String?
    /// The access token in them has run out or was revoked. They still say whose browser this is, and a page may renew
    /// them; until then nothing is answered in their session.
    package let isSpent: Bool

    fileprivate init(session: WebSession, tokenPrefix: String?, isSpent: Bool = false) {
        self.session = session
        self.tokenPrefix = tokenPrefix
        self.isSpent = isSpent
    }
}
