import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// `/oauth/token`, `/oauth/revoke` and `/oauth/introspect`.
struct TokenController: Sendable {
    /// Contract §5.
    static let bodyLimit = 64 * 1024

    static let tokenPath = "/oauth/token"
    static let revocationPath = "/oauth/revoke"
    static let introspectionPath = "/oauth/introspect"
    static let pushedRequestPath = "/oauth/par"
    /// What the token endpoint's rules for answers hold for (RFC 6749 §5.1, §5.2).
    static let paths: Set<String> = [tokenPath, revocationPath, introspectionPath, pushedRequestPath]

    let provider: ProviderServices
    let origins: OriginReader
    let time: TimeSource

    @Sendable func token(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await Self.answeringErrors {
            let form = try await Self.form(of: request)
            let answer = try await provider.tokens.answer(
                form, basic: try BasicCredentials.read(request.headers), proof: request.proofOfPossession,
                withoutCookiesBecauseOf: CookieRecipient.flaw(
                    of: request.headers, own: origins.own(of: request)),
                origin: context.origin(of: request))
            return TokenAnswer.response(answer, to: request, host: origins.configured.website.host, at: time.now())
        }
    }

    @Sendable func revoke(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await Self.answeringErrors {
            try await provider.revocation.revoke(
                try await Self.form(of: request), basic: try BasicCredentials.read(request.headers),
                origin: context.origin(of: request))
            return Response(status: .ok, headers: TokenAnswer.headers)
        }
    }

    @Sendable func introspect(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await Self.answeringErrors {
            let facts = try await provider.introspection.answer(
                try await Self.form(of: request), basic: try BasicCredentials.read(request.headers),
                origin: context.origin(of: request))
            return TokenAnswer.response(ByteBuffer(bytes: facts))
        }
    }

    /// The one form of a request; RFC 6749 §3.2 knows no other.
    static func form(of request: Request) async throws -> FormParameters {
        guard BodyReader.mediaType(of: request) == "application/x-www-form-urlencoded" else {
            throw OAuthError(.invalidRequest, "the body must be application/x-www-form-urlencoded")
        }
        return try FormParameters(bytes: try await BodyReader.bytes(of: request, upTo: bodyLimit))
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

    // The challenge of a bearer has no business here.
    private static func headers(of answer: ErrorTable.Answer) -> HTTPFields {
        var headers = answer.headers
        headers[.wwwAuthenticate] = nil
        return headers
    }
}
