import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import OAuth2

/// What each kind of failure becomes on the wire: a code, which knows its status, and header fields.
enum ErrorTable {
    struct Answer {
        let error: OAuthError
        let headers: HTTPFields
        let status: Int

        init(error: OAuthError, headers: HTTPFields, status: Int? = nil) {
            self.error = error
            self.headers = headers
            self.status = status ?? error.code.status
        }
    }

    /// Seconds that a client waits before it retries while a store cannot be reached.
    static let storageRetryAfter = 1

    /// Whatever is wrong with it, nobody can say what it asks for.
    private static let malformedRequest = OAuthError(.invalidRequest, "the request is not well-formed HTTP")

    /// Not of this address alone, which would be 405 (RFC 9110 §9.1).
    private static let unknownMethod = OAuthError(.invalidRequest, "the method is not known")
    private static let unknownMethodStatus = 501

    /// What the parser could not read.
    /// - Parameters:
    ///   - isTargetTooLong: whether what is too long is in the request's first line (RFC 9112 §3), and not among its
    ///     fields (RFC 6585 §5).
    ///   - isRequestLine: whether that line is one, whatever its method: the parser says no more of what it cannot
    ///     begin with at all.
    static func refusal(
        of error: HTTPParserError, isTargetTooLong: Bool = false, isRequestLine: Bool = false
    ) -> Answer {
        switch error {
        case .headerOverflow: answer(to: OAuthError(isTargetTooLong ? .uriTooLong : .headerFieldsTooLarge))
        case .invalidMethod where isRequestLine:
            Answer(error: unknownMethod, headers: [:], status: unknownMethodStatus)
        default: answer(to: malformedRequest)
        }
    }

    static func answer(to error: any Error) -> Answer {
        switch error {
        case let error as ChallengedError: Answer(error: error.error, headers: error.headers, status: error.status)
        case let error as OAuthError: Answer(error: error, headers: headers(for: error))
        case let error as StorageError: answer(to: oauthError(for: error))
        // A website's server keeps no cookies, so it is told to retry.
        case is UndecidedRedemption, is CancellationError:
            answer(to: OAuthError(.temporarilyUnavailable, retryAfter: storageRetryAfter))
        case let refused as ClientRefused: answer(to: refused.error)
        case is CallerGone: answer(to: CallerGone.refusal)
        case is BearerRefusal: answer(to: OAuthError(.invalidToken))
        case is FormParameters.Failure:
            answer(to: StrictBody.malformedForm)
        // A body with malformed chunks or an unknown transfer coding.
        case let error as HTTPParserError: refusal(of: error)
        case is NIOTooManyBytesError: answer(to: OAuthError(.contentTooLarge))
        case let error as any HTTPResponseError: answer(to: OAuthError(code(forStatus: error.status.code)))
        default: answer(to: OAuthError(.serverError))
        }
    }

    private static func oauthError(for error: StorageError) -> OAuthError {
        switch error {
        case .unavailable, .undecided: OAuthError(.temporarilyUnavailable, retryAfter: storageRetryAfter)
        case .corrupt: OAuthError(.serverError)
        }
    }

    private static func headers(for error: OAuthError) -> HTTPFields {
        var headers: HTTPFields = [:]
        switch error.code {
        case .invalidToken:
            headers[.wwwAuthenticate] = "Bearer error=\"invalid_token\""
        case .invalidClient:
            // However the client tried: every 401 has a challenge (RFC 9110 §15.5.2), and where the Authorization field was
            // used it is this one (RFC 6749 §5.2). No browser asks its user for a password by it: no page of ours calls
            // these endpoints, and calls from other origins come without credentials.
            headers[.wwwAuthenticate] = "Basic realm=\"token\""
        case .insufficientScope, .insufficientUserAuthentication:
            headers[.wwwAuthenticate] = error.challenge ?? "Bearer error=\"\(error.code.rawValue)\""
        case .temporarilyUnavailable, .rateLimited, .slowDown:
            headers[.retryAfter] = String(max(1, error.retryAfter ?? storageRetryAfter))
        default:
            break
        }
        return headers
    }

    /// The router and the body collector answer with statuses of their own; the nearest code stands for each.
    private static func code(forStatus status: Int) -> ErrorCode {
        switch status {
        case ErrorCode.notFound.status: .notFound
        case ErrorCode.methodNotAllowed.status: .methodNotAllowed
        case ErrorCode.contentTooLarge.status: .contentTooLarge
        case ErrorCode.unsupportedMediaType.status: .unsupportedMediaType
        default:
            ErrorCode.invalidRequest.status...ErrorCode.serverError.status - 1 ~= status
                ? .invalidRequest : .serverError
        }
    }

    /// The text for an error without one of its own.
    static func description(of code: ErrorCode) -> String {
        switch code {
        case .invalidToken: "the access token is not valid"
        case .temporarilyUnavailable: "the service cannot decide right now; try again"
        case .serverError: "the service failed unexpectedly"
        case .notFound: "there is nothing under this address"
        case .methodNotAllowed: "this address does not take this method"
        case .contentTooLarge: "the body is too large"
        case .uriTooLong: "the request's target is too long"
        case .headerFieldsTooLarge: "the request's header fields are too long together, or too many"
        case .unsupportedMediaType: "the body's content type is not accepted here"
        case .rateLimited: "too many requests; wait for the time in Retry-After"
        case .preconditionFailed: "it was changed by somebody else; read it again"
        case .preconditionRequired: "send If-Match with the ETag of what you have read"
        default: "the request was refused"
        }
    }
}

/// An error whose header fields say more than its code.
struct ChallengedError: Error {
    let error: OAuthError
    let headers: HTTPFields
    /// `nil` for the code's own; the token endpoint answers nearly every code with 400 (RFC 6749 §5.2).
    var status: Int?
}
