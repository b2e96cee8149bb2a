import OAuth2

/// Makes keys, and seals them under the master key before they go anywhere.
struct SigningKeyMaker: Sendable {
    let master: MasterKey
    let random: RandomSource

    /// A new key that signs once verifiers have had the time to learn of it.
    /// - Parameter delay: how long that is; `nil` for what the algorithm needs.
    func make(_ algorithm: KeyAlgorithm, at now: Timestamp, signingAfter delay: Duration? = nil) throws
        -> SealedSigningKey
    {
        let signsFrom = now + (delay ?? algorithm.publication)
        guard let published = algorithm.published else {
            return try seal(
                SecretKey(
                    id: random.text(9), secret: Secret(random.bytes(SecretKey.shortestSecret)),
                    signsFrom: signsFrom, retiresAt: nil),
                at: now, signsWhenKnown: delay == nil)
        }
        let key = try SigningKey.generate(published)
        return SealedSigningKey(
            id: key.id, algorithm: algorithm, sealedKey: try seal(key.privateBytes, key.id, algorithm),
            publicKey: key.publicKey.jwk(id: key.id, algorithm: published), createdAt: now, signsFrom: signsFrom)
    }

    func seal(_ key: SecretKey, at now: Timestamp, signsWhenKnown: Bool = false) throws -> SealedSigningKey {
        SealedSigningKey(
            id: key.id, algorithm: .hs256, sealedKey: try seal(key.secret.expose(), key.id, .hs256),
            publicKey: .object([:]), createdAt: now, signsFrom: key.signsFrom, signsWhenKnown: signsWhenKnown,
            retiresAt: key.retiresAt)
    }

    private func seal(_ bytes: [UInt8], _ id: String, _ algorithm: KeyAlgorithm) throws -> String {
        try master.seal(bytes, name: Self.sealName(id, algorithm))
    }

    /// A shared secret's name is never a key pair's, so that neither opens as the other.
    static func sealName(_ id: String, _ algorithm: KeyAlgorithm) -> String {
        algorithm == .hs256 ? "login token key \(id)" : id
    }
}
