import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/session/language`: a visitor chooses the language of the pages, and sees the same page again (contract §11).
struct LanguageController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.post, path, "chooseLanguage", as: .page, anyone: choose)
    ]

    static let path = "/session/language"

    let pages: Pages
    let origins: OriginReader
    /// Of the page with a path.
    let repetition: @Sendable (Substring) -> PageRepetition

    @Sendable func choose(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let body = try await BodyReader.bytes(of: request)
        guard BodyReader.mediaType(of: request) == "application/x-www-form-urlencoded" else {
            throw OAuthError(.unsupportedMediaType)
        }
        guard isOwnPage(request) else { throw OAuthError(.forbidden) }
        let form = try FormParameters(parsing: body)
        guard let language = pages.texts.languages.first(where: { $0 == form["language"] }),
            let again = form["again"].flatMap({ PageAgain($0, repetition) })
        else { throw OAuthError(.invalidRequest) }
        // A path, not an address: it stays on this origin, whichever of ours that is.
        var headers: HTTPFields = [.location: again.address, .cacheControl: "no-store"]
        headers[.referrerPolicy] = "no-referrer"
        LanguageCookie.set(language, in: &headers)
        return Response(status: .seeOther, headers: headers)
    }

    /// Whether a page of this origin sent it. Nothing is lost where an old browser does not say so: a language is no secret
    /// and opens nothing. Our own pages come with `Origin: null`, because they send no referrer.
    private func isOwnPage(_ request: Request) -> Bool {
        if let site = FetchMetadata.site(request.headers) { return site == .sameOrigin }
        return request.headers.values(of: .origin) == ["null"]
            || FetchMetadata.origin(request.headers, own: origins.own(of: request)) != .foreign
    }
}
