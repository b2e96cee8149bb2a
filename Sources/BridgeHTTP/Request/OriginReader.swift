import Bridge
import HTTPTypes
import Hummingbird

/// Reads at which of our origins a request came in: `Host` says so, which is compared with the settings and never taken
/// over. What a proxy writes into `X-Forwarded-Host` counts for nothing.
final class OriginReader: Sendable {
    let configured: Origins
    /// Whose websites may have origins of their own, and lead our paths to us.
    let clients: Reloadable<ClientDirectory>
    /// The configured ones by each of their ``WebOrigin/authorities``; the website's goes first.
    private let configuredByAuthority: [String: WebOrigin]

    init(
        configured: Origins, clients: Reloadable<ClientDirectory>
    ) {
        self.configured = configured
        self.clients = clients
        configuredByAuthority = configured.all.reduce(into: [:]) { origins, origin in
            for authority in origin.authorities where origins[authority] == nil { origins[authority] = origin }
        }
    }

    /// Where a request came in.
    struct Place: Sendable {
        /// The public origin for a host that nobody configured.
        let origin: WebOrigin
        let purposes: Origins.Purposes
    }

    /// The origin whose pages may have sent the request, and at which its browser stays.
    func own(of request: Request) -> WebOrigin { place(of: request).origin }

    func place(of request: Request) -> Place {
        guard let origin = named(by: request) else {
            return Place(origin: configured.website, purposes: configured.areApart ? [] : .all)
        }
        guard configured.areApart else { return Place(origin: origin, purposes: .all) }
        var purposes: Origins.Purposes = []
        if origin == configured.issuer { purposes.insert(.provider) }
        if origin == configured.admin { purposes.insert(.console) }
        // A client that names the provider's or the console's origin as its own does not bring a website's paths there.
        if origin == configured.website || purposes.isEmpty { purposes.insert(.website) }
        return Place(origin: origin, purposes: purposes)
    }

    /// Whether a session counts at the website that a request came to. A link opens one website, and those that its app
    /// may open (contract §16.3): whoever carries its cookie to another website is not signed in there. Cookies for a
    /// web view count at such websites too, and at the hosts that they were given to. An origin that no website has to
    /// itself takes every session but those that are kept elsewhere. Whom a website lets in ``letsIn(_:at:)`` says.
    func admits(_ session: WebSession, at request: Request) -> Bool {
        let directory = clients.current
        let isKept = isKeptElsewhere(session)
        if isKept, session.opening != .loginToken {
            return directory.websites[own(of: request)]?.contains { $0.id == session.clientID } ?? false
                || isDelivered(session, to: request)
        }
        // A link's session goes no further by a `cookie_domain` than to what its app may open.
        if isKept, !isHome(of: session.clientID, request) { return false }
        guard !directory.websites.isEmpty, let websites = directory.websites[own(of: request)] else { return true }
        if isForItsClientAlone(session), !configured.all.contains(own(of: request)) {
            return websites.contains { $0.id == session.clientID }
        }
        return websites.contains { session.reaches($0, in: directory) } || isDelivered(session, to: request)
    }

    /// Whether a visitor is signed in at a website by a session: where it counts, but for one that is for its client
    /// alone, which opens that client's hosts and no neighbour's at ours.
    func letsIn(_ session: WebSession, at request: Request) -> Bool {
        guard admits(session, at: request) else { return false }
        return !isForItsClientAlone(session) || takesServersToken(of: session.clientID, at: request)
    }

    /// Whether a session is for its client alone: a login token opened it for a relying party of somebody else. Its
    /// server may have had that token, so it may be the server that sends the cookie, and not the user's browser.
    func isForItsClientAlone(_ session: WebSession) -> Bool {
        guard session.opening == .loginToken, let client = clients.current[session.clientID] else { return false }
        return client.isForeignRelyingParty(besides: configured.all)
    }

    /// Whether the cookies of a session are at a website of a domain of its own: a login link (contract §4.3) or a
    /// hand-off (§4.6) opened it there, or an exchange (§5.4) gave them to it. Its server sees them, so they count for
    /// that website alone: wherever else they come, it need not be the visitor who sends them.
    func isKeptElsewhere(_ session: WebSession) -> Bool {
        switch session.opening {
        case .authorize, .deviceCode: return false
        case .loginToken, .handOff, .tokenExchange: break
        }
        // Nobody knows any more where a website that is gone was.
        guard let website = clients.current[session.clientID] else { return true }
        guard let origin = cookieOrigin(of: session, at: website), !configured.all.contains(origin) else {
            return false
        }
        return session.opening == .handOff || !isShared(website, at: origin)
    }

    /// Whether a session counts where a client asks for an authorization. One that a login token opened does so for its own
    /// website wherever it is kept: the token may have been redeemed in such a request (contract §4.5), and the website's
    /// server could redeem it by itself (§4.4).
    func answers(_ session: WebSession, to client: ClientID?) -> Bool {
        !isKeptElsewhere(session) || (session.opening == .loginToken && session.clientID == client)
    }

    /// Whether the pages of the user's own account take a session for their visitor's.
    func opensAccount(_ session: WebSession) -> Bool { !isKeptElsewhere(session) && !isForItsClientAlone(session) }

    /// Whether a client's authorization request may be granted in a session. Where one counts that is for another client
    /// alone, its user is asked before somebody else is signed in (contract §4.5), and nothing is granted.
    func grants(_ session: WebSession, to client: ClientID?) -> Bool {
        answers(session, to: client) && (session.clientID == client || !isForItsClientAlone(session))
    }

    /// Where a session was given its cookies; `nil` for our own origin.
    private func cookieOrigin(of session: WebSession, at website: Client) -> WebOrigin? {
        if session.opening == .tokenExchange { return website.publicOrigin }
        let page = LoginLinkPage.of(
            website, isHandOff: session.opening == .handOff, publicOrigin: configured.website,
            issuer: configured.issuer)
        return page.origin
    }

    /// Whether an access token that a website's server was given for a login token (contract §4.4) counts as a cookie: at
    /// that website alone, since elsewhere it is the server that sends it.
    func takesServersToken(of id: ClientID, at request: Request) -> Bool {
        guard let website = clients.current[id] else { return false }
        // A relying party without one is somewhere else, and nobody knows where.
        guard website.publicOrigin != nil || website.redirectURIs.isEmpty else { return false }
        return isHome(of: id, request)
    }

    /// Whether an exchange gave a session's cookies to the host that a request names.
    private func isDelivered(_ session: WebSession, to request: Request) -> Bool {
        session.opening == .tokenExchange && isHome(of: session.clientID, request)
    }

    /// Whether a request names a website's own host, or one that its cookies are sent to as well: every host of its
    /// `cookie_domain` (contract §6).
    private func isHome(of id: ClientID, _ request: Request) -> Bool {
        guard let website = clients.current[id] else { return false }
        if own(of: request) == website.publicOrigin ?? configured.website { return true }
        guard let host = authority(of: request) else { return false }
        return website.setsCookies(at: String(host.prefix { $0 != ":" }))
    }

    /// Whether a website at an origin that is not ours has its cookies in common with one that is, by its
    /// `cookie_domain`: its operator has browsers send them to us.
    private func isShared(_ website: Client, at origin: WebOrigin) -> Bool {
        website.setsCookies(at: origin.host) && configured.all.contains { website.setsCookies(at: $0.host) }
    }

    /// - Returns: `nil` as well for a request that names its host twice, or in its target (RFC 9112 §3.2).
    private func authority(of request: Request) -> String? {
        guard let host = request.head.authority, !request.headers.contains(.furtherHost),
            request.head.path?.utf8.first == UInt8(ascii: "/")
        else { return nil }
        return host
    }

    /// The website's origin that a request names; `nil` where that is nobody's, or the provider's or console's alone.
    func website(namedBy request: Request) -> WebOrigin? {
        guard let origin = named(by: request) else { return nil }
        return origin == configured.website || clients.current.websites[origin] != nil ? origin : nil
    }

    /// Whether a request names an origin that is configured, ours or a website's.
    func isKnown(_ request: Request) -> Bool { named(by: request) != nil }

    private func named(by request: Request) -> WebOrigin? {
        // Host names know no case.
        guard let host = authority(of: request)?.lowercased() else { return nil }
        return configuredByAuthority[host] ?? clients.current.originsByAuthority[host]
    }
}
