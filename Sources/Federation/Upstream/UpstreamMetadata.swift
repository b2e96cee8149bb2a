import Bridge
import OAuth2

/// What an upstream provider says of itself (OpenID Connect Discovery §4.3), as far as signing in needs it.
struct UpstreamMetadata: Sendable {
    let authorizationEndpoint: EndpointURL
    let tokenEndpoint: EndpointURL
    let keySetURL: EndpointURL
    /// Whether every answer has an `iss` (RFC 9207 §3).
    let promisesIssuer: Bool

    /// - Returns: `nil` for another issuer's document, and for one that lacks something.
    init?(json: [UInt8], issuer: String) {
        guard let members = JSONValue.parse(json)?.object,
            members["issuer"]?.string?.hasSameBytes(as: issuer) == true,
            let authorization = members["authorization_endpoint"]?.string.flatMap({ EndpointURL($0) }),
            let token = members["token_endpoint"]?.string.flatMap({ EndpointURL($0) }),
            let keys = members["jwks_uri"]?.string.flatMap({ EndpointURL($0) })
        else { return nil }
        authorizationEndpoint = authorization
        tokenEndpoint = token
        keySetURL = keys
        promisesIssuer = members["authorization_response_iss_parameter_supported"]?.bool ?? false
    }
}
