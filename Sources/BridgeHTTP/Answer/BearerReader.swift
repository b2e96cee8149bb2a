import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// The access token of a request (RFC 6750 §2.1, RFC 9449 §7.1).
enum BearerReader {
    /// - Throws: ``ChallengedError`` with a bare challenge when there is none: RFC 6750 §3.1 keeps error codes for
    ///   requests that tried.
    static func token(in request: Request) throws -> PresentedAccessToken {
        let fields = request.headers.values(of: .authorization)
        guard let field = fields.first, fields.count == 1 else {
            guard fields.isEmpty else { throw OAuthError(.invalidRequest, "Authorization is repeated") }
            throw missing
        }
        guard let credentials = AuthorizationField(field), let scheme = scheme(credentials.scheme) else {
            throw missing
        }
        guard let token = credentials.token68 else { throw OAuthError(.invalidToken) }
        return PresentedAccessToken(
            token: Secret(token), scheme: scheme,
            proof: scheme == .dpop ? request.proofOfPossession : .none)
    }

    /// Whether a program sends this: `Authorization` with a scheme that takes an access token, whatever comes with it. A
    /// proxy's `Basic` or `Negotiate` is sent by a browser, with another site's forms as well (RFC 7617 §2.2): whoever
    /// sends it is judged as without it.
    static func isProgram(_ request: Request) -> Bool {
        request.headers.values(of: .authorization).contains { field in
            scheme(field.prefix { $0 != " " }.lowercased()) != nil
        }
    }

    private static func scheme(_ name: String) -> PresentedAccessToken.Scheme? {
        switch name {
        case "bearer": .bearer
        case "dpop": .dpop
        default: nil
        }
    }

    private static let missing = ChallengedError(
        error: OAuthError(.invalidToken, "a bearer token is required"), headers: [.wwwAuthenticate: "Bearer"])
}

extension Request {
    /// The `DPoP` header, and what it must be about.
    var proofOfPossession: PresentedProof {
        PresentedProof(fields: headers.values(of: .dpop), method: method.rawValue, path: uri.path)
    }
}

extension HTTPField.Name {
    static let dpop = literal("DPoP")
    static let dpopNonce = literal("DPoP-Nonce")
}
