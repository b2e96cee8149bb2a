import Bridge
import Logging

extension TrustedIssuers {
    /// Sets up one issuer; the settings were validated before.
    static func issuer(
        _ settings: TrustedIssuerSettings, limits: FetchLimits, logger: Logger
    ) throws -> any TrustedIssuer {
        let connection = IssuerConnection(limits: limits)
        let allowed = settings.algorithms
        func signing(_ keys: any KeySource) -> SigningIssuer {
            SigningIssuer(settings: settings, algorithms: allowed, keys: keys)
        }
        func remote(_ load: @escaping @Sendable () async throws -> [UInt8]) -> SigningIssuer {
            signing(
                RemoteKeySet(issuer: settings.issuer, limits: limits, logger: logger) {
                    try KeySet(json: try await load(), allowed: allowed, maximumKeys: limits.maximumKeys)
                })
        }
        switch settings.verification {
        case .hmac(let secret, let keyID, let algorithm, let reread):
            return SigningIssuer(
                settings: settings, algorithms: [algorithm],
                keys: SharedSecretSource(secret: secret, keyID: keyID, algorithm: algorithm, reread: reread))
        case .jwksFile(let path):
            return signing(try KeySetFile(path: path, allowed: allowed, limits: limits))
        case .jwksURL(let text):
            let url = try endpoint(text, field: "jwks_uri")
            return remote { try await connection.get(url) }
        case .discovery:
            let url = try endpoint(settings.issuer, field: "issuer")
            return remote {
                try await Deadline.run(limits.timeout, otherwise: IssuerConnection.Failure.timedOut) {
                    let metadata = try await IssuerMetadata.fetch(for: url, over: connection)
                    return try await connection.get(metadata.keySetURL)
                }
            }
        case .introspection(let text, let clientID, let clientSecret, let reread):
            return IntrospectingIssuer(
                settings: settings, endpoint: try endpoint(text, field: "introspection.endpoint"), clientID: clientID,
                clientSecret: clientSecret, reread: reread, connection: connection, logger: logger)
        }
    }

    private static func endpoint(_ text: String, field: String) throws -> EndpointURL {
        guard let url = EndpointURL(text) else { throw TrustedIssuerError(field: field, text: "is not a secure URL") }
        return url
    }
}
