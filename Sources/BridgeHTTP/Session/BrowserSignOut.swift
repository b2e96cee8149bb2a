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

    /// Ends every session that the request's cookies open.
    /// - Parameters:
    ///   - subject: whose sessions alone end; `nil` for everybody's.
    ///   - more: what ends along with them, and before.
    /// - Returns: the sessions that were open.
    func signOut(
        _ request: Request, of subject: Subject? = nil, endingFirst more: (root: EndingRoot, ending: Ending)? = nil,
        origin: RequestOrigin, in headers: inout HTTPFields
    ) async throws -> [WebSession] {
        let found = try await sessions(of: request).filter { subject == nil || $0.session.subject == subject }
        if let more { try await endings.end(more.root, more.ending) }
        let ending = Ending.signOut(origin: origin, at: time.now())
        for found in found { try await endings.end(.webSession(found.session.id), ending) }
        takeCookies(of: found, in: &headers)
        // Cookies of a session that has ended open nothing, and would shadow those of the next.
        if subject == nil { takeLeftovers(of: request, besides: found, in: &headers) }
        SessionCookies.clear(in: &headers)
        return found.map(\.session)
    }

    /// Every session that the request's cookies open.
    func sessions(of request: Request) async throws -> [SignedIn] {
        try await browsers.all(of: request)
    }

    /// Takes the cookies of the profile `tokens` away, as their own clients have set them.
    func takeCookies(of found: [SignedIn], in headers: inout HTTPFields) {
        for found in found where found.tokenPrefix != nil { takeCookies(of: found.session.clientID, in: &headers) }
    }

    /// Takes the cookies of a client with this prefix away; of every such client where nobody knows which one it was.
    func takeCookies(of clientID: ClientID?, prefix: String, in headers: inout HTTPFields) {
        if let clientID { return takeCookies(of: clientID, in: &headers) }
        for id in clients.current.tokenCookieClients[prefix] ?? [] { takeCookies(of: id, in: &headers) }
    }

    private func takeCookies(of clientID: ClientID, in headers: inout HTTPFields) {
        guard let client = clients.current[clientID], client.cookieProfile == .tokens else { return }
        let lines = CookieTokens.cleared(of: client, refreshPaths: refreshPaths).map {
            TokenCookies.line($0, at: time.now())
        }
        // Clients of one prefix have the host's own cookies in common.
        for line in lines where !headers.values(of: .setCookie).contains(line) {
            headers.append(HTTPField(name: .setCookie, value: line))
        }
    }

    private func takeLeftovers(
        of request: Request, besides found: [SignedIn], in headers: inout HTTPFields
    ) {
        let known = Set(found.compactMap(\.tokenPrefix))
        for prefix in clients.current.tokenCookiePrefixes where !known.contains(prefix) {
            guard CookieTokens.names.contains(where: { request.carriesCookie(named: prefix + $0) }) else { continue }
            takeCookies(of: nil, prefix: prefix, in: &headers)
        }
    }
}
