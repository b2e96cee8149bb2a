import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `POST /session/refresh` of the profile `tokens` (contract §6).
struct SessionRefreshController: BrowserGroup {
    static let routes: [Route<Self>] = [
        Route(.post, CookieTokens.refreshPath, "refreshCookies", anyone: renew)
    ]

    static let place: Origins.Purposes? = .website

    let kit: BrowserPages
    let refresh: SessionRefresh

    @Sendable func renew(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await renew(
            request, context, proof: request.headers[.xCSRFToken], path: CookieTokens.refreshPath)
    }

    /// - Parameters:
    ///   - proof: what the page repeated; another site's page cannot know it.
    ///   - path: the route that the refresh cookie is for.
    func renew(
        _ request: Request, _ context: BridgeRequestContext, proof: String?, path: String
    ) async throws -> Response {
        var prefixes = clients.current.tokenCookiePrefixes.filter { request.refreshSecret(prefix: $0) != nil }
        // With cookies of several websites the value says which one is meant.
        if let match = prefixes.first(where: { prefix in
            request.refreshSecret(prefix: prefix).map { AntiCSRF.matches(proof, $0) } ?? false
        }) {
            prefixes = [match]
        }
        guard let prefix = prefixes.first, let secret = request.refreshSecret(prefix: prefix) else {
            throw Self.signedOut([:])
        }
        let allowance = CookieRecipient.allowance(of: request.headers, own: origins.own(of: request))
        try await context.requireAwaited()
        switch try await refresh.refresh(
            secret, proof: proof, path: path, cookies: allowance, origin: context.origin(of: request))
        {
        case .forged: throw OAuthError(.forbidden, "X-CSRF-Token must repeat the anti-CSRF value")
        case .over(let clientID):
            var headers: HTTPFields = [:]
            browserSignOut.takeShadows(prefix: prefix, request, in: &headers)
            browserSignOut.takeCookies(of: clientID, prefix: prefix, in: &headers)
            throw Self.signedOut(headers)
        case .refreshed(_, _, let cookies):
            var headers: HTTPFields = [.cacheControl: "no-store", .contentType: "application/json"]
            TokenCookies.set(cookies, at: time.now(), in: &headers)
            browserSignOut.takeShadows(prefix: prefix, isOften: true, request, in: &headers)
            return Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: "{}")))
        }
    }

    private static func signedOut(_ headers: HTTPFields) -> ChallengedError {
        var headers = headers
        headers[.wwwAuthenticate] = "Bearer"
        headers[.cacheControl] = "no-store"
        return ChallengedError(error: OAuthError(.invalidToken, "there is no session to refresh"), headers: headers)
    }
}

extension Request {
    /// The refresh cookie with this prefix, when it has the form of one.
    func refreshSecret(prefix: String) -> OpaqueSecret? {
        cookie(named: prefix + CookieTokens.refreshTokenName).flatMap { OpaqueSecret($0, kind: .sessionRefresh) }
    }
}
