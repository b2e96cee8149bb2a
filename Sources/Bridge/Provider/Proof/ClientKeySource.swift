package import OAuth2

/// The public keys of clients that sign their assertions.
package protocol ClientKeySource: Sendable {
    /// - Throws: ``StorageError/unavailable(_:)`` when they cannot be fetched now.
    func keys(of client: Client) async throws -> [VerificationKey]
}

/// Keys that stand in the client's document.
package struct RegisteredClientKeys: ClientKeySource {
    package init() {}

    package func keys(of client: Client) -> [VerificationKey] {
        client.keys.map(VerificationKey.all(inSet:)) ?? []
    }
}
