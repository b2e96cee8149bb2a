import Bridge
import HTTPTypes
import Hummingbird
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
    static let unavailable = Unavailable.signIn

    let kit: BrowserPages
    let services: SignInServices

    static let path = "/oauth/authorize"
    /// Names the upstream provider at which the user is to sign in, by its id; one that there is not is passed over.
    static let providerHint = "idp_hint"

    @Sendable func begin(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        // Nobody looks yet: a code made now would use up what the visit itself needs (contract §5.7).
        guard !PrefetchSignal.isOfBrowser(request.headers) else { throw OAuthError(.forbidden) }
        let text = PostedRequest.text(of: request.uri.query ?? "", openedWith: services.postedRequests)
        return try await go(Self.parameters(text), request, context)
    }

    @Sendable func submit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let body = try await BodyReader.bytes(of: request)
        guard BodyReader.isForm(request) else {
            throw OAuthError(.unsupportedMediaType)
        }
        let form = try Self.parameters(body)
        if isWithoutCookies(request), form["journey"] == nil,
            let address = try PostedRequest.address(
                at: "\(issuer)\(Self.path)", of: body, sealedWith: services.postedRequests)
        {
            return Self.redirect(to: address)
        }
        return try await go(
            form.adding(AuthorizationParameter.loginToken, of: try request.queryOfLink()), request, context)
    }

    @Sendable func consent(
        _ request: Request, context: BridgeRequestContext, form: BrowserForm
    ) async throws -> Response {
        guard let journey = form.parameters["journey"] else {
            return pages.staleAuthorization(to: pageVisitor(request, context))
        }
        let session = try await browsers.opened(by: request, forRequestOf: client(of: journey, form.browser))
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
        return try await answer(outcome, isStale: !form.isOurs, browser: form.browser, request, context)
    }

    /// A person is in front of it, whom a broken escape does not stop where the request does not depend on it.
    private static func parameters(_ text: [UInt8]) throws(FormParameters.Failure) -> FormParameters {
        try FormParameters(
            keepingMalformed: text, besides: AuthorizationParameter.decisive + [AuthorizationParameter.resource])
    }

    private func go(
        _ parameters: FormParameters, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let browser = FormCookie.binding(of: request, random: random)
        let token = parameters[AuthorizationParameter.loginToken]
        let hint = parameters[Self.providerHint]
        let provider = services.upstream?.signIn.providers.map(\.id).first { $0 == hint }
        if let journey = parameters["journey"], parameters["client_id"] == nil {
            let client = client(of: journey, browser)
            if let token, isSwitch(parameters, request) {
                let tokenSessions = try await tokenSessions(of: request, for: client)
                let visitor = try await visitor(
                    request, context, browser, tokenSessions.answering, for: client, mayRedeem: true)
                try await context.requireAwaited()
                return try await answer(
                    try await RetryCookie.telling {
                        try await services.tokens.confirmSwitch(journey, token: Secret(token), by: visitor)
                    },
                    tokenSessions, at: provider, browser: browser, request, context)
            }
            let outcome = try await services.authorizations.resume(
                journey, browser: browser, session: try await browsers.opened(by: request, forRequestOf: client),
                origin: context.origin(of: request))
            return try await answer(outcome, at: provider, browser: browser, request, context)
        }
        let client = parameters["client_id"].map(ClientID.init(rawValue:))
        let mayBringToken = token != nil || parameters["request_uri"] != nil
        let tokenSessions = mayBringToken ? try await tokenSessions(of: request, for: client) : TokenSessions()
        let visitor = try await visitor(
            request, context, browser, tokenSessions.answering, for: client,
            mayRedeem: mayBringToken && !isForeign(request))
        if mayBringToken { try await context.requireAwaited() }
        return try await answer(
            try await RetryCookie.telling {
                try await services.tokens.begin(
                    parameters, isEmbedded: EmbeddedBrowser.isLikely(request.headers), by: visitor)
            }, tokenSessions, at: provider, browser: browser, request, context)
    }

    private func visitor(
        _ request: Request, _ context: BridgeRequestContext, _ browser: OpaqueSecret, _ tokenSessions: [SignedIn],
        for client: ClientID?, mayRedeem: Bool
    ) async throws -> LoginTokenAuthorizations.Visitor {
        let named = try await browsers.named(by: request, forRequestOf: client)
        return LoginTokenAuthorizations.Visitor(
            browser: browser, session: named?.alive,
            isGranting: named?.alive.map { origins.grants($0, to: client) } ?? false, left: named?.left,
            tokenSessions: tokenSessions.map(\.session),
            spent: Set(tokenSessions.filter(\.isSpent).map(\.session.id)), mayRedeem: mayRedeem,
            retry: request.cookie(RetryCookie.name), origin: context.origin(of: request))
    }

    /// What a browser's cookies of the profile `tokens` name.
    private struct TokenSessions {
        var all: [SignedIn] = []
        /// Those that count where the client asks.
        var answering: [SignedIn] = []
    }

    private func tokenSessions(of request: Request, for client: ClientID?) async throws -> TokenSessions {
        let all = try await browsers.tokenSessionsToEnd(of: request)
        return TokenSessions(all: all, answering: all.filter { origins.answers($0.session, to: client) })
    }

    /// Who asked for what a page was shown for.
    private func client(of journey: String, _ browser: OpaqueSecret) -> ClientID? {
        services.authorizations.request(of: journey, browser: browser)?.client.id
    }

    /// Whether another website's page posts this, and the browser may have cookies of ours that did not come along.
    private func isWithoutCookies(_ request: Request) -> Bool {
        isForeign(request) && request.sessionSecret == nil && request.formBinding == nil
    }

    /// Whether another website sent the browser here, or nobody looks at it yet: a token is ignored then (contract §4.5).
    private func isForeign(_ request: Request) -> Bool {
        let site = FetchMetadata.site(request.headers)
        return site == .crossSite || site == .other || PrefetchSignal.isPresent(in: request.headers)
            || FetchMetadata.origin(request.headers, own: origins.own(of: request)) == .foreign
    }

    /// Whether the page that asks about another user's session was answered with yes, in that session.
    private func isSwitch(_ parameters: FormParameters, _ request: Request) -> Bool {
        parameters["confirm_switch"] == "yes"
            && request.isOurs(parameters, for: .switchAccount, isOfSession: true, by: formTokens)
    }

    private func answer(
        _ outcome: LoginTokenAuthorizations.Outcome, _ tokenSessions: TokenSessions, at provider: String?,
        browser: OpaqueSecret, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        switch outcome {
        case .authorization(let outcome, let opened):
            return try await RetryCookie.telling {
                try await services.tokens.deliver(opened) {
                    var response = try await answer(outcome, at: provider, browser: browser, request, context)
                    guard let opened else { return response }
                    try setCookies(of: opened, in: &response.headers)
                    try await takeCookies(
                        besides: opened, of: tokenSessions.answering, request, in: &response.headers)
                    browserSignOut.takeRenewable(of: request, besides: tokenSessions.all, in: &response.headers)
                    return response
                }
            }
        case .switchAccount(let current, let proposed, let journey, let token, let asked):
            let fields = [
                HiddenField(name: "journey", value: journey),
                HiddenField(name: AuthorizationParameter.loginToken, value: token.expose()),
                HiddenField(
                    name: BrowserForm.tokenField,
                    value: try formTokens.make(
                        for: .switchAccount, binding: browser, session: request.sessionSecret)),
            ]
            var response = pages.switchAccount(
                current: Person(current, try await services.accounts.account(of: current)),
                proposed: Person(proposed, try await services.accounts.account(of: proposed)),
                home: "\(Self.path)?journey=\(PercentEncoding.encode(journey))",
                action: Self.path, fields: fields, to: pageVisitor(request, context, for: asked.client))
            FormCookie.set(browser, in: &response.headers)
            return response
        }
    }

    /// - Parameters:
    ///   - provider: the upstream provider at which a user signs in who has to.
    ///   - isStale: whether the page asks once more because the last answer to it did not count.
    private func answer(
        _ outcome: AuthorizationOutcome, at provider: String? = nil, isStale: Bool = false, browser: OpaqueSecret,
        _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let visitor = pageVisitor(request, context)
        switch outcome {
        case .redirect(let location):
            return AnswerAddress.isApp(location)
                ? pages.backToApp(at: location, to: visitor) : Self.redirect(to: location)
        case .post(let uri, let fields):
            let hidden = fields.map { HiddenField(name: $0.name, value: $0.value) }
            return pages.formPost(to: uri, hidden, visitor: visitor)
        case .signIn(let journey, _):
            let page = provider.map { "\(SignInController.path)/with/\($0)" } ?? SignInController.path
            let target = "\(issuer)\(page)?journey=\(PercentEncoding.encode(journey))"
            var response = Self.redirect(to: target)
            FormCookie.set(browser, in: &response.headers)
            return response
        case .askConsent(let journey, let asked, let subject):
            let account = try await services.accounts.account(of: subject)
            let fields = [
                HiddenField(name: "journey", value: journey),
                HiddenField(
                    name: BrowserForm.tokenField,
                    value: try formTokens.make(for: .consent, binding: browser, session: request.sessionSecret)),
            ]
            var response = pages.consent(
                asked, user: account?.shownName ?? subject.rawValue, fields: fields,
                switchURL: SignInErrand.otherAccountURL(journey: journey), isStale: isStale,
                to: visitor.preferring(asked.uiLocales).themed(by: asked.client))
            FormCookie.set(browser, in: &response.headers)
            return response
        case .page(let code, let problem):
            return pages.authorizationProblem(code, problem, to: await kit.atHome(visitor, request))
        case .stale: return pages.staleAuthorization(to: await kit.atHome(visitor, request))
        }
    }

    private static func redirect(to location: String) -> Response {
        var response = Response.seeOther(location)
        response.headers[.xFrameOptions] = "DENY"
        response.headers[.contentSecurityPolicy] = ContentSecurityPolicy.usual.value
        return response
    }
}
