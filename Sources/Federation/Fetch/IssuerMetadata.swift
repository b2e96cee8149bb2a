import Bridge
import OAuth2

/// Finds an issuer's key set (OpenID Connect Discovery §4, RFC 8414 §3).
struct IssuerMetadata: Sendable {
    let keySetURL: EndpointURL

    init(json: [UInt8], issuer: String) throws(IssuerMetadataError) {
        keySetURL = try Self.endpoint("jwks_uri", in: try Self.members(of: json, issuer: issuer))
    }

    /// The members of an issuer's own metadata.
    static func members(of json: [UInt8], issuer: String) throws(IssuerMetadataError) -> [String: JSONValue] {
        guard let members = JSONValue.parse(json)?.object else { throw .malformed }
        guard let named = members["issuer"]?.string, named.hasSameBytes(as: issuer) else { throw .otherIssuer }
        return members
    }

    /// An address that cannot be done without.
    static func endpoint(
        _ name: String, in members: [String: JSONValue]
    ) throws(IssuerMetadataError) -> EndpointURL {
        guard let url = members[name]?.string.flatMap({ EndpointURL($0) }) else { throw .missing(name) }
        return url
    }

    /// Where the metadata may be: OpenID Connect appends to the issuer, RFC 8414 inserts before its path.
    static func locations(of issuer: EndpointURL) -> [EndpointURL] {
        let base = issuer.description.hasSuffix("/") ? String(issuer.description.dropLast()) : issuer.description
        let path = base.dropFirst(issuer.origin.count)
        return [
            base + "/.well-known/openid-configuration",
            issuer.origin + "/.well-known/oauth-authorization-server" + path,
        ].compactMap { EndpointURL($0) }
    }

    /// Fetches the metadata from the first location that has any.
    static func fetch(for issuer: EndpointURL, over connection: IssuerConnection) async throws -> IssuerMetadata {
        var failure: any Error = IssuerMetadataError.malformed
        for location in locations(of: issuer) {
            let json: [UInt8]
            do {
                json = try await connection.get(location)
            } catch IssuerConnection.Failure.status(let status, _) where (400..<500).contains(status) {
                failure = IssuerConnection.Failure.status(status)
                continue
            }
            return try IssuerMetadata(json: json, issuer: issuer.description)
        }
        throw failure
    }
}

/// Why the metadata cannot be used.
enum IssuerMetadataError: Error, Hashable {
    case malformed
    /// Another issuer's metadata (RFC 8414 §3.3): its keys must not sign for the issuer we trust.
    case otherIssuer
    /// - Parameter name: the member that is not there, or is no secure URL.
    case missing(_ name: String)
}
