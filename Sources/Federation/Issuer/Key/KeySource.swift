import Bridge
import OAuth2

/// Where an issuer's keys come from.
protocol KeySource: Sendable {
    /// Keys that fit a token's header; none when the issuer has no such key.
    /// - Throws: `StorageError.unavailable` when that cannot be found out now.
    func keys(keyID: String?, algorithm: SignatureAlgorithm, at now: Timestamp) async throws -> [IssuerKey]

    /// Reads files again and forgets what was fetched (SIGHUP).
    func reload() async throws
}

/// One shared secret.
struct SharedSecretSource: KeySource {
    private let keyID: String?
    private let set: KeySet

    init(secret: Secret<[UInt8]>, keyID: String?, algorithm: SignatureAlgorithm) {
        self.keyID = keyID
        set = KeySet(keys: [.shared(secret, id: keyID, algorithm: algorithm)])
    }

    func keys(keyID: String?, algorithm: SignatureAlgorithm, at now: Timestamp) -> [IssuerKey] {
        // Without a configured name the one secret is meant, whatever the issuer calls it.
        set.candidates(keyID: self.keyID == nil ? nil : keyID, algorithm: algorithm)
    }

    func reload() {}
}
