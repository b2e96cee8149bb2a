package import HTTPTypes
package import Hummingbird
import OAuth2

package typealias Handler = @Sendable (Request, BridgeRequestContext) async throws -> Response

/// Registers paths so that every method has an answer: `HEAD` follows `GET`, `OPTIONS` says what is allowed and
/// changes nothing, and the rest is `405` with `Allow` (RFC 9110 §15.5.6).
package struct Endpoints {
    private let router: Router<BridgeRequestContext>

    private static let known: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .patch, .delete, .options, .trace, .connect,
    ]

    init(router: Router<BridgeRequestContext>) {
        self.router = router
    }

    /// - Parameter path: a router path such as `/api/auth/sso-tokens/{id}`; its text is the label in logs and metrics.
    package func on(_ path: String, _ handlers: [HTTPRequest.Method: Handler]) {
        var handlers = handlers
        if handlers[.head] == nil, let get = handlers[.get] {
            handlers[.head] = { request, context in try await get(request, context).createHeadResponse() }
        }
        let allowed = Self.known.filter { handlers[$0] != nil || $0 == .options }
            .map(\.rawValue).joined(separator: ", ")
        for method in Self.known {
            router.on(RouterPath(path), method: method, use: handlers[method] ?? Self.refusal(of: method, allowed))
        }
    }

    /// One handler for every method.
    package func onAny(_ path: String, _ handler: @escaping Handler) {
        on(path, Dictionary(uniqueKeysWithValues: Self.known.map { ($0, handler) }))
    }

    private static func refusal(of method: HTTPRequest.Method, _ allowed: String) -> Handler {
        { _, _ in
            guard method != .options else { return Response(status: .noContent, headers: [.allow: allowed]) }
            throw ChallengedError(error: OAuthError(.methodNotAllowed), headers: [.allow: allowed])
        }
    }
}
