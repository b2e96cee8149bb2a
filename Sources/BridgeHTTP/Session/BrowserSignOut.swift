import Bridge
import HTTPTypes
import Hummingbird

/// Signs a browser out (contract §6): ends what its cookies open, of both profiles, and takes the cookies away.
final class BrowserSignOut: Sendable {
    let browsers: BrowserSessions
    let endings: SessionEndings
    let clients: Reloadable<ClientDirectory>
    /// Every route that a refresh cookie may have been set for.
    let refreshPaths: [String]
    let time: TimeSource

    init(
        browsers: BrowserSessions, endings: SessionEndings, clients: Reloadable<ClientDirectory>,
        refreshPaths: [String], time: TimeSource
    ) {
        self.browsers = browsers
        self.endings = endings
        self.clients = clients
        self.refreshPaths = refreshPaths
        self.time = time
    }

    /// Ends every session that the request's cookies name, and what goes on of those that opened nothing any more.
    /// - Parameter more: what ends along with them, and before.
    /// - Returns: the sessions, those too that had ended before.
    func signOut(
        _ request: Request, endingFirst more: (root: EndingRoot, ending: Ending)? = nil, origin: RequestOrigin,
        in headers: inout HTTPFields
    ) async throws -> [WebSession] {
        let named = try await sessionsToEnd(of: request)
        return try await signOut(named, request, of: nil, endingFirst: more, origin: origin, in: &headers)
    }

    /// As ``signOut(_:endingFirst:origin:in:)``, for a caller who has looked up what the cookies name.
    /// - Parameters:
    ///   - named: ``sessionsToEnd(of:)``.
    ///   - subject: whose sessions alone end; `nil` for everybody's.
    func signOut(
        _ named: [SignedIn], _ request: Request, of subject: Subject?,
        endingFirst more: (root: EndingRoot, ending: Ending)?, origin: RequestOrigin, in headers: inout HTTPFields
    ) async throws -> [WebSession] {
        let found = named.filter { subject == nil || $0.session.subject == subject }
        let ended = if let more { try await endings.end(more.root, more.ending) } else { Ended.nothing }
        try await end(found, .signOut(origin: origin, at: time.now()), after: ended)
        takeCookies(of: found, request, in: &headers)
        // Cookies of a session that has ended open nothing, and would shadow those of the next.
        if subject == nil { takeLeftovers(of: request, besides: found, in: &headers) }
        SessionCookies.clear(in: &headers)
        return found.map(\.session)
    }

    /// Ends what other users' cookies of the profile `tokens` name, and takes those cookies away, as well as those
    /// that a page could renew although nobody can tell their user: whoever has just signed in is the browser's only
    /// user, as after a link (contract §4.3). Without such cookies no store is asked.
    /// - Parameter earlier: what the same act has ended already.
    func leaveOnly(
        _ subject: Subject, in request: Request, after earlier: Ended = .nothing, origin: RequestOrigin,
        headers: inout HTTPFields
    ) async throws {
        let found = try await browsers.tokenSessionsToEnd(of: request)
        let others = found.filter { $0.session.subject != subject }
        try await end(others, .accountSwitch(origin: origin, at: time.now()), after: earlier)
        takeCookies(of: others, request, in: &headers)
        takeRenewable(of: request, besides: found, in: &headers)
    }

    /// As ``leaveOnly(_:in:after:origin:headers:)``, for a user whose new session will be elsewhere (ADR-0077): another
    /// user's of the profile `session`, which a new one here would take the place of, ends as well. The user's own
    /// stays.
    func leaveNobody(
        but subject: Subject, in request: Request, origin: RequestOrigin, headers: inout HTTPFields
    ) async throws {
        var ended = Ended.nothing
        if let other = try await browsers.replaceable(in: request), other.subject != subject {
            ended = try await endings.end(.webSession(other.id), .accountSwitch(origin: origin, at: time.now()))
            SessionCookies.clear(in: &headers)
        }
        try await leaveOnly(subject, in: request, after: ended, origin: origin, headers: &headers)
    }

    /// Ends one after another; one that went with another of them has not ended before.
    /// - Parameter earlier: what the same act has ended already.
    private func end(_ found: [SignedIn], _ ending: Ending, after earlier: Ended = .nothing) async throws {
        var sessions = Set(earlier.sessions)
        for found in found {
            var ending = ending
            if sessions.contains(found.session.id) { ending.rootHadEnded = false }
            sessions.formUnion(try await endings.end(.webSession(found.session.id), ending).sessions)
        }
    }

    /// Takes away cookies of the profile `tokens` whose user nobody can tell: without a readable access token a page
    /// could still renew them, once nobody else is signed in. Without the anti-CSRF cookie none could, and `access_token`
    /// alone may be another program's.
    /// - Parameter found: the sessions that are known; of those that have ended the cookies are taken too.
    func takeRenewable(of request: Request, besides found: [SignedIn], in headers: inout HTTPFields) {
        let known = found.filter { $0.session.endedAt == nil }
        takeLeftovers(of: request, besides: known, withAnyOf: [CookieTokens.antiCSRFName], in: &headers)
    }

    /// Every session that the request's cookies open.
    func sessions(of request: Request) async throws -> [SignedIn] {
        try await browsers.all(of: request)
    }

    /// Every session that the request's cookies open, and those that are closed or have ended
    /// (``BrowserSessions/allToEnd(of:)``).
    func sessionsToEnd(of request: Request) async throws -> [SignedIn] {
        try await browsers.allToEnd(of: request)
    }

    /// Takes the cookies of the profile `tokens` away, as their own clients have set them, but for those that the
    /// answer sets: clients of one prefix have the host's own cookies in common. A browser goes by the last line, and
    /// some take a host cookie and a domain cookie of one name for the same, so removals come first.
    func takeCookies(of found: [SignedIn], _ request: Request, in headers: inout HTTPFields) {
        for found in found {
            guard let prefix = found.tokenPrefix else { continue }
            takeShadows(prefix: prefix, request, in: &headers)
            takeCookies(of: found.session.clientID, in: &headers)
        }
    }

    /// Takes the cookies of a client with this prefix away; of every such client where nobody knows which one it was.
    func takeCookies(of clientID: ClientID?, prefix: String, in headers: inout HTTPFields) {
        if let clientID { return takeCookies(of: clientID, in: &headers) }
        for id in clients.current.tokenCookieClients[prefix] ?? [] { takeCookies(of: id, in: &headers) }
    }

    private func takeCookies(of clientID: ClientID, in headers: inout HTTPFields) {
        guard let client = clients.current[clientID], client.cookieProfile == .tokens else { return }
        take(CookieTokens.cleared(of: client, refreshPaths: refreshPaths), in: &headers)
    }

    /// Takes away what a browser keeps besides what the answer sets or takes away: the cookies that came of an earlier
    /// `cookie_domain`, or of another client of the prefix. They have one name and go out together, and of two nobody
    /// can tell which is good (``CookieHeader``), so that one would be signed out until the older had run out.
    ///
    /// A browser sends the cookies of every domain that its host lies in: nothing is taken of a name that did not come, and
    /// of a domain that no client has any more only where a name came twice, or the anti-CSRF cookie, which is the host's
    /// own: `access_token` alone may be another program's.
    /// - Parameter isOften: whether answers like this one come every few minutes. Then that cookie alone does not count.
    func takeShadows(prefix: String, isOften: Bool = false, _ request: Request, in headers: inout HTTPFields) {
        let carried = CookieTokens.names.map { prefix + $0 }.filter { request.carriesCookie(named: $0) }
        guard !carried.isEmpty else { return }
        let directory = clients.current
        let websites = (directory.tokenCookieClients[prefix] ?? []).compactMap { directory[$0] }
        guard var website = websites.first else { return }
        let host = browsers.origins.own(of: request).host
        var domains: [String?] = [nil]
        domains += websites.filter { $0.setsCookies(at: host) }.map(\.cookieDomain)
        let comesTwice = carried.contains { request.cookie(named: $0) == nil }
        if comesTwice || !isOften && carried.contains(prefix + CookieTokens.antiCSRFName) {
            domains += Self.domains(of: host)
        }
        for domain in domains {
            website.cookieDomain = domain
            let cleared = CookieTokens.cleared(of: website, refreshPaths: [])
            take(cleared.filter { carried.contains($0.name) }, in: &headers)
        }
    }

    /// Takes the refresh cookie away that an earlier session has left for another route: a new one is for one route alone,
    /// and what stayed at the other would be presented with the new cookies, and refused.
    func takeOtherRefreshRoutes(prefix: String, _ request: Request, in headers: inout HTTPFields) {
        guard CookieTokens.names.contains(where: { request.carriesCookie(named: prefix + $0) }) else { return }
        let name = prefix + CookieTokens.refreshTokenName
        take(
            refreshPaths.map { TokenCookie(name: name, value: Secret(""), path: $0, maximumAge: .zero) }, in: &headers)
    }

    /// Those that a cookie of this host may be for, but for the topmost, where no browser keeps any; four at most, so
    /// that the lines for them stay within 2 KB.
    private static func domains(of host: String) -> [String?] {
        let labels = host.split(separator: ".")
        // An address lies in no domain.
        guard labels.count > 1, labels.last?.first?.isNumber == false else { return [] }
        return labels.indices.dropLast().suffix(4).map { labels[$0...].joined(separator: ".") }
    }

    private func take(_ cleared: [TokenCookie], in headers: inout HTTPFields) {
        let settled = Set(headers.values(of: .setCookie).map { CookiePlace(line: $0) })
        var lines = HTTPFields()
        TokenCookies.set(cleared.filter { !settled.contains(CookiePlace($0)) }, at: time.now(), in: &lines)
        headers[values: .setCookie] = lines[values: .setCookie] + headers[values: .setCookie]
    }

    /// - Parameter names: cookies of which one must have come with a prefix for that prefix's to be taken.
    private func takeLeftovers(
        of request: Request, besides found: [SignedIn], withAnyOf names: [String] = CookieTokens.names,
        in headers: inout HTTPFields
    ) {
        let known = Set(found.compactMap(\.tokenPrefix))
        for prefix in clients.current.tokenCookiePrefixes where !known.contains(prefix) {
            guard names.contains(where: { request.carriesCookie(named: prefix + $0) }) else { continue }
            takeShadows(prefix: prefix, request, in: &headers)
            takeCookies(of: nil, prefix: prefix, in: &headers)
        }
    }
}
