package import OAuth2

/// The keys that sign access tokens, ID tokens and logout tokens; their private parts are sealed before they come here.
package protocol SigningKeyStore: Sendable {
    func signingKeys() async throws -> [SealedSigningKey]

    /// Adds the first key that an algorithm ever had.
    /// - Returns: `false` when there was one; then nothing was written.
    func addFirstSigningKey(_ key: SealedSigningKey, event: AuditEvent) async throws -> Bool

    /// Adds a key; the others of its algorithm that had no end yet get one.
    func addSigningKey(_ key: SealedSigningKey, retiringOthersAt retirement: Timestamp, event: AuditEvent)
        async throws

    /// - Returns: the ids that went.
    func purgeSigningKeys(retiredBefore cutoff: Timestamp) async throws -> [String]
}

package struct SealedSigningKey: Hashable, Sendable {
    /// `kid`.
    package let id: String
    package let algorithm: SigningAlgorithm
    /// The private key, sealed by ``MasterKey``; base64url.
    package let sealedKey: String
    /// As the JWK set shows it.
    package let publicKey: JSONValue
    package let createdAt: Timestamp
    /// When it begins to sign; it is published at once, so that every verifier has it before (Core §10.1.1).
    package let signsFrom: Timestamp
    /// When it stops verifying.
    package let retiresAt: Timestamp?

    package init(
        id: String, algorithm: SigningAlgorithm, sealedKey: String, publicKey: JSONValue, createdAt: Timestamp,
        signsFrom: Timestamp, retiresAt: Timestamp?
    ) {
        self.id = id
        self.algorithm = algorithm
        self.sealedKey = sealedKey
        self.publicKey = publicKey
        self.createdAt = createdAt
        self.signsFrom = signsFrom
        self.retiresAt = retiresAt
    }
}
