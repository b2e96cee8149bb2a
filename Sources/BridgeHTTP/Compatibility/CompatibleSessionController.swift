import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/v0/sign_in/user_info`, `/logout` and `/revoke_all_sessions`. What ends something takes a POST; a GET asks.
struct CompatibleSessionController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "\(SignInCompatibility.base)/user_info", "compat_user_info", .appOrBrowserAnswered, userInfo),
        Route(.get, signOutPath, "compat_logout", anyone: askToSignOut),
        Route(.post, signOutPath, "compat_logout_post", anyone: signOut),
        Route(.get, endAllPath, "compat_revoke_all_sessions", anyone: askToEndAll),
        Route(.post, endAllPath, "compat_revoke_all_sessions_post", .appOrBrowser, endAll),
    ]

    private static let signOutPath = "\(SignInCompatibility.base)/logout"
    private static let endAllPath = AccountPath.signOutEverywhere
    private static let clientField = "client_id"
    static let place = SignInCompatibility.place
    static let reservation = RouteReservation.paths

    let kit: BrowserPages
    let provider: ProviderServices
    let gate: BearerGate
    let endings: SessionEndings

    @Sendable func userInfo(
        _ request: Request, context: BridgeRequestContext, asker: AppOrBrowser
    ) async throws -> Response {
        var claims =
            switch asker {
            case .app(let token):
                try await gate.recordingScope(of: token, origin: context.origin(of: request)) {
                    try await provider.userInfo.claims(openedBy: token)
                }
            case .browser(let session): try await provider.userInfo.claims(openedBy: session)
            }
        claims["first_name"] = claims["given_name"]
        claims["last_name"] = claims["family_name"]
        return TokenAnswer.response(JSONValue.object(claims).text)
    }

    @Sendable func askToSignOut(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let named = client(named: try request.queryOfLink()[Self.clientField])
        // No use of the session; without its store the question can be asked all the same.
        let own = named == nil ? try? await browsers.firstToEnd(of: request) : nil
        let leadsOut = signedOutAddress(named, own.map { [$0] } ?? []) != nil
        return try ask(request, context, .signOut) {
            pages.signOut(
                formToken: $0, action: Self.signOutPath, stayingAt: stayPath(request),
                fields: named.map { [HiddenField(name: Self.clientField, value: $0.id.rawValue)] } ?? [],
                leadsOut: leadsOut, to: $1)
        }
    }

    @Sendable func askToEndAll(_ request: Request, context: BridgeRequestContext) throws -> Response {
        try ask(request, context, .endAllSessions) {
            pages.signOutEverywhere(
                formToken: $0, action: Self.endAllPath, stayingAt: stayPath(request), to: $1)
        }
    }

    @Sendable func signOut(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await answeringCompatibly(request, context) { try await signedOut(request, context) }
    }

    private func signedOut(_ request: Request, _ context: BridgeRequestContext) async throws -> Response {
        let form = try await proven(request, context, .signOut)
        var cookies: HTTPFields = [:]
        let named = client(named: form[Self.clientField])
        let ended = try await browserSignOut.signOut(request, origin: context.origin(of: request), in: &cookies)
        var response =
            signedOutAddress(named, ended.filter { $0.endedAt == nil }).map { Response.seeOther($0) }
            ?? onward(SessionController.signedOutPath, request)
        response.headers.append(contentsOf: cookies)
        return response
    }

    private func client(named id: String?) -> Client? { id.flatMap { clients.current[ClientID(rawValue: $0)] } }

    /// Where a sign-out leads to: the first address that the named client has registered for it, or else the client
    /// that the sessions are of; `nil` where it has none.
    private func signedOutAddress(_ named: Client?, _ sessions: [WebSession]) -> String? {
        let client = named ?? sessions.first.flatMap { clients.current[$0.clientID] }
        return client?.postLogoutRedirectURIs.first?.description
    }

    /// Everything of the user: every app, every browser, every device.
    @Sendable func endAll(
        _ request: Request, context: BridgeRequestContext, asker: AppOrBrowser
    ) async throws -> Response {
        let origin = context.origin(of: request)
        let now = time.now()
        func ending(by asker: EndingAsker) -> Ending {
            Ending(at: now, reason: .allSessionsRevoked, origin: origin, by: asker)
        }
        switch asker {
        case .app(let token):
            if let reason = try await endingEverything.refusal(of: token) {
                try await gate.record(reason.rawValue, of: token, origin: origin)
                throw OAuthError(
                    .insufficientScope, "this takes an app of your own, or the scope \(Scope.revokeAllSessions)",
                    challenge: "Bearer error=\"insufficient_scope\", scope=\"\(Scope.revokeAllSessions)\"")
            }
            let client = EndingAsker(token.clientID, in: token.sessionID)
            try await endings.end(.user(token.subject), ending(by: client))
            return Response(status: .ok, headers: [.cacheControl: "no-store"])
        case .browser(let session):
            _ = try await proven(request, context, .endAllSessions)
            if let reason = try await endingEverything.refusal(in: session) {
                try await kit.refusals.browserRefused(reason, in: session, origin: origin, at: time.now())
                throw SignInNeeded(
                    error: OAuthError(.forbidden, "this takes a sign-in here, or an app of your own"))
            }
            var response = onward(SessionController.signedOutEverywherePath, request)
            _ = try await browserSignOut.signOut(
                request, endingFirst: (.user(session.subject), ending(by: EndingAsker(session.id))), origin: origin,
                in: &response.headers)
            return response
        }
    }

    private var endingEverything: EndingEverything {
        EndingEverything(
            clients: clients.current, webSession: { [browsers] in try await browsers.session($0) },
            appSession: { [sessions = provider.logout.sessions] in try await sessions.appSession(id: $0) })
    }

    private func ask(
        _ request: Request, _ context: BridgeRequestContext, _ purpose: FormTokens.Purpose,
        on page: (_ formToken: String, _ visitor: PageVisitor) -> Response
    ) throws -> Response {
        let binding = FormCookie.binding(of: request, random: random)
        var response = page(
            try formTokens.make(for: purpose, binding: binding, session: request.sessionSecret),
            pageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    /// The form of a request that a page of ours made.
    private func proven(
        _ request: Request, _ context: BridgeRequestContext, _ purpose: FormTokens.Purpose
    ) async throws -> FormParameters {
        let isForm = BodyReader.isForm(request)
        let form = isForm ? try await BodyReader.form(of: request, upTo: TokenController.bodyLimit) : .none
        guard
            SameOriginProof(publicOrigin: origins.own(of: request)).holds(for: request)
                || request.isOurs(form, for: purpose, isOfSession: true, by: formTokens)
        else {
            try await recordForeignPage(request, context)
            throw OAuthError(.forbidden, "this takes a page of the same origin")
        }
        return form
    }
}
