import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// `/api/self-issued/…`: an app links its phone's key to the user who is signed in to it (contract §10).
struct KeyRegistrationController: BearerGroup {
    static let routes: [Route<Self>] = [
        Route(.get, "/api/self-issued/link-nonce", "inviteKey", as: .json, .bearer, invite),
        Route(.post, SelfIssuedConfiguration.linksPath, "linkKey", as: .json, .bearer, link),
    ]

    let registration: KeyRegistration
    let bearers: BearerGate
    let metrics: SelfIssuedMetrics
    let issuer: WebOrigin

    @Sendable func invite(
        _ request: Request, context: BridgeRequestContext, bearer: AdmittedBearer
    ) async throws -> Response {
        let invitation = try await registration.invite(bearer.identity, origin: bearer.origin)
        var body = JSONObjectWriter()
        body.add("nonce", invitation.nonce)
        body.add("aud", invitation.audience)
        body.add("client_id", invitation.clientID)
        body.add("link_code", invitation.code)
        body.add("expires_in", invitation.expiresIn)
        return .json(body)
    }

    @Sendable func link(
        _ request: Request, context: BridgeRequestContext, bearer: AdmittedBearer
    ) async throws -> Response {
        let fields = try await TextMembers.read(request, knowing: ["proof"])
        guard let proof = fields["proof"] else { throw OAuthError(.invalidRequest, "proof is missing") }
        do {
            let key = try await registration.link(proof, by: bearer.identity, origin: bearer.origin)
            metrics.count(SelfIssuedMetrics.Outcome.linked)
            var body = JSONObjectWriter()
            body.add("thumbprint", key.thumbprint)
            body.add("alg", key.algorithm.rawValue)
            return .json(body, status: .created)
        } catch let refusal as SelfIssuedRefusal {
            metrics.count(refusal)
            return .refusal(refusal, refusal.reason.explanationOfProof, issuer: issuer, context)
        }
    }
}

extension Response {
    /// What a program reads of a refused answer or proof: its name, as the audit log has it.
    /// - Parameter explanation: the reason's own for `nil`.
    static func refusal(
        _ refusal: SelfIssuedRefusal, _ explanation: String? = nil, issuer: WebOrigin, _ context: BridgeRequestContext
    ) -> Response {
        var body = JSONObjectWriter()
        body.add("error", refusal.reason.rawValue)
        body.add("error_description", explanation ?? refusal.reason.explanation)
        body.add("error_uri", "\(issuer)/errors/\(refusal.reason.rawValue)")
        body.add("request_id", context.requestID)
        var response = Response.json(body, status: .init(code: refusal.reason.code.status))
        if let wait = refusal.retryAfter { response.headers[.retryAfter] = String(wait.roundedUpSeconds) }
        return response
    }
}
