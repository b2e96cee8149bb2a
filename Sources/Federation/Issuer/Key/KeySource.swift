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

/// One shared secret, read again from its file at each reload.
struct SharedSecretSource: KeySource {
    private let keyID: String?
    private let algorithm: SignatureAlgorithm
    private let reread: (@Sendable () throws -> Secret<[UInt8]>)?
    private let set: Reloadable<KeySet>

    /// - Parameter reread: takes it from its file; `nil` for one that is in no file.
    init(
        secret: Secret<[UInt8]>, keyID: String?, algorithm: SignatureAlgorithm,
        reread: (@Sendable () throws -> Secret<[UInt8]>)?
    ) {
        self.keyID = keyID
        self.algorithm = algorithm
        self.reread = reread
        set = Reloadable(KeySet(keys: [.shared(secret, id: keyID, algorithm: algorithm)]))
    }

    func keys(keyID: String?, algorithm: SignatureAlgorithm, at now: Timestamp) -> [IssuerKey] {
        // Without a configured name the one secret is meant, whatever the issuer calls it.
        set.current.candidates(keyID: self.keyID == nil ? nil : keyID, algorithm: algorithm)
    }

    /// Keeps the secret it has when the file is broken, and says so.
    func reload() throws {
        guard let secret = try reread?() else { return }
        if let fault = TrustedIssuerSettings.fault(of: secret, for: algorithm) {
            throw TrustedIssuerError(field: "hmac.secret_file", text: fault)
        }
        set.replace(with: KeySet(keys: [.shared(secret, id: keyID, algorithm: algorithm)]))
    }
}
