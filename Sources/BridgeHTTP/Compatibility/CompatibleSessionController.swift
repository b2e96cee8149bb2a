import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/v0/sign_in/user_info`, `/logout` and `/revoke_all_sessions`. What ends something takes a POST; a GET asks.
struct CompatibleSessionController: Sendable {
    let compatibility: SignInCompatibility
    let provider: ProviderServices
    let gate: BearerGate
    let endings: SessionEndings
    let browsers: BrowserSessions
    let clients: Reloadable<ClientDirectory>
    let refresh: SessionRefreshController
    let formTokens: FormTokens
    let pages: Pages
    let sameOrigin: SameOriginProof
    let time: TimeSource
    let random: RandomSource

    @Sendable func userInfo(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await CompatibleError.answering {
            guard let subject = try await subject(of: request, context) else {
                throw OAuthError(.invalidToken, "Access token has expired or is not valid")
            }
            var claims = try await compatibility.users.claims(of: subject).filter { !$0.value.isNull }
            claims["sub"] = .string(subject.rawValue)
            claims["first_name"] = claims["given_name"]
            claims["last_name"] = claims["family_name"]
            return TokenAnswer.response(JSONValue.object(claims).text)
        }
    }

    @Sendable func askToSignOut(_ request: Request, context: BridgeRequestContext) throws -> Response {
        try ask(request, context, action: "\(SignInCompatibility.base)/logout")
    }

    @Sendable func askToEndAll(_ request: Request, context: BridgeRequestContext) throws -> Response {
        try ask(request, context, action: "\(SignInCompatibility.base)/revoke_all_sessions")
    }

    @Sendable func signOut(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let form = try await proven(request)
        var headers: HTTPFields = [.cacheControl: "no-store"]
        var client = form["client_id"].flatMap { clients.current[ClientID(rawValue: $0)] }
        while let found = try await browsers.find(request) {
            client = client ?? clients.current[found.session.clientID]
            try await endings.end(
                .webSession(found.session.id), .signOut(origin: context.origin(of: request), at: time.now()))
        }
        clearCookies(in: &headers)
        headers[.location] =
            client?.postLogoutRedirectURIs.first.map { "\($0)" } ?? "\(sameOrigin.publicOrigin)/session/signed-out"
        return Response(status: .seeOther, headers: headers)
    }

    /// Everything of the user: every app, every browser, every device.
    @Sendable func endAll(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let isApp = !request.headers.values(of: .authorization).isEmpty
        if !isApp { _ = try await proven(request) }
        guard let subject = try await subject(of: request, context) else {
            throw OAuthError(.invalidToken, "Access token has expired or is not valid")
        }
        let now = time.now()
        try await endings.end(
            .user(subject),
            Ending(at: now, reason: "all_sessions_revoked", origin: context.origin(of: request)))
        var headers: HTTPFields = [.cacheControl: "no-store"]
        guard !isApp else { return Response(status: .ok, headers: headers) }
        clearCookies(in: &headers)
        headers[.location] = "\(sameOrigin.publicOrigin)/session/signed-out"
        return Response(status: .seeOther, headers: headers)
    }

    private func ask(_ request: Request, _ context: BridgeRequestContext, action: String) throws -> Response {
        let binding = FormCookie.binding(of: request, random: random)
        var response = pages.signOut(
            formToken: try formTokens.make(binding: binding), action: action, to: PageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    /// The form of a request that a page of ours made.
    private func proven(_ request: Request) async throws -> FormParameters {
        let isForm = BodyReader.mediaType(of: request) == "application/x-www-form-urlencoded"
        let form = isForm ? try await TokenController.form(of: request) : .none
        let isOurForm =
            if let binding = request.formBinding, let token = form["form_token"], !form.hasRepeated {
                formTokens.verify(token, binding: binding)
            } else {
                false
            }
        guard sameOrigin.holds(for: request) || isOurForm else {
            throw OAuthError(.forbidden, "this takes a page of the same origin")
        }
        return form
    }

    /// By the bearer of an app, or by the cookies of a browser.
    private func subject(of request: Request, _ context: BridgeRequestContext) async throws -> Subject? {
        guard request.headers.values(of: .authorization).isEmpty else {
            do {
                return try await gate.claims(
                    of: request, verifiedBy: provider.accessTokens, origin: context.origin(of: request)
                ).subject
            } catch let error as OAuthError where error.code == .invalidToken {
                return nil
            }
        }
        return try await browsers.find(request)?.session.subject
    }

    private func clearCookies(in headers: inout HTTPFields) {
        for prefix in clients.current.tokenCookiePrefixes {
            refresh.clear(prefix: prefix, path: SignInCompatibility.refreshPath, in: &headers)
        }
        SessionCookies.clear(in: &headers)
    }
}
