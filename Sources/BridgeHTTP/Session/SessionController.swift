import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/session`: what a website's pages may know about the session, and how it is ended (contract §6).
struct SessionController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/session", "session", anyone: show),
        Route(.get, signOutPath, "askToSignOut", anyone: askToSignOut).shownAgain(.withoutQuery),
        Route(.post, signOutPath, "signOut", anyone: signOut),
        Route(.get, signedOutPath, "signedOut", as: .page, anyone: signedOut).shownAgain(.withQuery),
    ]

    static let signOutPath = "/session/logout"
    static let signedOutPath = "/session/signed-out"
    /// The page that says so after everything of the user has ended.
    static let signedOutEverywherePath = "\(signedOutPath)?\(everywhere)"
    private static let everywhere = "extent=all"
    static let place: Origins.Purposes? = .all

    let kit: BrowserPages

    @Sendable func show(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        guard let found = try await browsers.visitorToLetIn(by: request) else {
            var body = JSONObjectWriter()
            body.add("authenticated", false)
            // The access token has run out, its session has not: with this a page of ours may renew it.
            body.add("anti_csrf_token", try await browsers.antiCSRFValue(of: request, for: nil))
            return Self.answer(body)
        }
        let session = found.session
        var body = JSONObjectWriter()
        body.add("authenticated", true)
        body.add("sub", session.subject.rawValue)
        body.add("expires_at", session.expiresAt)
        body.add("idle_expires_at", session.idleExpiresAt)
        body.add("acr", session.authentication.acr)
        if !session.authentication.amr.isEmpty { body.add("amr", session.authentication.amr) }
        body.add("auth_time", session.authentication.time)
        body.add("origin", session.openingName)
        // The cookie is not for scripts; only a page of this origin reads this answer, and may repeat the value.
        body.add("anti_csrf_token", try await browsers.antiCSRFValue(of: request, for: found))
        var response = Self.answer(body)
        if found.tokenPrefix == nil {
            // The idle end has moved, and the page's scripts go by the cookie.
            SessionCookies.setTimes(of: session, at: time.now(), in: &response.headers)
        }
        return response
    }

    private static func answer(_ body: JSONObjectWriter) -> Response {
        var response = Response.json(body)
        // No other website loads it, not even as something that it is not (contract §11).
        response.headers[.crossOriginResourcePolicy] = "same-origin"
        return response
    }

    @Sendable func askToSignOut(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let binding = FormCookie.binding(of: request, random: random)
        var response = pages.signOut(
            formToken: try formTokens.make(for: .signOut, binding: binding, session: request.sessionSecret),
            action: Self.signOutPath, stayingAt: await hasSession(request) ? stayPath(request) : nil,
            to: pageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    /// Whether there is a session to end, or one that a page may renew although nobody can tell whose it is. Asking is
    /// no use of it; without its store the question is the usual one.
    private func hasSession(_ request: Request) async -> Bool {
        do {
            if try await browsers.firstToEnd(of: request) != nil { return true }
            return try await browsers.antiCSRFValue(of: request, for: nil) != nil
        } catch {
            return true
        }
    }

    @Sendable func signOut(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let body = try await BodyReader.bytes(of: request)
        let isForm = BodyReader.isForm(request)
        let own = origins.own(of: request)
        let isProven = SameOriginProof(publicOrigin: own).holds(for: request)
        guard try isProven || (isForm && isOurs(FormParameters(parsing: body), request)) else {
            try await recordForeignPage(request, context)
            throw OAuthError(.forbidden, "signing out takes a page of the same origin")
        }
        var response =
            isForm
            ? onward(Self.signedOutPath, request)
            : Response(status: .noContent, headers: [.cacheControl: "no-store"])
        _ = try await browserSignOut.signOut(request, origin: context.origin(of: request), in: &response.headers)
        return response
    }

    @Sendable func signedOut(_ request: Request, context: BridgeRequestContext) async -> Response {
        pages.signedOut(
            isEverywhere: request.uri.query == Self.everywhere,
            to: await kit.atHome(pageVisitor(request, context), request))
    }

    private func isOurs(_ form: FormParameters, _ request: Request) -> Bool {
        request.isOurs(form, for: .signOut, isOfSession: true, by: formTokens)
    }
}
