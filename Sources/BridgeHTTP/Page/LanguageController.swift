import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/session/language`: a visitor chooses the language of the pages, and sees the same page again (docs/languages.md).
///
/// By `GET`, although it sets a cookie: the cookie identifies nobody. Every form of ours that changes something is a
/// `POST`.
struct LanguageController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "chooseLanguage", as: .page, anyone: choose).withoutHead
    ]

    static let path = "/session/language"

    let pages: Pages
    let origins: OriginReader
    /// The repetition of the page with a path.
    let repetition: @Sendable (Substring) -> PageRepetition

    @Sendable func choose(_ request: Request, context: BridgeRequestContext) throws -> Response {
        guard isOwnPage(request) else { throw OAuthError(.forbidden) }
        let form = try request.query()
        try form.checkUnique()
        guard let language = pages.texts.languages.first(where: { $0 == form["language"] }),
            let again = form["again"].flatMap({ PageAgain($0, repetition) })
        else { throw OAuthError(.invalidRequest) }
        // A path, not an address: it stays on this origin, whichever of ours that is.
        var response = Response.seeOther(again.address)
        LanguageCookie.set(language, in: &response.headers)
        return response
    }

    /// Whether a page of this origin asks. Nothing is lost where an old browser does not say so: a language is not a
    /// secret and opens nothing.
    private func isOwnPage(_ request: Request) -> Bool {
        FetchMetadata.site(request.headers).map { $0 == .sameOrigin } ?? true
    }
}
