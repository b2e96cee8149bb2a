import Hummingbird
import OAuth2

/// Pages that only say something.
struct MessageController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/errors/{code}", "explainError", as: .page, anyone: explainError)
    ]

    let pages: Pages

    @Sendable func explainError(_ request: Request, context: BridgeRequestContext) throws -> Response {
        guard let name = context.parameters.get("code"), let code = ErrorCode.all.first(where: { $0.rawValue == name })
        else { throw OAuthError(.notFound) }
        return pages.explanation(of: code, to: PageVisitor(request, context))
    }
}
