import Bridge
import HTTPTypes
import OAuth2

/// The bearer token of a request (RFC 6750 §2.1).
enum BearerReader {
    /// - Throws: ``ChallengedError`` with a bare challenge when there is none: RFC 6750 §3.1 keeps error codes for
    ///   requests that tried.
    static func token(in headers: HTTPFields) throws -> Secret<String> {
        let fields = headers[values: .authorization]
        guard let field = fields.first, fields.count == 1 else {
            guard fields.isEmpty else { throw OAuthError(.invalidRequest, "Authorization is repeated") }
            throw missing
        }
        // By bytes: splitting by characters costs more than verifying the token out of the cache.
        let scheme = field.utf8.prefix { $0 != UInt8(ascii: " ") }
        guard scheme.endIndex != field.endIndex, String(Substring(scheme)).lowercased() == "bearer" else {
            throw missing
        }
        let token = field.utf8[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
        guard !token.isEmpty, token.allSatisfy(isTokenByte) else { throw OAuthError(.invalidToken) }
        return Secret(String(Substring(token)))
    }

    private static let missing = ChallengedError(
        error: OAuthError(.invalidToken, "a bearer token is required"), headers: [.wwwAuthenticate: "Bearer"])

    /// `b64token`, RFC 6750 §2.1.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
