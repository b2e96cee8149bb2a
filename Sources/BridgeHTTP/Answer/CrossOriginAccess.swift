import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// Lets scripts of any origin call an endpoint without credentials (contract §5.9): what protects it is the token
/// or code in the request, and no cookie counts there.
enum CrossOriginAccess {
    /// The handlers of one path, with an answer to a browser's preflight.
    static func open(_ handlers: [HTTPRequest.Method: Handler]) -> [HTTPRequest.Method: Handler] {
        var open = handlers.mapValues(Self.open)
        open[.options] = preflight(Endpoints.allowed(handlers))
        return open
    }

    /// The handler with the header on its answers, its errors too.
    private static func open(_ handler: @escaping Handler) -> Handler {
        { request, context in
            do {
                var response = try await handler(request, context)
                response.headers[.accessControlAllowOrigin] = "*"
                response.headers[.accessControlExposeHeaders] = exposed
                return response
            } catch let error where isAnswer(error) {
                let answer = ErrorTable.answer(to: error)
                var headers = answer.headers
                headers[.accessControlAllowOrigin] = "*"
                headers[.accessControlExposeHeaders] = exposed
                throw ChallengedError(error: answer.error, headers: headers, status: answer.status)
            }
        }
    }

    private static func preflight(_ methods: String) -> Handler {
        { _, _ in
            Response(
                status: .noContent,
                headers: [
                    .allow: methods, .accessControlAllowOrigin: "*", .accessControlAllowMethods: methods,
                    .accessControlAllowHeaders: "Authorization, Content-Type, DPoP", .accessControlMaxAge: "3600",
                ])
        }
    }

    /// What a script may read of an answer: for its proofs (RFC 9449 §8.2 and §9), when it may ask again, and what its
    /// user tells the operator.
    private static let exposed = "DPoP-Nonce, WWW-Authenticate, Retry-After, X-Request-Id"

    // Any other error is passed on as it is, so that the log names its type.
    private static func isAnswer(_ error: any Error) -> Bool {
        error is OAuthError || error is ClientRefused || error is ChallengedError || error is BearerRefusal
            || error is StorageError || error is FormParameters.Failure || error is CallerGone
    }
}
