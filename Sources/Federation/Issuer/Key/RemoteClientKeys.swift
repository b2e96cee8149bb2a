package import Bridge
package import OAuth2

/// The keys of clients: from their documents, or fetched from `jwks_uri` and remembered for a minute.
package struct RemoteClientKeys: ClientKeySource {
    private let connection = IssuerConnection(limits: FetchLimits())
    private let registered = RegisteredClientKeys()
    private let cache: ShortLivedCache<String, [VerificationKey]>

    package init(time: TimeSource = .system) { cache = ShortLivedCache(lifetime: .seconds(60), time: time) }

    package func keys(of client: Client) async throws -> [VerificationKey] {
        guard let uri = client.keysURI, let url = EndpointURL(uri) else { return registered.keys(of: client) }
        return try await cache.value(for: uri) {
            do {
                let document = try await connection.get(url)
                return JSONValue.parse(document).map { Array(VerificationKey.all(inSet: $0).prefix(64)) } ?? []
            } catch is IssuerConnection.Failure {
                throw StorageError.unavailable("a client's keys cannot be fetched")
            }
        }
    }
}
