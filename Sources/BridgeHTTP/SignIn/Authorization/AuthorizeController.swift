import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/oauth/authorize` and the consent page's form (RFC 6749 §4.1.1, docs/rules/authorization-request.md).
struct AuthorizeController: BrowserGroup {
    static let routes: [Route<Self>] = [
        // HEAD must not use a request up, so it does not follow GET here.
        Route(.get, path, "authorize", as: .page, anyone: begin).withoutHead.metadata("authorization_endpoint"),
        Route(.post, path, "authorizeByPost", as: .page, anyone: submit),
        Route(.post, "/oauth/consent", "consent", as: .page, .form(.consent, isOfSession: true), consent),
    ]

    static let place: Origins.Purposes? = .provider

    let kit: BrowserPages
    let services: SignInServices

    static let path = "/oauth/authorize"

    @Sendable func begin(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let parameters = try FormParameters(parsing: (request.uri.query ?? "").utf8)
        return try await go(parameters, request, context)
    }

    @Sendable func submit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let body = try await BodyReader.bytes(of: request)
        guard BodyReader.mediaType(of: request) == "application/x-www-form-urlencoded" else {
            throw OAuthError(.unsupportedMediaType)
        }
        return try await go(try FormParameters(parsing: body), request, context)
    }

    @Sendable func consent(
        _ request: Request, context: BridgeRequestContext, form: BrowserForm
    ) async throws -> Response {
        guard let journey = form.parameters["journey"] else {
            return pages.staleAuthorization(to: PageVisitor(request, context))
        }
        let session = try await browsers.opened(by: request)
        let origin = context.origin(of: request)
        let outcome =
            if form.isOurs {
                try await services.authorizations.settle(
                    journey, agreed: form.parameters["decision"] == "allow", browser: form.browser, session: session,
                    origin: origin)
            } else {
                // The page is shown once more: only a click on a page of ours, in this browser, counts.
                try await services.authorizations.resume(
                    journey, browser: form.browser, session: session, origin: origin)
            }
        return try await answer(outcome, browser: form.browser, request, context)
    }

    private func go(
        _ parameters: FormParameters, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let browser = FormCookie.binding(of: request, random: random)
        let session = try await browsers.opened(by: request)
        let origin = context.origin(of: request)
        let outcome =
            if let journey = parameters["journey"], parameters["client_id"] == nil {
                try await services.authorizations.resume(
                    journey, browser: browser, session: session, origin: origin)
            } else {
                try await services.authorizations.begin(
                    parameters, browser: browser, isEmbedded: EmbeddedBrowser.isLikely(request.headers),
                    session: session, origin: origin)
            }
        return try await answer(outcome, browser: browser, request, context)
    }

    private func answer(
        _ outcome: AuthorizationOutcome, browser: OpaqueSecret, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let visitor = PageVisitor(request, context)
        switch outcome {
        case .redirect(let location):
            return FormTarget.isApp(location)
                ? pages.backToApp(at: location, to: visitor) : Self.redirect(to: location)
        case .signIn(let journey, _):
            let target = "\(issuer)\(SignInController.path)?journey=\(PercentEncoding.encode(journey))"
            var response = Self.redirect(to: target)
            FormCookie.set(browser, lifetime: FormCookie.journeyLifetime, in: &response.headers)
            return response
        case .askConsent(let journey, let asked, let subject):
            let account = try await services.accounts.account(of: subject)
            let fields = [
                HiddenField(name: "journey", value: journey),
                HiddenField(
                    name: "form_token",
                    value: try formTokens.make(for: .consent, binding: browser, session: request.sessionSecret)),
            ]
            var response = pages.consent(
                asked, user: account?.shownName ?? subject.rawValue, fields: fields,
                switchURL: SignInErrand.otherAccountURL(journey: journey),
                to: visitor.preferring(asked.uiLocales))
            FormCookie.set(browser, lifetime: FormCookie.journeyLifetime, in: &response.headers)
            return response
        case .page(let code, let problem): return pages.authorizationProblem(code, problem, to: visitor)
        case .plain: return Self.plainRefusal
        case .stale: return pages.staleAuthorization(to: visitor)
        }
    }

    /// 303, never 307: a POST must not be repeated at the client with what the user typed (RFC 9700 §4.12).
    private static func redirect(to location: String) -> Response {
        var headers: HTTPFields = [.location: location, .cacheControl: "no-store"]
        headers[.referrerPolicy] = "no-referrer"
        headers[.xFrameOptions] = "DENY"
        headers[.contentSecurityPolicy] = ContentSecurityPolicy().value
        return Response(status: .seeOther, headers: headers)
    }

    private static var plainRefusal: Response {
        Response(
            status: .init(code: ErrorCode.invalidRequest.status),
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: "This response mode is not supported.\n")))
    }
}
