import Bridge
import HTTPTypes
import Hummingbird
import Logging
import OAuth2

/// Which website a check is about where the proxy says so, by `?website=` and a client's id: Traefik and ingress-nginx
/// ask with a `Host` of their own (docs/recipes/proxies.md).
final class CheckedWebsite: Sendable {
    static let parameter = "website"
    /// Bytes of a name that the log gets; whoever asks the check directly chooses it.
    private static let longest = 64

    private let origins: OriginReader
    /// Bounds the warnings about a wrong one.
    private let notices: OnceAMinute

    init(origins: OriginReader, time: TimeSource) {
        self.origins = origins
        notices = OnceAMinute(time: time)
    }

    /// The request as it would have come with that website's `Host`. So whoever asks the check directly gains nothing
    /// by the parameter that sending that host would not give.
    /// - Throws: `OAuthError(.invalidRequest)` for what names no website with an origin of its own: a proxy's
    ///   configuration that means one website must never be read as another. Also where `Host` names another website: a
    ///   proxy that passes it on may pass on its visitor's query too, and then it is the visitor who says `website`.
    func apply(to request: Request, asking parameters: CheckParameters, logger: Logger) throws -> Request {
        guard let query = request.uri.query, parameters.contains(Self.parameter) else { return request }
        let website = parameters[Self.parameter].flatMap { origins.clients.current[ClientID(rawValue: $0)] }
        guard let website, website.kind == .web, let origin = website.publicOrigin else {
            tell(of: parameters[Self.parameter] ?? "", logger)
            throw OAuthError(.invalidRequest, "\(Self.parameter) names no website with a public_origin")
        }
        guard origins.website(namedBy: request).map({ $0 == origin }) ?? true else {
            throw OAuthError(.invalidRequest, "\(Self.parameter) is not the website that Host names")
        }
        var head = request.head
        head.authority = String(origin.authority)
        head.headerFields[values: .furtherHost] = []
        // In the form that names no host (RFC 9112 §3.2).
        head.path = "\(request.uri.path)?\(query)"
        return Request(head: head, body: request.body)
    }

    /// A proxy with a wrong name asks with every request of its website, and so may anybody: once a minute is enough.
    /// Nothing else of any query is in a log line (contract §8).
    private func tell(of named: String, _ logger: Logger) {
        guard notices.isDue() else { return }
        let shown = StrayedSecret.redacting(named)
        logger.error(
            "a proxy asked /auth/check about a website that is unknown or has no public_origin",
            metadata: ["website": "\(HeaderText.encode(String(shown.prefix(Self.longest))).prefix(Self.longest))"])
    }
}
