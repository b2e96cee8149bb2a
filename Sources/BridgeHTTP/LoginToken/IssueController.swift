import Bridge
import Hummingbird
import OAuth2

/// `POST /api/auth/create-sso-token` and what an app may do with its tokens (contract §3).
struct IssueController: Sendable {
    let issuer: LoginTokenIssuer
    let bearers: BearerGate
    let time: TimeSource

    @Sendable func issue(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let origin = context.origin(of: request)
        let bearer = try await bearers.identity(of: request, origin: origin)
        let answer = try await issuer.issue(IssueRequestReader.read(request), bearer: bearer, origin: origin)
        var body = JSONText(capacity: 2048)
        body.add("token", answer.token.expose())
        body.add("token_type", "urn:drawbridge:params:oauth:token-type:login-token")
        body.add("id", answer.id.rawValue)
        body.add("expires_at", answer.expiresAt)
        body.add("expires_in", Int64(answer.expiresIn))
        body.add("login_url", answer.loginURL.expose())
        return .json(body)
    }

    @Sendable func status(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let bearer = try await bearers.identity(of: request, origin: context.origin(of: request))
        let state = try await issuer.status(of: tokenID(context), bearer: bearer)
        var body = JSONText()
        body.add("id", state.token.id.rawValue)
        body.add("status", state.word(at: time.now()))
        body.add("expires_at", state.token.expiresAt)
        if case .redeemed(let use) = state.status { body.add("redeemed_at", use.at) }
        return .json(body)
    }

    @Sendable func revoke(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let origin = context.origin(of: request)
        let bearer = try await bearers.identity(of: request, origin: origin)
        try await issuer.revoke(tokenID(context), bearer: bearer, origin: origin)
        return Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }

    private func tokenID(_ context: BridgeRequestContext) throws -> TokenID {
        guard let id = context.parameters.get("id") else { throw OAuthError(.notFound) }
        return TokenID(rawValue: id)
    }
}

extension LoginTokenState {
    /// The status word of contract §3.
    fileprivate func word(at now: Timestamp) -> String {
        switch status {
        case .redeemed: "redeemed"
        case .revoked: "revoked"
        case .pending: now < token.expiresAt ? "pending" : "expired"
        }
    }
}
