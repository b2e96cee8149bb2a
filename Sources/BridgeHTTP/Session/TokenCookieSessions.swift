import Bridge
import Hummingbird
import OAuth2

/// What the cookies of the profile `tokens` open: an access token of ours names the session (contract §6).
///
/// A browser may have cookies of several clients, told apart by the prefixes of their names.
final class TokenCookieSessions: Sendable {
    private let sessions: WebSessions
    private let clients: Reloadable<ClientDirectory>
    private let accessTokens: AccessTokens
    private let origins: OriginReader
    private let time: TimeSource

    init(
        sessions: WebSessions, clients: Reloadable<ClientDirectory>, accessTokens: AccessTokens, origins: OriginReader,
        time: TimeSource
    ) {
        self.sessions = sessions
        self.clients = clients
        self.accessTokens = accessTokens
        self.origins = origins
        self.time = time
    }

    /// One session whose access token lets its visitor in; every session that is looked up counts as used.
    /// - Parameters:
    ///   - subject: whose it has to be; `nil` for whoever's comes first.
    ///   - counts: one that does not is passed over.
    ///   - isPreferred: one that is goes before another of the same user.
    func find(
        _ request: Request, of subject: Subject?, where counts: (WebSession) -> Bool,
        preferring isPreferred: (WebSession) -> Bool
    ) async throws -> TokenCookieSession? {
        var first: TokenCookieSession?
        let now = time.now()
        for prefix in clients.current.tokenCookiePrefixes {
            guard let text = request.cookie(named: prefix + CookieTokens.accessTokenName),
                let claims = try await verified(text, at: now), let id = claims.sessionID,
                isCookie(claims, at: request),
                // Asked first: to look the session up counts as a use of it.
                try await accessTokens.isActive(claims.id, sessionID: nil, at: now),
                let session = try await sessions.lookUp(id), session.clientID == claims.clientID,
                clients.current[session.clientID]?.cookieProfile == .tokens, counts(session),
                (first?.session.subject ?? subject).map({ $0 == session.subject }) ?? true
            else { continue }
            let found = TokenCookieSession(
                session: session, prefix: prefix, tokenEnd: claims.expiresAt, isSpent: false)
            if isPreferred(session) { return found }
            first = first ?? found
        }
        return first
    }

    /// Every live one that the cookies name, those too whose access token is spent. No use of them.
    func alive(of request: Request) async throws -> [TokenCookieSession] {
        try await all(of: request) { try await sessions.peek($0) }
    }

    /// Every one that the cookies name, ended or not. No use of them.
    func evenIfEnded(of request: Request) async throws -> [TokenCookieSession] {
        try await all(of: request) { try await sessions.known($0) }
    }

    private func all(
        of request: Request, finding find: (SessionID) async throws -> WebSession?
    ) async throws -> [TokenCookieSession] {
        let now = time.now()
        var found: [TokenCookieSession] = []
        for prefix in clients.current.tokenCookiePrefixes {
            guard let text = request.cookie(named: prefix + CookieTokens.accessTokenName),
                let (claims, isSpent) = try await read(text, at: now), let id = claims.sessionID,
                isCookie(claims, at: request),
                let session = try await find(id), session.clientID == claims.clientID
            else { continue }
            found.append(
                TokenCookieSession(session: session, prefix: prefix, tokenEnd: claims.expiresAt, isSpent: isSpent))
        }
        return found
    }

    private func isCookie(_ claims: AccessTokenClaims, at request: Request) -> Bool {
        // A cookie brings no proof.
        guard claims.proofKeyThumbprint == nil else { return false }
        return claims.isForCookie || origins.takesServersToken(of: claims.clientID, at: request)
    }

    private func verified(_ text: String, at now: Timestamp) async throws -> AccessTokenClaims? {
        do { return try await accessTokens.verify(Secret(text), at: now) } catch is BearerRefusal { return nil }
    }

    /// The claims of an access token of ours, and whether it is spent: it has run out, or was revoked (RFC 7009).
    private func read(_ text: String, at now: Timestamp) async throws -> (claims: AccessTokenClaims, isSpent: Bool)? {
        if let claims = try await verified(text, at: now) {
            return (claims, try await !accessTokens.isActive(claims.id, sessionID: nil, at: now))
        }
        guard let claims = accessTokens.expired(Secret(text), at: now) else { return nil }
        return (claims, true)
    }

    /// What a page has to repeat to renew cookies (``BrowserSessions/antiCSRFValue(of:for:)``).
    func antiCSRFValue(of request: Request, for visitor: SignedIn?) async throws -> String? {
        let directory = clients.current
        let values: [String: String] = directory.tokenCookiePrefixes.reduce(into: [:]) { values, prefix in
            values[prefix] = request.cookie(named: prefix + CookieTokens.antiCSRFName)
        }
        guard !values.isEmpty else { return nil }
        // Nearly every visitor has cookies of one prefix: nothing need be looked up.
        if values.count == 1, let prefix = visitor?.tokenPrefix, let value = values[prefix] { return value }
        let known: [TokenCookieSession]
        do { known = try await alive(of: request) } catch  where visitor != nil {
            // The visitor was found without the store, and is told so.
            return visitor?.tokenPrefix.flatMap { values[$0] }
        }
        let renewable = known.filter { held in
            guard values[held.prefix] != nil, directory[held.session.clientID]?.cookieProfile == .tokens else {
                return false
            }
            guard let visitor else { return held.isSpent }
            return held.session.subject == visitor.session.subject && origins.admits(held.session, at: request)
        }
        if let first = renewable.min(by: { $0.renewalOrder < $1.renewalOrder }) { return values[first.prefix] }
        guard visitor == nil else { return nil }
        for prefix in directory.tokenCookiePrefixes {
            if let value = values[prefix], try await carriesUnreadableToken(prefix: prefix, request) { return value }
        }
        return nil
    }

    /// Whether an access token came that signs nobody in, whoever's it is: it came twice, and a renewal takes the one
    /// too many away; or its key was retired at once, and a renewal brings one by the next key.
    private func carriesUnreadableToken(prefix: String, _ request: Request) async throws -> Bool {
        let name = prefix + CookieTokens.accessTokenName
        guard request.carriesCookie(named: name) else { return false }
        guard let text = request.cookie(named: name) else { return true }
        return try await read(text, at: time.now()) == nil
    }
}

/// A session that an access token in a browser's cookies names.
struct TokenCookieSession: Sendable {
    let session: WebSession
    /// What its cookies' names begin with.
    let prefix: String
    /// When the access token ends, or has ended.
    let tokenEnd: Timestamp
    /// The access token has run out or was revoked.
    let isSpent: Bool

    /// The least is to be renewed first. An app's web view may have its refresh cookie for another route, so that it
    /// waits for what a page can certainly renew (docs/va-sign-in.md).
    fileprivate var renewalOrder: (Int, Int, Timestamp) {
        (session.opening == .tokenExchange ? 1 : 0, isSpent ? 0 : 1, tokenEnd)
    }
}
