package import Bridge
package import Hummingbird
import OAuth2

/// Whose session a browser's cookies open, whichever profile they are of (contract §6).
///
/// What a login link, a hand-off or an exchange opened at a website of another domain is known to that website's server
/// as well. It counts as a visit of the website (``visitorToLetIn(by:)``), and never where the user's account, other
/// sessions or new grants are in question, but for what a link's own website asks for
/// (``opened(by:forRequestOf:)``). An access token that the server was given itself (contract §4.4) is no cookie at all
/// but at that website.
///
/// What a login token of a relying party of somebody else opened (``OriginReader/isForItsClientAlone(_:)``) may be
/// known to that party's server, although its cookies are at our own origin. Nobody is let in by it elsewhere, and yet
/// the browser that has it is somebody's: that user is asked before another takes the place, and signs out there.
///
/// | Asked for | Cookies | Given to other domains too | Of a foreign party | Ended too | A use of it |
/// |---|---|---|---|---|---|
/// | ``signedIn(by:)`` | of both profiles | no | no | no | yes |
/// | ``visitor(of:)`` | of both profiles | at that website | at our origins and its own | no | yes |
/// | ``visitorToLetIn(by:)`` | of both profiles | at that website | at its own | no | yes |
/// | ``opened(by:)`` | `session` | no | yes | no | yes |
/// | ``secretSession(of:)`` | `session` | no | no | no | yes |
/// | ``opened(by:forRequestOf:)`` | `session` | for that website's own request | for its own request | no | yes |
/// | ``openedHere(by:)`` | `session` | at that website | at our origins and its own | no | yes |
/// | ``sessionWithoutUse(of:)`` | `session` | no | yes | no | no |
/// | ``sessionEvenIfEnded(of:)`` | `session` | yes | yes | yes | no |
/// | ``replaceable(in:)`` | `session` | no | yes | yes | yes |
/// | ``named(by:forRequestOf:)`` | `session` | for that website's own request | yes | yes | yes |
/// | ``tokenSessions(of:)`` | `tokens`, spent ones too | yes | yes | no | no |
/// | ``webViewSession(of:)`` | `tokens` | at that website | at our origins and its own | no | no |
/// | ``all(of:)`` | of both profiles | yes | yes | no | of that of the profile `session` |
/// | ``allToEnd(of:)`` | of both profiles | yes | yes | yes | no |
/// | ``firstToEnd(of:)`` | of both profiles | yes | yes | closed ones | no |
package final class BrowserSessions: Sendable {
    private let sessions: WebSessions
    private let clients: Reloadable<ClientDirectory>
    /// `nil` where only the profile `session` is in use.
    private let tokenCookies: TokenCookieSessions?
    let origins: OriginReader
    private let time: TimeSource

    init(
        sessions: WebSessions, clients: Reloadable<ClientDirectory>, accessTokens: AccessTokens?, origins: OriginReader,
        time: TimeSource
    ) {
        self.sessions = sessions
        self.clients = clients
        tokenCookies = accessTokens.map {
            TokenCookieSessions(
                sessions: sessions, clients: clients, accessTokens: $0, origins: origins, time: time)
        }
        self.origins = origins
        self.time = time
    }

    /// The live session of a request's cookies; counts as a use of it.
    /// - Throws: ``StorageError`` when it cannot be found out.
    package func signedIn(by request: Request) async throws -> SignedIn? {
        try await find(request) { origins.opensAccount($0) }
    }

    /// The live session of a request's cookies at the website that the request came to, which is told why it is not
    /// handed on; counts as a use of it.
    func visitor(of request: Request) async throws -> SignedIn? {
        try await find(request) {
            origins.admits($0, at: request)
        } preferring: {
            isOwn($0, at: request)
        }
    }

    /// The live session by which the visitor is let in to the website that the request came to, as its pages are told;
    /// counts as a use of it.
    func visitorToLetIn(by request: Request) async throws -> SignedIn? {
        try await find(request) {
            origins.letsIn($0, at: request)
        } preferring: {
            isOwn($0, at: request)
        }
    }

    /// Whether it is of the website that the request came to, or the user's own sign-in.
    private func isOwn(_ session: WebSession, at request: Request) -> Bool {
        session.isOwnSignIn
            || clients.current.websites[origins.own(of: request)]?.contains { $0.id == session.clientID } ?? true
    }

    /// Another session of the same user at that website, for when the one of ``visitorToLetIn(by:)`` is not good
    /// enough: a newer link may have opened it. Not one of another website, by whose scope the user would be told of
    /// (contract §16).
    func visitorToLetIn(
        by request: Request, besides visitor: SignedIn, where isEnough: (WebSession) -> Bool
    ) async throws -> SignedIn? {
        try await find(request) {
            $0.id != visitor.session.id && $0.subject == visitor.session.subject
                && origins.letsIn($0, at: request) && isOwn($0, at: request) && isEnough($0)
        }
    }

    /// - Parameters:
    ///   - counts: one that does not is passed over, since a browser may have cookies of several.
    ///   - isPreferred: one that is goes before another of the same user; who answers never depends on it.
    private func find(
        _ request: Request, where counts: (WebSession) -> Bool,
        preferring isPreferred: (WebSession) -> Bool = { _ in true }
    ) async throws -> SignedIn? {
        var first: SignedIn?
        // Every request to a website passes here: no call that waits, but for the one that may have to.
        if let secret = request.sessionSecret, let session = try await sessions.lookUp(secret), counts(session) {
            let found = SignedIn(session: session, tokenPrefix: nil)
            if isPreferred(session) { return found }
            first = found
        }
        let other = try await tokenCookies?.find(
            request, of: first?.session.subject, where: counts, preferring: isPreferred)
        guard let other, first == nil || isPreferred(other.session) else { return first }
        return SignedIn(other)
    }

    /// The live session that the cookie of the profile `session` opens; counts as a use of it.
    func opened(by request: Request) async throws -> WebSession? {
        try await opened(by: request) { !origins.isKeptElsewhere($0) }
    }

    /// The live session that the cookie of the profile `session` opens, for a client's authorization request.
    func opened(by request: Request, forRequestOf client: ClientID?) async throws -> WebSession? {
        try await opened(by: request) { origins.grants($0, to: client) }
    }

    /// That session, alive or not, as far as a client's request may be answered in it.
    func named(by request: Request, forRequestOf client: ClientID?) async throws -> NamedSession? {
        try await named(by: request) { origins.answers($0, to: client) }
    }

    /// The live session that the cookie of the profile `session` opens, at the website that the request came to.
    func openedHere(by request: Request) async throws -> WebSession? {
        try await opened(by: request) { origins.admits($0, at: request) }
    }

    /// As ``opened(by:)``, and no use of it.
    func sessionWithoutUse(of request: Request) async throws -> WebSession? {
        guard let session = try await live(of: request), !origins.isKeptElsewhere(session) else { return nil }
        return session
    }

    /// The live session of the cookie of the profile `session`, wherever it counts. No use of it.
    private func live(of request: Request) async throws -> WebSession? {
        guard let secret = request.sessionSecret else { return nil }
        return try await sessions.peek(secret)
    }

    private func opened(by request: Request, where counts: (WebSession) -> Bool) async throws -> WebSession? {
        guard let secret = request.sessionSecret, let session = try await sessions.lookUp(secret) else { return nil }
        return counts(session) ? session : nil
    }

    private func named(by request: Request, where counts: (WebSession) -> Bool) async throws -> NamedSession? {
        guard let secret = request.sessionSecret else { return nil }
        let found = try await sessions.lookUpOrLeft(secret)
        return (found.alive ?? found.left).map(counts) == true ? found : nil
    }

    /// The first of ``all(of:)``, for a page of ours that knows its visitor: not where a website of another domain, or
    /// a relying party of somebody else, may have the cookie. No use of it.
    func firstAtHome(of request: Request) async throws -> WebSession? {
        guard let session = try await first(of: request), origins.opensAccount(session) else { return nil }
        return session
    }

    private func first(of request: Request) async throws -> WebSession? {
        if let session = try await live(of: request) { return session }
        return try await tokenSessions(of: request).first?.session
    }

    /// What a sign-out ends: every session that the cookies name, at whichever website, until its absolute end. One
    /// that was unused for too long is closed, and what was granted in it goes on; so does what one that has ended took
    /// over from the session before it (ADR-0017). No use of them.
    func allToEnd(of request: Request) async throws -> [SignedIn] {
        let now = time.now()
        let own = try await sessionEvenIfEnded(of: request).flatMap { session in
            now < session.expiresAt ? SignedIn(session: session, tokenPrefix: nil) : nil
        }
        return [own].compactMap(\.self) + (try await tokenSessionsToEnd(of: request))
    }

    /// Those of the profile `tokens` among them.
    func tokenSessionsToEnd(of request: Request) async throws -> [SignedIn] {
        let now = time.now()
        return try await tokenCookies?.evenIfEnded(of: request).filter { now < $0.session.expiresAt }
            .map(SignedIn.init) ?? []
    }

    /// The first of them that nobody has ended.
    func firstToEnd(of request: Request) async throws -> WebSession? {
        try await allToEnd(of: request).first { $0.session.endedAt == nil }?.session
    }

    /// What a sign-in takes the place of: as ``opened(by:)``, or else what ``allToEnd(of:)`` has of that cookie.
    func replaceable(in request: Request) async throws -> WebSession? {
        try await named(by: request) { !origins.isKeptElsewhere($0) }.flatMap { $0.alive ?? $0.left }
    }

    /// Every live session that the cookies name, at whichever website.
    func all(of request: Request) async throws -> [SignedIn] {
        let opened = try await opened(by: request) { _ in true }
        return [opened.map { SignedIn(session: $0, tokenPrefix: nil) }].compactMap(\.self)
            + (try await tokenSessions(of: request))
    }

    /// Whether an access token is the value of a cookie that a website of another domain has seen.
    func isKeptElsewhere(_ token: AccessTokenClaims) async throws -> Bool {
        guard token.isForCookie, let session = try await session(of: token) else { return false }
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
    func sessionEvenIfEnded(of request: Request) async throws -> WebSession? {
        guard let secret = request.sessionSecret else { return nil }
        return try await sessions.known(secret)
    }

    /// The live session that the cookie of the profile `session` opens, as a signed-in visitor.
    func secretSession(of request: Request) async throws -> SignedIn? {
        try await opened(by: request) { origins.opensAccount($0) }.map { SignedIn(session: $0, tokenPrefix: nil) }
    }

    /// The session in which a web view's cookies sign somebody in at the website that the request came to. Asking is no
    /// use of it.
    func webViewSession(of request: Request) async throws -> WebSession? {
        try await tokenSessions(of: request).first { !$0.isSpent && origins.admits($0.session, at: request) }?.session
    }

    /// Every live session of the profile `tokens` that the cookies name, those too whose access token is spent: a page
    /// may renew it, so its user is still signed in here. No use of them.
    func tokenSessions(of request: Request) async throws -> [SignedIn] {
        try await tokenCookies?.alive(of: request).map(SignedIn.init) ?? []
    }

    /// What a page of this origin has to repeat to renew cookies of the profile `tokens`. Of a visitor's sessions it is
    /// the one that needs it most; where nobody is signed in, one that lives while its access token is spent.
    func antiCSRFValue(of request: Request, for visitor: SignedIn?) async throws -> String? {
        try await tokenCookies?.antiCSRFValue(of: request, for: visitor)
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

    fileprivate init(session: WebSession, tokenPrefix: String?) {
        self.session = session
        self.tokenPrefix = tokenPrefix
        isSpent = false
    }

    fileprivate init(_ found: TokenCookieSession) {
        session = found.session
        tokenPrefix = found.prefix
        isSpent = found.isSpent
    }
}
