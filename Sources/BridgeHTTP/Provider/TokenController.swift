import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/oauth/token`, `/oauth/revoke` and `/oauth/introspect`.
struct TokenController: ClientGroup {
    static let routes: [Route<Self>] = [
        Route(.post, "/oauth/token", "token", as: .token, .client, token).forScripts.metadata("token_endpoint"),
        Route(.post, "/oauth/revoke", "revoke", as: .token, .client, revoke).forScripts
            .metadata("revocation_endpoint"),
        Route(.post, "/oauth/introspect", "introspect", as: .token, .client, introspect)
            .metadata("introspection_endpoint"),
    ]

    /// Contract §5.
    static let bodyLimit = BodyReader.longest

    let endpoints: ClientEndpoints
    let origins: OriginReader
    let time: TimeSource

    @Sendable func token(
        _ request: Request, context: BridgeRequestContext, client: ClientRequest
    ) async throws -> Response {
        // Codes, refresh tokens, device secrets and login tokens alike: a second use ends what the first one opened.
        try await context.requireAwaited()
        let answer = try await endpoints.tokens.answer(
            client.form, basic: client.basic, proof: request.proofOfPossession,
            cookies: CookieRecipient.allowance(of: request.headers, own: origins.own(of: request)),
            origin: client.origin)
        return TokenAnswer.response(answer, to: request, host: origins.configured.website.host, at: time.now())
    }

    @Sendable func revoke(
        _ request: Request, context: BridgeRequestContext, client: ClientRequest
    ) async throws -> Response {
        try await endpoints.revocation.revoke(client.form, basic: client.basic, origin: client.origin)
        return Response(status: .ok, headers: TokenAnswer.headers)
    }

    @Sendable func introspect(
        _ request: Request, context: BridgeRequestContext, client: ClientRequest
    ) async throws -> Response {
        let facts = try await endpoints.introspection.answer(client.form, basic: client.basic, origin: client.origin)
        return TokenAnswer.response(ByteBuffer(bytes: facts))
    }

    /// Gives errors the statuses of RFC 6749 §5.2: 400 for whatever is wrong with the request, 401 for the client.
    static func answeringErrors(_ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let error as OAuthError {
            let answer = ErrorTable.answer(to: error)
            var headers = Self.headers(of: answer)
            if let challenge = error.challenge { headers[.wwwAuthenticate] = challenge }
            throw ChallengedError(error: error, headers: headers, status: status(of: error.code))
        }
    }

    private static func status(of code: ErrorCode) -> Int {
        switch code {
        case .unauthorizedClient, .accessDenied, .invalidToken, .insufficientScope: ErrorCode.invalidRequest.status
        default: code.status
        }
    }

    // A bearer's challenge does not belong here; a client's does, wherever it is found out (RFC 6749 §5.2).
    private static func headers(of answer: ErrorTable.Answer) -> HTTPFields {
        var headers = answer.headers
        if answer.error.code != .invalidClient { headers[.wwwAuthenticate] = nil }
        return headers
    }
}
