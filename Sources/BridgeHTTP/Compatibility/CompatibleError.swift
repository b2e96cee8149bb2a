import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// Errors in the words of the VA's service: `{"errors":"…"}`.
enum CompatibleError {
    /// - Throws: what is not a refusal of the request, such as a store that cannot answer.
    static func answering(_ body: () async throws -> Response) async throws -> Response {
        do {
            return try await body()
        } catch let error as OAuthError {
            return response(error)
        } catch let error as ChallengedError {
            return response(error.error, headers: error.headers, status: error.status)
        } catch let failure as FormParameters.Failure {
            _ = failure
            return response(OAuthError(.invalidRequest, "the parameters are not form-url-encoded"))
        }
    }

    static func response(_ error: OAuthError, headers: HTTPFields = [:], status: Int? = nil) -> Response {
        var object = JSONObjectWriter()
        object.add("errors", text(of: error))
        // Besides the service's one member, those of every other error here, for programs that know them.
        object.add("error", error.code.rawValue)
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.cacheControl] = "no-store"
        if let retryAfter = error.retryAfter { headers[.retryAfter] = String(retryAfter) }
        return Response(
            status: .init(code: status ?? Self.status(of: error.code)), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: object.finish())))
    }

    private static func status(of code: ErrorCode) -> Int {
        switch code {
        case .invalidToken, .invalidClient: ErrorCode.invalidToken.status
        case .unauthorizedClient, .accessDenied: ErrorCode.invalidRequest.status
        default: code.status
        }
    }

    /// The service's own sentences for the steps of an exchange.
    private static func text(of error: OAuthError) -> String {
        switch error.detail {
        case "subject_token_invalid", "subject_token_wrong_key", "session_ended", "subject_disabled":
            "subject token is invalid"
        case "subject_token_type": "subject token type is invalid"
        case "secret_unknown", "secret_expired", "secret_revoked", "secret_replayed", "secret_wrong_key",
            "ds_hash_mismatch", "subject_mismatch", "session_of_another_device":
            "actor token is invalid"
        case "actor_token_type": "actor token type is invalid"
        case "unknown_client": "client configuration not found"
        case "client_not_shared", "cross_client_off": "tokens requested for client without shared sessions"
        case "client_without_native_sso", "native_sso_disabled": "token exchange requested from invalid client"
        case "missing_client_id": "Client ID can't be blank"
        case let detail? where detail.hasPrefix("missing_"):
            "\(detail.dropFirst(8).prefix(1).uppercased())\(words(detail.dropFirst(9))) can't be blank"
        default: error.publicDescription ?? ErrorTable.description(of: error.code)
        }
    }

    private static func words(_ name: Substring) -> String { name.map { $0 == "_" ? " " : String($0) }.joined() }
}
