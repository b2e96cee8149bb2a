import Hummingbird
import OAuth2

/// Pages that only say something.
struct MessageController: Sendable {
    let pages: Pages

    @Sendable func explainError(_ request: Request, context: BridgeRequestContext) throws -> Response {
        guard let name = context.parameters.get("code"), let code = ErrorCode.all.first(where: { $0.rawValue == name })
        else { throw OAuthError(.notFound) }
        return pages.explanation(of: code, to: PageVisitor(request, context))
    }

    @Sendable func signedOut(_ request: Request, context: BridgeRequestContext) -> Response {
        pages.signedOut(to: PageVisitor(request, context))
    }
}
