import Bridge
import Hummingbird
import OAuth2

/// `POST /api/auth/create-sso-token` and what an app may do with its tokens (contract §3).
struct IssueController: BearerGroup {
    static let routes: [Route<Self>] = [
        Route(.post, issuePath, "issueLoginToken", as: .json, .bearer, issue),
        Route(.get, statusPath, "loginTokenStatus", as: .json, .bearer, status),
        Route(.delete, statusPath, "revokeLoginToken", as: .json, .bearer, revoke),
    ]

    private static let issuePath = "/api/auth/create-sso-token"
    private static let statusPath = "/api/auth/sso-tokens/{id}"

    let issuer: LoginTokenIssuer
    let overview: LoginTokenOverview
    let bearers: BearerGate

    @Sendable func issue(
        _ request: Request, context: BridgeRequestContext, bearer: AdmittedBearer
    ) async throws -> Response {
        let answer = try await issuer.issue(
            reading: { try await IssueRequestReader.read(request) }, bearer: bearer.identity, origin: bearer.origin)
        var body = JSONObjectWriter(capacity: 2048)
        body.add("token", answer.token.expose())
        body.add("token_type", TokenTypeURI.loginToken)
        body.add("id", answer.id.rawValue)
        body.add("expires_at", answer.expiresAt)
        body.add("expires_in", Int64(answer.expiresIn))
        body.add("login_url", answer.loginURL.expose())
        if let code = answer.typedCode { body.add("login_code", code.expose()) }
        return .json(body)
    }

    @Sendable func status(
        _ request: Request, context: BridgeRequestContext, bearer: AdmittedBearer
    ) async throws -> Response {
        let id = try tokenID(context)
        let status = try await bearers.recordingRefusals(of: bearer) {
            try await overview.status(of: id, bearer: bearer.identity)
        }
        var body = JSONObjectWriter()
        body.add("id", status.id.rawValue)
        body.add("status", status.word.rawValue)
        body.add("expires_at", status.expiresAt)
        body.add("redeemed_at", status.redeemedAt)
        return .json(body)
    }

    @Sendable func revoke(
        _ request: Request, context: BridgeRequestContext, bearer: AdmittedBearer
    ) async throws -> Response {
        let id = try tokenID(context)
        try await bearers.recordingRefusals(of: bearer) {
            try await overview.revoke(id, bearer: bearer.identity, origin: bearer.origin)
        }
        return Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }

    private func tokenID(_ context: BridgeRequestContext) throws -> TokenID {
        guard let id = context.parameters.get("id") else { throw OAuthError(.notFound) }
        return TokenID(rawValue: id)
    }
}
