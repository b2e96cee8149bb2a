import Bridge
import Hummingbird
import OAuth2

/// Pages that only say something.
struct MessageController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/errors", "errors", as: .page, anyone: listErrors),
        Route(.get, "/errors/{code}", "explainError", as: .page, anyone: explainError),
    ]

    let pages: Pages

    @Sendable func explainError(_ request: Request, context: BridgeRequestContext) throws -> Response {
        guard let name = context.parameters.get("code"), let code = ErrorCode.all.first(where: { $0.rawValue == name })
        else { throw OAuthError(.notFound) }
        let causes = NativeSSORefusal.allCases.filter { $0.code.rawValue == code.rawValue }.map(\.rawValue)
        return pages.explanation(of: code, causes: causes, to: PageVisitor(request, context))
    }

    @Sendable func listErrors(_ request: Request, context: BridgeRequestContext) throws -> Response {
        var seen: Set<String> = []
        // Some share a name, with another status.
        let codes = ErrorCode.all.filter { seen.insert($0.rawValue).inserted }.sorted { $0.rawValue < $1.rawValue }
        return pages.errorIndex(codes, to: PageVisitor(request, context))
    }
}
