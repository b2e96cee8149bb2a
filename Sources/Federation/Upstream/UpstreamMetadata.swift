import Bridge
import OAuth2

/// What an upstream provider says of itself (OpenID Connect Discovery §4.3), as far as signing in needs it.
struct UpstreamMetadata: Sendable {
    let authorizationEndpoint: EndpointURL
    let tokenEndpoint: EndpointURL
    let keySetURL: EndpointURL
    /// Whether every answer has an `iss` (RFC 9207 §3).
    let promisesIssuer: Bool

    init(json: [UInt8], issuer: String) throws(IssuerMetadataError) {
        let members = try IssuerMetadata.members(of: json, issuer: issuer)
        authorizationEndpoint = try IssuerMetadata.endpoint("authorization_endpoint", in: members)
        tokenEndpoint = try IssuerMetadata.endpoint("token_endpoint", in: members)
        keySetURL = try IssuerMetadata.endpoint("jwks_uri", in: members)
        promisesIssuer = members["authorization_response_iss_parameter_supported"]?.bool ?? false
    }

    /// Fetches the metadata from where OpenID Connect has it.
    static func fetch(for issuer: EndpointURL, over connection: IssuerConnection) async throws -> UpstreamMetadata {
        guard let location = IssuerMetadata.locations(of: issuer).first else { throw IssuerMetadataError.malformed }
        return try UpstreamMetadata(json: try await connection.get(location), issuer: issuer.description)
    }
}
