import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/v0/sign_in/authorize`, and `/authorize_sso`, by which a website's session signs the app in.
struct CompatibleAuthorizeController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "\(SignInCompatibility.base)/authorize", "compat_authorize", anyone: authorize),
        // HEAD must not make a code, so it does not follow GET here.
        Route(.get, "\(SignInCompatibility.base)/authorize_sso", "compat_authorize_sso", anyone: authorizeFromWeb)
            .withoutHead,
    ]

    static let place = SignInCompatibility.place
    static let reservation = RouteReservation.paths
    static let unavailable = Unavailable.signIn

    let kit: BrowserPages
    let compatibility: SignInCompatibility
    /// The ids of the upstream providers.
    let providers: Set<String>

    /// Sends the request on to our own endpoint, which asks, signs in and answers.
    @Sendable func authorize(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await answeringCompatibly(request, context) {
            try await answer(request, context) { parameters in
                guard ["authorize", nil].contains(parameters["operation"]) else {
                    throw Self.invalid("operation", .invalidOperation)
                }
                return try redirectToAuthorize(parameters, client: try client(parameters))
            }
        }
    }

    /// A code for the app, by the session that the browser has; without one the browser is sent to the sign-in page.
    @Sendable func authorizeFromWeb(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await answeringCompatibly(request, context, error: .words) {
            guard !PrefetchSignal.isPresent(in: request.headers) else {
                throw OAuthError(.forbidden, "a code is not made ahead of the visit")
            }
            return try await answer(request, context) { parameters in
                guard ["authorize_sso", nil].contains(parameters["operation"]) else {
                    throw Self.invalid("operation", .invalidOperation)
                }
                return try await answerFromWeb(parameters, request, context)
            }
        }
    }

    private func answerFromWeb(
        _ parameters: FormParameters, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        let app = try client(parameters)
        let level = try level(parameters)
        // Refused by its name also where the session answers, so that nobody takes it for honoured.
        _ = try provider(parameters)
        guard app.kind == .native, app.isNativeSSOEnabled,
            parameters["code_challenge_method"] == "S256",
            let challenge = parameters["code_challenge"].flatMap({ CodeChallenge($0) })
        else { throw Self.invalidParameters(RefusalReason.nativeAppOrChallenge) }
        // Without the scope for a device secret while none is given, as at our own endpoint.
        let asked = Self.scope(parameters, of: app)
        let gives = try await compatibility.configuration.current().isEnabled
        let scope = gives ? asked : asked.removing(Scope.deviceSSO)
        // Only an address that no other app can claim may be answered without asking (RFC 8252 §8.6), only where the
        // person signed in here, and only what our own endpoint would not ask about (contract §14, §16.2, §16.7), or
        // refuse: a scope of which nothing is left, a nonce or state that is too long.
        guard !Self.isForAuthorize(request, of: app), !scope.isEmpty, ReturnedParameters.problem(in: parameters) == nil,
            let session = try await browsers.signedIn(by: request)?.session, session.isOwnSignIn,
            let website = clients.current[session.clientID],
            website.shareWith.contains(app.id) || app.shareWith.contains(website.id),
            let redirectURI = redirectURI(parameters, of: app), redirectURI.kind == .https,
            app.accepts(session.authentication, at: time.now()),
            level.map({ AuthenticationLevel.satisfies(session.authentication.acr, required: $0.rawValue) }) ?? true,
            try await isAgreed(scope, to: app, by: session.subject)
        else { return try redirectToAuthorize(parameters, client: app) }
        let issued = try await compatibility.codes.issue(
            AuthorizationGrant(
                clientID: app.id, redirectURI: redirectURI.text, codeChallenge: challenge,
                nonce: parameters["nonce"], scope: scope, subject: session.subject,
                authentication: session.authentication, browserSessionID: session.id),
            origin: context.origin(of: request), at: time.now())
        guard let code = issued else { return try redirectToAuthorize(parameters, client: app) }
        var given: [(name: String, value: String)] = [("code", code.expose()), ("type", "sso")]
        if let state = parameters["state"] { given.append(("state", state)) }
        given.append(("iss", issuer.description))
        return .seeOther(RedirectAnswer.location(redirectURI.text, given))
    }

    /// Answers a request by its parameters; what is refused is written down as at our own endpoint.
    private func answer(
        _ request: Request, _ context: BridgeRequestContext, by body: (FormParameters) async throws -> Response
    ) async throws -> Response {
        func record(_ reason: String, of client: ClientID?) async throws {
            try await compatibility.refusals.authorizationRequestRefused(
                reason, client: client, origin: context.origin(of: request), at: time.now())
        }
        let parameters: FormParameters
        do {
            parameters = try request.query()
        } catch {
            try await record(ErrorCode.invalidRequest.rawValue, of: nil)
            throw error
        }
        do {
            guard !parameters.hasRepeated else {
                throw Self.invalidParameters(AuthorizationRefusal.Reason.repeatedParameter)
            }
            // Or a level, a nonce or a state would be lost without a word.
            guard Self.listed.allSatisfy({ parameters.bytes($0) == nil || parameters[$0] != nil }) else {
                throw OAuthError(.invalidRequest, "a parameter is not UTF-8")
            }
            return try await body(parameters)
        } catch let error as OAuthError {
            try await record(error.detail ?? error.code.rawValue, of: named(parameters)?.id)
            throw error
        }
    }

    /// What the two paths read; what is not listed is ignored (docs/va-sign-in.md).
    private static let listed = [
        "client_id", "application", "operation", "type", "acr", "scope", "redirect_uri", "state", "nonce",
        "code_challenge", "code_challenge_method",
    ]

    private func isAgreed(_ scope: Scope, to app: Client, by subject: Subject) async throws -> Bool {
        if app.isFirstParty { return true }
        guard let consented = try await compatibility.grants.consent(of: subject, to: app.id) else { return false }
        return scope.tokens.allSatisfy(consented.contains)
    }

    /// What the client is registered with that our own endpoint alone looks at.
    private static func isForAuthorize(_ request: Request, of app: Client) -> Bool {
        app.requiresPushedRequests || app.rejectsReusedChallenge
            || (app.blocksWebViews && EmbeddedBrowser.isLikely(request.headers))
    }

    private func redirectToAuthorize(_ parameters: FormParameters, client: Client) throws -> Response {
        guard let redirectURI = redirectURI(parameters, of: client)?.text else {
            throw Self.invalidParameters(AuthorizationRefusal.Reason.unregisteredRedirect)
        }
        var query: [(String, String)] = [
            ("response_type", "code"), ("client_id", client.id.rawValue), ("redirect_uri", redirectURI),
            ("scope", Self.scope(parameters, of: client).description),
        ]
        for name in ["state", "code_challenge", "code_challenge_method", "nonce"] {
            if let value = parameters[name] { query.append((name, value)) }
        }
        if let level = try level(parameters) {
            query.append(("claims", #"{"id_token":{"acr":{"essential":true,"value":"\#(level.rawValue)"}}}"#))
        }
        if let provider = try provider(parameters) { query.append((AuthorizeController.providerHint, provider)) }
        let text = query.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return .seeOther("\(issuer)\(AuthorizeController.path)?\(text)")
    }

    private func client(_ parameters: FormParameters) throws -> Client {
        guard let client = named(parameters), client.kind != .service else {
            throw Self.invalidParameters(AuthorizationRefusal.Reason.unknownClient)
        }
        return client
    }

    /// Older apps name themselves by `application`.
    private func named(_ parameters: FormParameters) -> Client? {
        (parameters["client_id"] ?? parameters["application"]).flatMap { clients.current[ClientID(rawValue: $0)] }
    }

    /// How strong the sign-in must be at least. Who a person is in the world outside we cannot say: where that service
    /// asks for proof of it, the strongest sign-in that we have is asked for.
    private func level(_ parameters: FormParameters) throws -> AuthenticationLevel? {
        switch parameters["acr"] {
        case nil, "min"?, "loa1"?, "ial1"?: return nil
        case "loa3"?, "ial2"?: return .twoFactors
        case let name?:
            guard let level = AuthenticationLevel(rawValue: name) else { throw Self.invalid("acr", .invalidACR) }
            return level == .oneFactor ? nil : level
        }
    }

    /// `type` says with whom the person signs in: an upstream provider by its id.
    private func provider(_ parameters: FormParameters) throws -> String? {
        guard let type = parameters["type"] else { return nil }
        if providers.contains(type) { return type }
        guard Self.ownProviders.contains(type) else { throw Self.invalid("type", .invalidType) }
        return nil
    }

    /// The values of `type` that the VA's own apps send. Where no upstream provider has the name the person signs in as
    /// usual: an app that always names one must not be turned away (contract §5).
    private static let ownProviders: Set<String> = ["idme", "logingov", "dslogon", "mhv"]

    private static func invalid(_ name: String, _ reason: RefusalReason) -> OAuthError {
        OAuthError(.invalidRequest, "Invalid params: \(name)", detail: reason)
    }

    /// The one that is asked for, when it is registered; else the first, a claimed https address before others.
    private func redirectURI(
        _ parameters: FormParameters, of client: Client
    ) -> (text: String, kind: RedirectURI.Kind)? {
        let registered = client.redirectURIs
        if let asked = parameters["redirect_uri"] {
            // Of a loopback address any port (RFC 8252 §7.3).
            return registered.first { $0.matches(Array(asked.utf8)) }.map { (text: asked, kind: $0.kind) }
        }
        let first = registered.first { $0.kind == .https } ?? registered.first
        return first.map { (text: $0.description, kind: $0.kind) }
    }

    /// What the service grants without being asked, and `device_sso` when it is.
    private static func scope(_ parameters: FormParameters, of client: Client) -> Scope {
        let asked = parameters["scope"].flatMap { Scope($0) } ?? .empty
        return Scope(tokens: [Scope.openID, "profile", "email", Scope.offlineAccess] + asked.tokens)
            .intersection(client.grantableScope)
    }

    /// - Parameter reason: the reason in the audit log.
    private static func invalidParameters(_ reason: some RawRepresentable<String>) -> OAuthError {
        OAuthError(
            .invalidRequest, "Invalid params: client_id, code_challenge, code_challenge_method or redirect_uri",
            detail: reason.rawValue)
    }
}
