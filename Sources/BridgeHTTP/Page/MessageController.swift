import Bridge
import Hummingbird
import OAuth2

/// Pages that only say something.
struct MessageController: RouteGroup {
    static let routes: [Route<Self>] = [
        // With the slash or without: proxies are told to lead `/errors` and everything below it here.
        Route(.get, "/errors/", "errors", as: .page, anyone: listErrors).shownAgain(.withoutQuery),
        Route(.get, "/errors/{code}", "explainError", as: .page, anyone: explainError).shownAgain(.withoutQuery),
        // In English alone: a menu of languages would change every page but these.
        Route(.get, "/api/docs", "apiDocs", as: .page, anyone: describeAPI),
        Route(.get, "/api/docs/console", "consoleDocs", as: .page, anyone: describeConsole),
    ]

    let pages: Pages

    @Sendable func explainError(_ request: Request, context: BridgeRequestContext) throws -> Response {
        guard let name = context.parameters.get("code") else { throw OAuthError(.notFound) }
        if let reason = SelfIssuedRefusal.Reason.ofTheirOwn.first(where: { $0.rawValue == name }) {
            return pages.explanation(of: reason, to: PageVisitor(request, context))
        }
        guard let code = ErrorCode.all.first(where: { $0.rawValue == name }) else { throw OAuthError(.notFound) }
        let causes = NativeSSORefusal.allCases.filter { $0.code.rawValue == code.rawValue }.map(\.rawValue)
        return pages.explanation(of: code, causes: causes, to: PageVisitor(request, context))
    }

    /// `/api/docs`: the description of the API for people. It needs no script, and is in English as the description is.
    @Sendable func describeAPI(_ request: Request, context: BridgeRequestContext) throws -> Response {
        pages.document(
            title: "The API", main: PublicFiles.apiPage, to: PageVisitor(request, context), language: "en", wide: true)
    }

    /// `/api/docs/console`: the same for the pages and forms of the console.
    @Sendable func describeConsole(_ request: Request, context: BridgeRequestContext) throws -> Response {
        pages.document(
            title: "The console’s pages", main: PublicFiles.consolePage, to: PageVisitor(request, context),
            language: "en", wide: true)
    }

    @Sendable func listErrors(_ request: Request, context: BridgeRequestContext) throws -> Response {
        var seen: Set<String> = []
        // Some share a name, with another status.
        let codes = ErrorCode.all.filter { seen.insert($0.rawValue).inserted }.sorted { $0.rawValue < $1.rawValue }
        return pages.errorIndex(codes, SelfIssuedRefusal.Reason.ofTheirOwn, to: PageVisitor(request, context))
    }
}
