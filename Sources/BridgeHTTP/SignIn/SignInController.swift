import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/sign-in`: username and password, then a code where the account asks for one.
struct SignInController: SignInGroup {
    static let routes: [Route<Self>] = [
        Route(.get, path, "signIn", as: .page, .signInLink, show).shownAgain(.withQuery),
        Route(.post, path, "attemptSignIn", as: .page, .signInForm(.signIn), attempt),
        Route(.get, codePath, "beginSignInAnew", as: .page, anyone: beginAnew),
        Route(.post, codePath, "confirmSignIn", as: .page, .signInForm(.signIn), confirm),
    ]

    /// A session belongs to the origin where it was opened, so the console has a sign-in of its own.
    static let place: Origins.Purposes? = [.provider, .console]
    static let unavailable = Unavailable.signIn

    let flow: SignInFlow
    let signIn: SignIn
    /// Where requests go that an app sends to the sign-in page itself, as those of the VA do; `nil` takes none.
    var frontDoor: String?

    static let path = SignInPath.page
    static let codePath = "/sign-in/code"

    /// The sign-in from which the browser comes back.
    /// - Parameter path: where to, with its query.
    static func path(backTo path: String) -> String {
        "\(self.path)?redirect=\(PercentEncoding.encode(path))"
    }

    /// As ``path(backTo:)``, for the sender of a form whose session is over: the page says that nothing was done.
    static func path(afterLostForm path: String) -> String {
        "\(self.path(backTo: path))&\(formLost.name)=\(formLost.value)"
    }

    /// Has the page say that a password was set.
    private static let passwordSet = HiddenField(name: "notice", value: "password_set")
    private static let formLost = HiddenField(name: passwordSet.name, value: "not_done")

    /// Where a user who has set a password by a link signs in, whichever user's the browser's session is.
    static var pathAfterSetUp: String {
        "\(SignInErrand(redirect: AccountPath.home).forAnother.url)&\(passwordSet.name)=\(passwordSet.value)"
    }

    @Sendable func show(
        _ request: Request, context: BridgeRequestContext, visit: SignInVisit
    ) async throws -> Response {
        let (query, errand, browser) = (visit.query, visit.errand, visit.browser)
        if let location = frontDoor(for: query, of: request) {
            return .seeOther(location)
        }
        let session = try await browsers.opened(by: request)
        return try await flow.missingPage(
            errand, told(query, errand), browser: browser, session: session,
            byTokens: try await byTokens(errand, besides: session, request), at: origins.own(of: request),
            to: pageVisitor(request, context))
    }

    /// What the address has the page say: where our own redirects lead, and nowhere else that somebody makes up.
    private func told(_ query: FormParameters, _ errand: SignInErrand) -> SignInNotice? {
        guard errand.destination == .account else { return nil }
        return switch query[Self.passwordSet.name] {
        case Self.passwordSet.value where errand.isForAnother: .passwordSet
        case Self.formLost.value where !errand.isForAnother: .formLost
        default: nil
        }
    }

    @Sendable func attempt(
        _ request: Request, context: BridgeRequestContext, sent: SignInForm
    ) async throws -> Response {
        let (form, errand) = (sent.form, sent.errand)
        let visitor = pageVisitor(request, context)
        let here = origins.own(of: request)
        let username = form.parameters["username"] ?? ""
        let session = try await browsers.opened(by: request)
        func again(_ notice: SignInNotice) async throws -> Response {
            try await flow.missingPage(
                errand, notice, username: username, browser: form.browser, session: session,
                byTokens: try await byTokens(errand, besides: session, request), at: here, to: visitor)
        }
        guard form.isOurs else { return try await again(.notOurs(form)) }
        let origin = context.recognisedOrigin(of: request)
        let outcome = try await signIn.attempt(
            username: username, password: Secret(form.parameters["password"] ?? ""), browser: form.browser,
            replacing: try await browsers.replaceable(in: request), origin: origin)
        switch outcome {
        case .signedIn(let opened):
            return try await flow.proceed(errand, opened, browser: form.browser, request, context)
        case .needsCode(let pending):
            return try flow.codePage(errand, pending, browser: form.browser, to: visitor)
        case .refused: return try await again(.refused)
        case .stale: return try await again(.stale)
        case .limited(let wait): return try await again(.limited(wait))
        }
    }

    @Sendable func confirm(
        _ request: Request, context: BridgeRequestContext, sent: SignInForm
    ) async throws -> Response {
        let (form, errand) = (sent.form, sent.errand)
        let visitor = pageVisitor(request, context)
        let here = origins.own(of: request)
        let session = try await browsers.opened(by: request)
        guard form.isOurs, let pending = form.parameters["pending"] else {
            return try await flow.missingPage(
                errand, .notOurs(form), browser: form.browser, session: session, at: here, to: visitor)
        }
        func again(_ notice: SignInNotice) async throws -> Response {
            let missing = try await flow.missing(errand, browser: form.browser, session: session)
            let account: Account? = if case .code(let account) = missing { account } else { nil }
            return try flow.codePage(errand, pending, notice, of: account, browser: form.browser, to: visitor)
        }
        let origin = context.recognisedOrigin(of: request)
        let outcome = try await signIn.confirm(
            pending: pending, code: form.parameters["code"] ?? "", browser: form.browser,
            replacing: try await browsers.replaceable(in: request), origin: origin)
        switch outcome {
        case .signedIn(let opened):
            return try await flow.proceed(errand, opened, browser: form.browser, request, context)
        // Whose session it was may have changed: who the visitor is has to be said again.
        case .stale: return try flow.page(errand.forAnother, .stale, browser: form.browser, at: here, to: visitor)
        case .refused, .needsCode: return try await again(.refused)
        case .limited(let wait): return try await again(.limited(wait))
        }
    }

    @Sendable func beginAnew(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try flow.beginAnew(request)
    }

    /// The authorization that an app means which opens the sign-in page with it.
    private func frontDoor(for query: FormParameters, of request: Request) -> String? {
        guard let frontDoor, query["oauth"] == "true", query["journey"] == nil,
            query["client_id"] ?? query["application"] != nil, let text = request.uri.query
        else { return nil }
        return "\(origins.configured.issuer)\(frontDoor)?\(text)"
    }

    /// The session that cookies of the profile `tokens` alone open, for a page that says why it is not enough.
    private func byTokens(
        _ errand: SignInErrand, besides session: WebSession?, _ request: Request
    ) async throws -> WebSession? {
        guard errand.destination == .account, session == nil else { return nil }
        return try await browsers.signedIn(by: request)?.session
    }
}
