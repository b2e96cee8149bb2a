import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/sign-in`: username and password, then a code where the account asks for one.
struct SignInController: Sendable {
    let services: SignInServices
    let sessions: WebSessions
    let formTokens: FormTokens
    let pages: Pages
    let publicOrigin: WebOrigin
    let time: TimeSource
    let random: RandomSource

    static let path = "/sign-in"
    static let codePath = "/sign-in/code"

    @Sendable func show(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let errand = SignInErrand(try FormParameters(parsing: (request.uri.query ?? "").utf8))
        let browser = FormCookie.binding(of: request, random: random)
        guard !isBlocked(errand, browser: browser, request) else { return blockedPage(request, context) }
        return try page(errand, browser: browser, to: PageVisitor(request, context))
    }

    @Sendable func attempt(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let form = try await BrowserForm.read(request, formTokens: formTokens, random: random)
        let errand = SignInErrand(form.parameters)
        let visitor = PageVisitor(request, context)
        guard !isBlocked(errand, browser: form.browser, request) else { return blockedPage(request, context) }
        let username = form.parameters["username"] ?? ""
        guard form.isOurs else {
            return try page(errand, .stale, username: username, browser: form.browser, to: visitor)
        }
        let origin = context.origin(of: request)
        let outcome = try await services.signIn.attempt(
            username: username, password: Secret(form.parameters["password"] ?? ""), browser: form.browser,
            replacing: try await session(request), origin: origin)
        switch outcome {
        case .signedIn(let opened): return try await proceed(errand, opened, origin: origin)
        case .needsCode(let pending): return try codePage(errand, pending, browser: form.browser, to: visitor)
        case .refused: return try page(errand, .refused, username: username, browser: form.browser, to: visitor)
        case .limited(let wait):
            return try page(errand, .limited(wait), username: username, browser: form.browser, to: visitor)
        }
    }

    @Sendable func confirm(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let form = try await BrowserForm.read(request, formTokens: formTokens, random: random)
        let errand = SignInErrand(form.parameters)
        let visitor = PageVisitor(request, context)
        guard form.isOurs, let pending = form.parameters["pending"] else {
            return try page(errand, .stale, browser: form.browser, to: visitor)
        }
        let origin = context.origin(of: request)
        let outcome = try await services.signIn.confirm(
            pending: pending, code: form.parameters["code"] ?? "", browser: form.browser,
            replacing: try await session(request), origin: origin)
        switch outcome {
        case .signedIn(let opened): return try await proceed(errand, opened, origin: origin)
        case .refused, .needsCode:
            return try codePage(errand, pending, .refused, browser: form.browser, to: visitor)
        case .limited(let wait):
            return try codePage(errand, pending, .limited(wait), browser: form.browser, to: visitor)
        }
    }

    /// Back to what the sign-in was for, with the new session's cookies.
    func proceed(_ errand: SignInErrand, _ opened: OpenedSession, origin: RequestOrigin) async throws -> Response {
        let location: String
        if let journey = errand.journey {
            location = "\(publicOrigin)\(AuthorizeController.path)?journey=\(PercentEncoding.encode(journey))"
        } else {
            location = try await services.landing.location(
                for: errand.redirect, of: opened.session.subject, origin: origin)
        }
        var headers: HTTPFields = [.location: location, .cacheControl: "no-store"]
        headers[.referrerPolicy] = "no-referrer"
        SessionCookies.set(opened.session, secret: opened.secret, at: time.now(), in: &headers)
        return Response(status: .seeOther, headers: headers)
    }

    private func session(_ request: Request) async throws -> WebSession? {
        guard let secret = request.sessionSecret else { return nil }
        return try await sessions.lookUp(secret)
    }

    func page(
        _ errand: SignInErrand, _ notice: SignInNotice? = nil, username: String? = nil, browser: OpaqueSecret,
        to visitor: PageVisitor
    ) throws -> Response {
        let request = errand.journey.flatMap { services.authorizations.request(of: $0, browser: browser) }
        var response = pages.signIn(
            SignInPage(
                fields: errand.fields + [try token(browser)], notice: notice,
                username: username ?? request?.loginHint, clientName: request?.client.name,
                formTargets: targets(request), providers: providers(errand)),
            to: visitor.preferring(request?.uiLocales))
        FormCookie.set(browser, lifetime: FormCookie.journeyLifetime, in: &response.headers)
        return response
    }

    private func codePage(
        _ errand: SignInErrand, _ pending: String, _ notice: SignInNotice? = nil, browser: OpaqueSecret,
        to visitor: PageVisitor
    ) throws -> Response {
        let request = errand.journey.flatMap { services.authorizations.request(of: $0, browser: browser) }
        let fields = errand.fields + [HiddenField(name: "pending", value: pending), try token(browser)]
        var response = pages.code(
            fields: fields, notice: notice, formTargets: targets(request), to: visitor.preferring(request?.uiLocales))
        FormCookie.set(browser, lifetime: FormCookie.journeyLifetime, in: &response.headers)
        return response
    }

    /// Whether the app that asks for the sign-in shows the page inside itself and must not.
    func isBlocked(_ errand: SignInErrand, browser: OpaqueSecret, _ request: Request) -> Bool {
        guard EmbeddedBrowser.isLikely(request.headers), let journey = errand.journey else { return false }
        return services.authorizations.request(of: journey, browser: browser)?.client.blocksWebViews == true
    }

    func blockedPage(_ request: Request, _ context: BridgeRequestContext) -> Response {
        pages.authorizationProblem(.accessDenied, .embeddedBrowser, to: PageVisitor(request, context))
    }

    private func token(_ browser: OpaqueSecret) throws -> HiddenField {
        HiddenField(name: "form_token", value: try formTokens.make(binding: browser))
    }

    private func providers(_ errand: SignInErrand) -> [(name: String, url: String)] {
        (services.upstream?.providers ?? []).map { provider in
            let query = errand.isEmpty ? "" : "?\(errand.query)"
            return (provider.name, "\(Self.path)/with/\(provider.id)\(query)")
        }
    }

    /// Where the redirects behind the form may end.
    private func targets(_ request: AuthorizationRequest?) -> [String] {
        if let request { return [FormTarget.source(of: request)] }
        let target = services.landing.targetOrigin
        return target == publicOrigin ? [] : [target.description]
    }
}
