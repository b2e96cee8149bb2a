import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/oauth/logout`: a website signs its user out here too (OpenID Connect RP-Initiated Logout).
struct LogoutController: Sendable {
    /// How long a browser waits for other websites to hear of it (native-oauth L5).
    static let noticePatience = Duration.seconds(3)

    let provider: ProviderServices
    let services: BridgeServices
    let publicOrigin: WebOrigin

    @Sendable func visit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let query = try FormParameters(parsing: (request.uri.query ?? "").utf8)
        let parameters = try LogoutRequest.parameters(of: query, openedWith: provider.logoutSeal)
        return try await answer(
            LogoutRequest(parameters, provider: provider, clients: services.clients), request, context)
    }

    @Sendable func submit(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let form = try await TokenController.form(of: request)
        let logout = LogoutRequest(form, provider: provider, clients: services.clients)
        guard let token = form["form_token"] else {
            // A website's own POST comes without our Lax cookie; the GET that follows it has it.
            return Response(
                status: .seeOther,
                headers: [
                    .location: try logout.location(at: publicOrigin, sealedWith: provider.logoutSeal),
                    .cacheControl: "no-store", .referrerPolicy: "no-referrer",
                ])
        }
        guard let binding = request.formBinding, services.formTokens.verify(token, binding: binding) else {
            return try await answer(logout, request, context)
        }
        return try await end(try await session(of: request), logout, request, context)
    }

    private func answer(
        _ logout: LogoutRequest, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        guard let session = try await session(of: request) else { return leave(logout) }
        if let hint = logout.hint, try await concerns(hint, session) {
            return try await end(session, logout, request, context)
        }
        let binding = FormCookie.binding(of: request, random: services.random)
        var response = services.pages.signOut(
            formToken: try services.formTokens.make(binding: binding), action: "/oauth/logout",
            fields: logout.fields, formTargets: logout.target.map { [$0.origin] } ?? [],
            to: PageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    /// Whether the hint is of this very sign-in: then the user need not be asked (L2).
    private func concerns(_ hint: PresentedIDToken, _ session: WebSession) async throws -> Bool {
        guard hint.subject == session.subject, let sid = hint.sessionID,
            let app = try await provider.sessions.appSession(id: sid)
        else { return false }
        return app.browserSessionID == session.id
    }

    private func end(
        _ session: WebSession?, _ logout: LogoutRequest, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        if let session {
            let ending = Ending.signOut(origin: context.origin(of: request), at: services.time.now())
            if let app = try await app(signingOut: session.subject, logout) {
                try await services.endings.end(app, ending)
            }
            try await services.endings.end(.webSession(session.id), ending)
            await provider.logoutNotifier.deliverSoon(within: Self.noticePatience)
        }
        var response = leave(logout)
        SessionCookies.clear(in: &response.headers)
        return response
    }

    /// What the app that sent its ID token along has of the user: signing out of it ends its device too, and what other
    /// apps there were given by that (contract §7).
    private func app(signingOut subject: Subject, _ logout: LogoutRequest) async throws -> EndingRoot? {
        guard let hint = logout.hint, hint.subject == subject, let sid = hint.sessionID,
            let session = try await provider.sessions.appSession(id: sid), session.subject == subject
        else { return nil }
        return session.deviceSecretID.map { .device($0) } ?? .appSession(sid)
    }

    private func leave(_ logout: LogoutRequest) -> Response {
        Response(
            status: .seeOther,
            headers: [
                .location: logout.target?.location ?? "\(publicOrigin)/session/signed-out", .cacheControl: "no-store",
                .referrerPolicy: "no-referrer",
            ])
    }

    private func session(of request: Request) async throws -> WebSession? {
        guard let secret = request.sessionSecret else { return nil }
        return try await services.sessions.lookUp(secret)
    }
}
