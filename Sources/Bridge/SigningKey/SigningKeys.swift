import OAuth2

/// Keeps the ring of signing keys in step with the store, and rotates them.
package struct SigningKeys: Sendable {
    /// A new key is published this long before it signs: verifiers keep a key set for up to an hour (Core §10.1.1).
    package static let publication = Duration.seconds(3600)
    /// No token of ours outlives it (the longest `access_token_lifetime`).
    package static let longestTokenLife = Duration.seconds(86_400)
    /// Retired keys stay this long for ID tokens that come back as hints.
    package static let memory = Duration.seconds(90 * 86_400)

    package let ring: Reloadable<SigningKeyRing>
    private let store: any SigningKeyStore
    private let master: MasterKey
    private let time: TimeSource

    package init(store: any SigningKeyStore, master: MasterKey, time: TimeSource = .system) {
        self.store = store
        self.master = master
        self.time = time
        ring = Reloadable(.empty)
    }

    /// Reads the keys; makes the first ones of each algorithm when there are none. Of nodes that start at the same
    /// time all get the same.
    /// - Throws: ``MasterKeyError`` when they were sealed with another master key.
    package func load() async throws {
        try await reload()
        let missing = Set(SigningAlgorithm.allCases).subtracting(ring.current.algorithms)
        guard !missing.isEmpty else { return }
        for algorithm in SigningAlgorithm.allCases where missing.contains(algorithm) {
            let key = try make(algorithm, signingAfter: .zero)
            _ = try await store.addFirstSigningKey(key, event: Self.event(key))
        }
        try await reload()
    }

    /// Takes in what changed in the store.
    package func reload() async throws {
        ring.replace(with: try Self.ring(of: try await store.signingKeys(), master: master))
    }

    /// Adds a key of each algorithm and lets the old ones retire when none of their tokens can be alive.
    /// - Parameter delay: how long the new keys are published before they sign.
    /// - Returns: the new ids.
    @discardableResult
    package func rotate(signingAfter delay: Duration = publication) async throws -> [String] {
        var added: [String] = []
        for algorithm in SigningAlgorithm.allCases { added.append(try await add(algorithm, signingAfter: delay)) }
        _ = try await store.purgeSigningKeys(retiredBefore: time.now() - Self.memory)
        try await reload()
        return added
    }

    private func add(_ algorithm: SigningAlgorithm, signingAfter delay: Duration) async throws -> String {
        let key = try make(algorithm, signingAfter: delay)
        try await store.addSigningKey(
            key, retiringOthersAt: key.signsFrom + Self.longestTokenLife, event: Self.event(key))
        return key.id
    }

    private func make(_ algorithm: SigningAlgorithm, signingAfter delay: Duration) throws -> SealedSigningKey {
        let key = try SigningKey.generate(algorithm)
        let now = time.now()
        return SealedSigningKey(
            id: key.id, algorithm: algorithm, sealedKey: try master.seal(key.privateBytes, name: key.id),
            publicKey: key.publicKey.jwk(id: key.id, algorithm: algorithm), createdAt: now, signsFrom: now + delay,
            retiresAt: nil)
    }

    private static func event(_ key: SealedSigningKey) -> AuditEvent {
        AuditEvent(
            at: key.createdAt, type: .keyRotated, outcome: .success,
            detail: #"{"algorithm":"\#(key.algorithm.rawValue)","kid":"\#(key.id)"}"#)
    }

    private static func ring(of keys: [SealedSigningKey], master: MasterKey) throws -> SigningKeyRing {
        SigningKeyRing(
            try keys.map { sealed in
                SigningKeyRing.Entry(
                    key: try SigningKey(
                        algorithm: sealed.algorithm, privateBytes: try master.open(sealed.sealedKey, name: sealed.id)),
                    signsFrom: sealed.signsFrom, retiresAt: sealed.retiresAt)
            })
    }
}
