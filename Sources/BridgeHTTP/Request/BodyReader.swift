import HTTPTypes
import Hummingbird
import NIOCore
import NIOSSL
import OAuth2

/// Request bodies within a limit.
enum BodyReader {
    /// Contract §3; a redemption form is smaller still.
    static let limit = 16 * 1024
    /// The most that any route takes (contract §5, §10).
    static let longest = 64 * 1024

    /// - Throws: `OAuthError(.contentTooLarge)` beyond the limit; a declared length is refused unread.
    ///   `OAuthError(.invalidRequest)` where the client goes before all of it has come: no failure of ours.
    static func bytes(of request: Request, upTo limit: Int = limit) async throws -> [UInt8] {
        if let declared = request.headers.value(of: .contentLength).flatMap({ Int($0) }), declared > limit {
            throw OAuthError(.contentTooLarge)
        }
        do {
            return Array(try await request.body.collect(upTo: limit).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw OAuthError(.contentTooLarge)
        } catch let error where hasBroken(error) {
            throw OAuthError(.invalidRequest, "the body is not complete")
        }
    }

    /// Whether the connection did, with TLS or without.
    private static func hasBroken(_ error: any Error) -> Bool {
        error is IOError || error is ChannelError || error is NIOSSLError || error is BoringSSLError
    }

    /// The form of a program's request, the only encoding that RFC 6749 §3.2 has.
    /// - Throws: ``notAForm``, `OAuthError(.contentTooLarge)`, `FormParameters.Failure`.
    static func form(of request: Request, upTo limit: Int = limit) async throws -> FormParameters {
        guard isForm(request) else { throw notAForm }
        return try FormParameters(bytes: try await bytes(of: request, upTo: limit))
    }

    /// The answer to a body of another type.
    static let notAForm = OAuthError(.invalidRequest, "the body must be application/x-www-form-urlencoded")

    /// Whether the body is said to be a form's.
    static func isForm(_ request: Request) -> Bool {
        mediaType(of: request) == "application/x-www-form-urlencoded"
    }

    static func mediaType(of request: Request) -> String? {
        request.headers.value(of: .contentType).map { HeaderText.mediaType($0) }
    }
}
