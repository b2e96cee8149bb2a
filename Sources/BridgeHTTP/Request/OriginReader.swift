import Bridge
import HTTPTypes
import Hummingbird

/// Reads at which of our origins a request came in: `Host` says so, which is compared with the settings and never taken
/// over. What a proxy writes into `X-Forwarded-Host` counts for nothing.
final class OriginReader: Sendable {
    let configured: Origins
    /// Whose websites may have origins of their own, and lead our paths to us.
    let clients: Reloadable<ClientDirectory>

    init(
        configured: Origins, clients: Reloadable<ClientDirectory>
    ) {
        self.configured = configured
        self.clients = clients
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
    /// may open (contract §16.3): whoever carries its cookie to another website is not signed in there. An origin that
    /// no website has to itself takes every session but those that are kept elsewhere; cookies for web views go to the
    /// hosts that their client names.
    func admits(_ session: WebSession, at request: Request) -> Bool {
        let directory = clients.current
        if isKeptElsewhere(session) {
            return directory.websites[own(of: request)]?.contains { $0.id == session.clientID } ?? false
        }
        guard !directory.websites.isEmpty, session.opening != .tokenExchange,
            let websites = directory.websites[own(of: request)]
        else { return true }
        return websites.contains { session.reaches($0, in: directory) }
    }

    /// Whether a hand-off gave a session's cookies to a website of a domain of its own (contract §4.6). Its server sees
    /// them, so they count for that website alone: wherever else they come, it need not be the visitor who sends them.
    func isKeptElsewhere(_ session: WebSession) -> Bool {
        guard session.opening == .handOff else { return false }
        // Nobody knows any more where a website that is gone was.
        guard let website = clients.current[session.clientID] else { return true }
        // A website with a sign-in of its own is landed at where the provider is, and sees no cookie of ours.
        guard website.landing != .initiateLogin, let origin = website.publicOrigin else { return false }
        return !configured.all.contains(origin)
    }

    /// - Returns: `nil` as well for a request that names its host twice, or in its target (RFC 9112 §3.2).
    private func named(by request: Request) -> WebOrigin? {
        guard let host = request.head.authority, !request.headers.contains(.furtherHost),
            request.head.path?.utf8.first == UInt8(ascii: "/")
        else { return nil }
        if configured.website.isNamed(by: host) { return configured.website }
        return [configured.issuer, configured.admin].first { $0.isNamed(by: host) }
            ?? clients.current.websites.keys.first { $0.isNamed(by: host) }
    }
}

extension WebOrigin {
    /// Whether this is what a browser means that sends this `Host`: host names know no case, and the scheme's own port
    /// may be written out.
    fileprivate func isNamed(by host: String) -> Bool {
        if host.utf8.elementsEqual(authority.utf8) { return true }
        let host = host.lowercased()
        return host.utf8.elementsEqual(authority.utf8) || host == "\(authority):\(isSecure ? 443 : 80)"
    }
}

extension HTTPField.Name {
    /// The first is the request's authority, which the server has already taken out of the header.
    fileprivate static let furtherHost = literal("Host")
}
