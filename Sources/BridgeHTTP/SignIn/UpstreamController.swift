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
struct UpstreamController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/sign-in/with/{provider}", "beginUpstream", as: .page, anyone: begin).withoutHead,
        Route(.get, "/sign-in/callback/{provider}", "finishUpstream", as: .page, anyone: finish).withoutHead,
    ]

    static let place: Origins.Purposes? = [.provider, .console]
    static let unavailable = Unavailable.signIn

    let upstream: UpstreamSignIn
    let flow: SignInFlow

    var kit: BrowserPages { flow.kit }

    @Sendable func begin(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let query = request.uri.query ?? ""
        let errand = SignInErrand(try FormParameters(parsing: query.utf8))
        let browser = FormCookie.binding(of: request, random: random)
        guard !flow.isBlocked(errand, browser: browser, request) else {
            return flow.blockedPage(request, context)
        }
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
            replacing: try await browsers.replaceable(in: request), origin: origin)
        switch outcome {
        case .signedIn(let opened, let errand):
            let errand = SignInErrand(try FormParameters(parsing: errand.utf8))
            return try await flow.proceed(errand, opened, browser: browser, request, context)
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
}
