import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `POST /sign-in/logout/{provider}`: where an upstream provider says that a user has signed out there (OpenID Connect
/// Back-Channel Logout 1.0 §2.5).
struct UpstreamSignOutController: RouteGroup {
    static let routes: [Route<Self>] = [
        Route(.post, "/sign-in/logout/{provider}", "hearUpstreamSignOut", as: .json, anyone: hear)
    ]

    static let place: Origins.Purposes? = [.provider, .console]

    let signOuts: UpstreamSignOuts

    @Sendable func hear(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let form = try await BodyReader.form(of: request)
        try await signOuts.hear(
            form, from: context.parameters.get("provider") ?? "", origin: context.origin(of: request))
        // §2.8 wants it; errors have it from ``ErrorResponder``.
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }
}

/// `/sign-in/with/{provider}` and where the provider sends the browser back.
struct UpstreamController: SignInGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/sign-in/with/{provider}", "beginUpstream", as: .page, .signInVisit, begin).withoutHead,
        Route(.get, callback, "finishUpstream", as: .page, anyone: finish).withoutHead,
        Route(
            .post, callback, "switchToUpstreamUser", as: .page, .form(.switchAccount, isOfSession: true),
            switchAccount),
    ]

    private static let callback = "\(SignInPath.callback){provider}"
    /// What the provider answered, sealed, while the browser's user is asked.
    private static let answerField = "answer"

    static let place: Origins.Purposes? = [.provider, .console]
    static let unavailable = Unavailable.signIn

    let upstream: UpstreamSignIn
    let flow: SignInFlow

    @Sendable func begin(
        _ request: Request, context: BridgeRequestContext, visit: SignInVisit
    ) async throws -> Response {
        let (errand, browser) = (visit.errand, visit.browser)
        // A provider may answer at once, with whomever it likes. Where a foreign page sends the browser, the sign-in
        // page has the button; an app's own request, which a browser brought here a moment ago, goes on.
        guard
            FetchMetadata.isOwnVisit(request.headers)
                || errand.journey.map({ flow.services.authorizations.began($0, in: browser) }) == true
        else { return onward(errand.url, request) }
        let isFresh = try await wantsFreshSignIn(errand, browser: browser, request)
        guard let id = context.parameters.get("provider"),
            let target = try await upstream.begin(
                id, errand: errand.query, browser: browser, at: origins.own(of: request), isFresh: isFresh)
        else { throw OAuthError(.notFound) }
        var response = Response.seeOther(target)
        FormCookie.set(browser, in: &response.headers)
        return response
    }

    /// Whether an earlier sign-in will not do. Somebody who is already signed in here, by cookies of either profile,
    /// wants another sign-in, not the same one again.
    private func wantsFreshSignIn(
        _ errand: SignInErrand, browser: OpaqueSecret, _ request: Request
    ) async throws -> Bool {
        if errand.isStepUp || flow.limitsAge(errand, browser: browser) { return true }
        if try await browsers.opened(by: request) != nil { return true }
        return try await !browsers.tokenSessions(of: request).isEmpty
    }

    @Sendable func finish(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let parameters = try request.query()
        let browser = FormCookie.binding(of: request, random: random)
        let here = origins.own(of: request)
        let origin = context.origin(of: request)
        let outcome = try await upstream.finish(
            context.parameters.get("provider") ?? "", parameters, browser: browser, at: here,
            held: try await held(in: request), replacing: try await browsers.replaceable(in: request), origin: origin)
        return try await answer(outcome, browser: browser, request, context)
    }

    /// "Yes, go on as the provider's user"; without it nothing of the answer has counted.
    @Sendable func switchAccount(
        _ request: Request, context: BridgeRequestContext, form: BrowserForm
    ) async throws -> Response {
        let provider = context.parameters.get("provider") ?? ""
        let agreed = form.parameters["confirm_switch"] == "yes" ? form.parameters[Self.answerField] : nil
        if let agreed, let answer = try await answerToSecond(agreed, of: provider, form.browser, request, context) {
            return answer
        }
        guard form.isOurs, let sealed = agreed else {
            // In the address: the answer takes up most of what a body may have.
            let errand = SignInErrand(try request.query())
            return try flow.page(
                errand, .notOurs(form), browser: form.browser, at: origins.own(of: request),
                to: pageVisitor(request, context))
        }
        let outcome = try await upstream.switchAccount(
            provider, sealed: sealed, browser: form.browser,
            replacing: try await browsers.replaceable(in: request), origin: context.origin(of: request))
        return try await answer(outcome, browser: form.browser, request, context)
    }

    /// Leads somebody on who has pressed the button twice, and is signed in by the first time.
    private func answerToSecond(
        _ sealed: String, of provider: String, _ browser: OpaqueSecret, _ request: Request,
        _ context: BridgeRequestContext
    ) async throws -> Response? {
        guard let session = try await browsers.opened(by: request),
            let errand = try await upstream.answeredErrand(
                provider, sealed: sealed, browser: browser, held: try await held(in: request))
        else { return nil }
        return .seeOther(
            try await flow.location(
                for: SignInErrand(try FormParameters(parsing: errand.utf8)), of: session, request, context))
    }

    /// Who is signed in in this browser, by cookies of either profile; no visit of another domain's website.
    private func held(in request: Request) async throws -> [WebSession] {
        try await browsers.all(of: request).map(\.session).filter { !origins.isKeptElsewhere($0) }
    }

    private func answer(
        _ outcome: UpstreamSignIn.Outcome, browser: OpaqueSecret, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let here = origins.own(of: request)
        switch outcome {
        case .signedIn(let opened, let errand):
            let errand = SignInErrand(try FormParameters(parsing: errand.utf8))
            return try await flow.proceed(errand, opened, browser: browser, request, context)
        case .asks(let current, let proposed, let sealed, let query):
            let errand = SignInErrand(try FormParameters(parsing: query.utf8))
            let known = Person(current, try await flow.services.accounts.account(of: current))
            return try question(
                errand, known, Person(proposed.subject, proposed), sealed, browser: browser, request, context)
        case .refused(let query):
            let errand = SignInErrand(try FormParameters(parsing: (query ?? "").utf8))
            return try flow.page(
                errand, query == nil ? .stale : .declined, browser: browser, at: here,
                to: pageVisitor(request, context))
        case .limited(let wait, let query):
            let errand = SignInErrand(try FormParameters(parsing: query.utf8))
            return try flow.page(
                errand, .limited(wait), browser: browser, at: here, to: pageVisitor(request, context))
        }
    }

    private func question(
        _ errand: SignInErrand, _ current: Person, _ proposed: Person, _ sealed: String, browser: OpaqueSecret,
        _ request: Request, _ context: BridgeRequestContext
    ) throws -> Response {
        let id = context.parameters.get("provider") ?? ""
        let home =
            errand.journey.map { "\(issuer)\(AuthorizeController.path)?journey=\(PercentEncoding.encode($0))" }
            ?? stayPath(request)
        let formToken = try formTokens.make(for: .switchAccount, binding: browser, session: request.sessionSecret)
        var response = pages.switchAccount(
            current: current, proposed: proposed, by: upstream.providers.first { $0.id == id }?.name ?? id, home: home,
            action: Self.callback.replacing("{provider}", with: id) + errand.querySuffix,
            fields: [
                HiddenField(name: Self.answerField, value: sealed),
                HiddenField(name: BrowserForm.tokenField, value: formToken),
            ], to: pageVisitor(request, context))
        FormCookie.set(browser, in: &response.headers)
        return response
    }
}
