import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/sign-in`: username and password, then a code where the account asks for one.
struct SignInController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "signIn", as: .page, anyone: show).shownAgain(.withQuery),
        Route(.post, path, "attemptSignIn", as: .page, .form(.signIn, isOfSession: false), attempt),
        Route(.get, codePath, "beginSignInAnew", as: .page, anyone: beginAnew),
        Route(.post, codePath, "confirmSignIn", as: .page, .form(.signIn, isOfSession: false), confirm),
    ]

    /// A session belongs to the origin where it was opened, so the console has a sign-in of its own.
    static let place: Origins.Purposes? = [.provider, .console]

    let kit: BrowserPages
    let services: SignInServices
    /// Where requests go that an app sends to the sign-in page itself, as those of the VA do; `nil` takes none.
    var frontDoor: String?

    static let path = SignInWay.page
    static let codePath = "/sign-in/code"

    /// The sign-in from which the browser comes back.
    /// - Parameter path: where to, with its query.
    static func path(backTo path: String) -> String {
        "\(self.path)?redirect=\(PercentEncoding.encode(path))"
    }

    /// Has the page say that a password was set.
    private static let passwordSet = HiddenField(name: "notice", value: "password_set")

    /// Where a user who has set a password by a link signs in, whichever user's the browser's session is.
    static var pathAfterSetUp: String {
        "\(SignInErrand(redirect: AccountPath.home).forAnother.url)&\(passwordSet.name)=\(passwordSet.value)"
    }

    @Sendable func show(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        // A `redirect` that cannot be decoded does not fail the sign-in (contract §4.3).
        let query = try request.queryOfLink()
        if let location = frontDoor(for: query, of: request) {
            return .seeOther(location)
        }
        let errand = SignInErrand(query)
        let browser = FormCookie.binding(of: request, random: random)
        guard !isBlocked(errand, browser: browser, request) else { return blockedPage(request, context) }
        // Said where the redirect of a password that was set leads, and by no other address that somebody makes up.
        let isSet =
            errand.isForAnother && errand.isForAccount && query[Self.passwordSet.name] == Self.passwordSet.value
        let session = try await browsers.opened(by: request)
        return try await missingPage(
            errand, isSet ? .passwordSet : nil, browser: browser, session: session,
            byTokens: try await byTokens(errand, besides: session, request), at: origins.own(of: request),
            to: pageVisitor(request, context))
    }

    @Sendable func attempt(
        _ request: Request, context: BridgeRequestContext, form: BrowserForm
    ) async throws -> Response {
        let errand = SignInErrand(form.parameters)
        let visitor = pageVisitor(request, context)
        let here = origins.own(of: request)
        guard !isBlocked(errand, browser: form.browser, request) else { return blockedPage(request, context) }
        let username = form.parameters["username"] ?? ""
        let session = try await browsers.opened(by: request)
        func again(_ notice: SignInNotice) async throws -> Response {
            try await missingPage(
                errand, notice, username: username, browser: form.browser, session: session,
                byTokens: try await byTokens(errand, besides: session, request), at: here, to: visitor)
        }
        guard form.isOurs else { return try await again(.notOurs(form)) }
        let origin = context.recognisedOrigin(of: request)
        let outcome = try await services.signIn.attempt(
            username: username, password: Secret(form.parameters["password"] ?? ""), browser: form.browser,
            replacing: session, origin: origin)
        switch outcome {
        case .signedIn(let opened):
            return try await proceed(errand, opened, browser: form.browser, request, context)
        case .needsCode(let pending):
            return try codePage(errand, pending, browser: form.browser, at: here, to: visitor)
        case .refused: return try await again(.refused)
        case .stale: return try await again(.stale)
        case .limited(let wait): return try await again(.limited(wait))
        }
    }

    @Sendable func confirm(
        _ request: Request, context: BridgeRequestContext, form: BrowserForm
    ) async throws -> Response {
        let errand = SignInErrand(form.parameters)
        let visitor = pageVisitor(request, context)
        let here = origins.own(of: request)
        guard !isBlocked(errand, browser: form.browser, request) else { return blockedPage(request, context) }
        let session = try await browsers.opened(by: request)
        guard form.isOurs, let pending = form.parameters["pending"] else {
            return try await missingPage(
                errand, .notOurs(form), browser: form.browser, session: session, at: here, to: visitor)
        }
        func again(_ notice: SignInNotice) async throws -> Response {
            let missing = try await self.missing(errand, browser: form.browser, session: session)
            let account: Account? = if case .code(let account) = missing { account } else { nil }
            return try codePage(errand, pending, notice, of: account, browser: form.browser, at: here, to: visitor)
        }
        let origin = context.recognisedOrigin(of: request)
        let outcome = try await services.signIn.confirm(
            pending: pending, code: form.parameters["code"] ?? "", browser: form.browser,
            replacing: session, origin: origin)
        switch outcome {
        case .signedIn(let opened):
            return try await proceed(errand, opened, browser: form.browser, request, context)
        // Whose session it was may have changed: who the visitor is has to be said again.
        case .stale: return try page(errand.forAnother, .stale, browser: form.browser, at: here, to: visitor)
        case .refused, .needsCode: return try await again(.refused)
        case .limited(let wait): return try await again(.limited(wait))
        }
    }

    /// Back to what the sign-in was for, with the new session's cookies.
    func proceed(
        _ errand: SignInErrand, _ opened: OpenedSession, browser: OpaqueSecret, _ request: Request,
        _ context: BridgeRequestContext
    ) async throws -> Response {
        if let held = errand.held.flatMap({ HeldForm.open($0, with: services.heldForms, for: browser) }),
            held.subject == opened.session.subject
        {
            var response = pages.goOn(
                with: held, formToken: AdminVisit.formToken(for: opened.secret), to: pageVisitor(request, context))
            try await setCookies(of: opened, request, context, in: &response.headers)
            return response
        }
        let location = try await location(for: errand, of: opened.session, request, context)
        var response = Response.seeOther(location)
        try await setCookies(of: opened, request, context, in: &response.headers)
        return response
    }

    /// Where a sign-in leads that was for this; back to the page for one that is too weak for the website.
    func location(
        for errand: SignInErrand, of session: WebSession, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> String {
        if let journey = errand.journey {
            return "\(origins.configured.issuer)\(AuthorizeController.path)?journey=\(PercentEncoding.encode(journey))"
        }
        let here = origins.own(of: request)
        guard !isTooWeak(session.authentication, for: errand) else { return here.description + errand.forTheRest.url }
        return try await services.landing.location(
            for: errand.redirectParameter, of: session.subject, at: here, origin: context.origin(of: request))
    }

    /// Sets the cookies of whoever has just signed in, and leaves nothing of other users in the browser.
    func setCookies(
        of opened: OpenedSession, _ request: Request, _ context: BridgeRequestContext, in headers: inout HTTPFields
    ) async throws {
        try await browserSignOut.leaveOnly(
            opened.session.subject, in: request, origin: context.origin(of: request), headers: &headers)
        if let recognition = opened.recognition { KnownBrowserCookie.set(recognition, in: &headers) }
        SessionCookies.set(opened.session, secret: opened.secret, at: time.now(), in: &headers)
    }

    /// Somebody who loads the address of the code's form has no sign-in under way any more, and begins one for what the
    /// address says.
    @Sendable func beginAnew(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        onward(SignInErrand(try request.queryOfLink()).url, request)
    }

    /// The authorization that an app means which opens the sign-in page with it.
    private func frontDoor(for query: FormParameters, of request: Request) -> String? {
        guard let frontDoor, query["oauth"] == "true", query["journey"] == nil,
            query["client_id"] ?? query["application"] != nil, let text = request.uri.query
        else { return nil }
        return "\(origins.configured.issuer)\(frontDoor)?\(text)"
    }

    /// Whether it matters to what the sign-in is for how old it is.
    func limitsAge(_ errand: SignInErrand, browser: OpaqueSecret) -> Bool {
        guard let journey = errand.journey else {
            return services.landing.website(for: errand.redirect)?.maximumAuthenticationAge != nil
        }
        return services.authorizations.request(of: journey, browser: browser)?.limitsAge == true
    }

    /// Whether the app that asks for the sign-in shows the page inside itself and must not.
    func isBlocked(_ errand: SignInErrand, browser: OpaqueSecret, _ request: Request) -> Bool {
        guard EmbeddedBrowser.isLikely(request.headers), let journey = errand.journey else { return false }
        return services.authorizations.request(of: journey, browser: browser)?.client.blocksWebViews == true
    }

    func blockedPage(_ request: Request, _ context: BridgeRequestContext) -> Response {
        pages.authorizationProblem(.accessDenied, .embeddedBrowser, to: pageVisitor(request, context))
    }
}
