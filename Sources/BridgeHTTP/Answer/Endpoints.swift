package import HTTPTypes
package import Hummingbird
import OAuth2

/// What answers a request, once its route is found.
package typealias Handler = @Sendable (Request, BridgeRequestContext) async throws -> Response

/// Registers paths so that every method has an answer: `HEAD` follows `GET`, `OPTIONS` says what is allowed and
/// changes nothing, and the rest is `405` with `Allow` (RFC 9110 §15.5.6).
package struct Endpoints {
    private let router: Router<BridgeRequestContext>
    /// `nil` where no website is, whose paths would have to be told apart.
    private let origins: OriginReader?
    private let unknownHosts: UnknownHosts?
    /// What the address must be for where these paths answer; `nil` where they answer under any host.
    private var purposes: Origins.Purposes?
    /// Pages whose paths differ from another's by the slash at their end alone, which the router does not tell apart.
    private let slashSiblings: [String: Handler]

    /// Every method that the HTTP parser lets through: the router answers 404 to what is not registered, and a proxy
    /// may ask `/auth/check` by its visitor's own (contract §6). `QUERY` is of draft-ietf-httpbis-safe-method-w-body,
    /// most others are WebDAV's (RFC 4918, RFC 3253, RFC 5323); the parser spells `M-SEARCH` so.
    static let known: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
        + rare.compactMap { HTTPRequest.Method($0) }

    private static let rare: [String] = [
        "QUERY", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "SEARCH", "REPORT", "ACL", "BIND",
        "REBIND", "UNBIND", "CHECKOUT", "MERGE", "MKACTIVITY", "MKCALENDAR", "LINK", "UNLINK", "PURGE", "NOTIFY",
        "SUBSCRIBE", "UNSUBSCRIBE", "MSEARCH", "SOURCE",
    ]

    init(
        router: Router<BridgeRequestContext>, origins: OriginReader? = nil, unknownHosts: UnknownHosts? = nil,
        slashSiblings: [String: Handler] = [:]
    ) {
        self.router = router
        self.origins = origins
        self.unknownHosts = unknownHosts
        self.slashSiblings = slashSiblings
    }

    /// These endpoints, for paths that belong to some of our origins: at another they do not exist.
    func only(for purposes: Origins.Purposes) -> Endpoints {
        var endpoints = self
        endpoints.purposes = purposes
        return endpoints
    }

    /// For pages of another part, such as the demo's site: routes of the service are declared, and mounted
    /// (``mount(_:at:)``).
    package func on(_ path: String, _ handlers: [HTTPRequest.Method: Handler]) {
        register(path, Self.withHead(handlers))
    }

    /// The handlers with `HEAD`, which follows `GET` unless it has one of its own.
    static func withHead(_ handlers: [HTTPRequest.Method: Handler]) -> [HTTPRequest.Method: Handler] {
        var handlers = handlers
        // Its content is taken away with that of every answer to HEAD (``FrontMiddleware``).
        if handlers[.head] == nil { handlers[.head] = handlers[.get] }
        return handlers
    }

    /// Registers a path with these handlers and no others: also without `HEAD`.
    func register(_ path: String, _ handlers: [HTTPRequest.Method: Handler]) {
        let allowed = Self.allowed(handlers)
        let routerPath = RouterPath(path)
        for method in Self.known {
            let handler = guarded(handlers[method] ?? Self.refusal(of: method, allowed))
            router.on(routerPath, method: method, use: exactly(path, handler))
        }
    }

    /// `Allow` of a path.
    static func allowed(_ handlers: [HTTPRequest.Method: Handler]) -> String {
        known.filter { handlers[$0] != nil || $0 == .options }.map(\.rawValue).joined(separator: ", ")
    }

    /// Answers at the path as it is declared, and at no other spelling. The router passes over empty segments, and a
    /// proxy compares bytes: one that keeps `/auth/check` from outside lets `/auth//check` and `/auth/check/` through.
    private func exactly(_ path: String, _ handler: @escaping Handler) -> Handler {
        // Of what is below a wildcard its handler makes what it will.
        let mayEndInSlash = path.hasSuffix("/") || path.hasSuffix("**")
        return { [slashSiblings] request, context in
            guard !request.uri.path.hasEmptySegment(besidesLast: mayEndInSlash) else {
                guard [.get, .head].contains(request.method), let page = slashSiblings[request.uri.path] else {
                    throw OAuthError(.notFound)
                }
                return try await page(request, context)
            }
            return try await handler(request, context)
        }
    }

    private func guarded(_ handler: @escaping Handler) -> Handler {
        guard let purposes, let origins, origins.configured.areApart else { return handler }
        return { [unknownHosts] request, context in
            guard !origins.place(of: request).purposes.isDisjoint(with: purposes) else {
                unknownHosts?.tell(of: request, logger: context.logger)
                throw OAuthError(.notFound)
            }
            return try await handler(request, context)
        }
    }

    private static func refusal(of method: HTTPRequest.Method, _ allowed: String) -> Handler {
        { _, _ in
            guard method != .options else { return Response(status: .noContent, headers: [.allow: allowed]) }
            throw ChallengedError(error: OAuthError(.methodNotAllowed), headers: [.allow: allowed])
        }
    }
}

extension String {
    /// Whether a segment of a path is empty.
    /// - Parameter besidesLast: passes over the one after a slash at the end.
    fileprivate func hasEmptySegment(besidesLast: Bool) -> Bool {
        let slash = UInt8(ascii: "/")
        var last: UInt8?
        for byte in utf8 {
            if byte == slash, last == slash { return true }
            last = byte
        }
        return !besidesLast && last == slash
    }
}
