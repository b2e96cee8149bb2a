import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/session`: what a website's pages may know about the session, and how it is ended (contract §6).
struct SessionController: Sendable {
    let sessions: WebSessions
    let formTokens: FormTokens
    let pages: Pages
    let sameOrigin: SameOriginProof
    let time: TimeSource
    let random: RandomSource

    @Sendable func show(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        guard let secret = request.sessionSecret, let session = try await sessions.lookUp(secret) else {
            var body = JSONObjectWriter()
            body.add("authenticated", false)
            return .json(body)
        }
        var body = JSONObjectWriter()
        body.add("authenticated", true)
        body.add("sub", session.subject.rawValue)
        body.add("expires_at", session.expiresAt)
        body.add("idle_expires_at", session.idleExpiresAt)
        body.add("acr", session.authentication.acr)
        if !session.authentication.amr.isEmpty { body.add("amr", session.authentication.amr) }
        body.add("auth_time", session.authentication.time)
        body.add("origin", session.opening.rawValue)
        var response = Response.json(body)
        // The idle end has moved, and the page's scripts go by the cookie.
        SessionCookies.setTimes(of: session, at: time.now(), in: &response.headers)
        return response
    }

    @Sendable func askToSignOut(_ request: Request, context: BridgeRequestContext) throws -> Response {
        let binding = FormCookie.binding(of: request, random: random)
        var response = pages.signOut(
            formToken: try formTokens.make(binding: binding), to: PageVisitor(request, context))
        FormCookie.set(binding, in: &response.headers)
        return response
    }

    @Sendable func signOut(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let body = try await BodyReader.bytes(of: request)
        let isForm = BodyReader.mediaType(of: request) == "application/x-www-form-urlencoded"
        guard try sameOrigin.holds(for: request) || (isForm && isOurForm(body, request)) else {
            throw OAuthError(.forbidden, "signing out takes a page of the same origin")
        }
        if let secret = request.sessionSecret, let session = try await sessions.lookUp(secret) {
            try await sessions.end(session, reason: "signed_out", origin: context.origin(of: request))
        }
        var headers: HTTPFields = [.cacheControl: "no-store"]
        SessionCookies.clear(in: &headers)
        guard isForm else { return Response(status: .noContent, headers: headers) }
        headers[.location] = "\(sameOrigin.publicOrigin)/session/signed-out"
        return Response(status: .seeOther, headers: headers)
    }

    private func isOurForm(_ body: [UInt8], _ request: Request) throws -> Bool {
        guard let binding = request.formBinding,
            let token = try FormParameters(parsing: body)["form_token"]
        else { return false }
        return formTokens.verify(token, binding: binding)
    }
}
