package import OAuth2

/// The provider's signing keys that are in force: one an algorithm signs, several verify.
package struct SigningKeyRing: Sendable {
    /// A key with its times.
    package struct Entry: Sendable {
        package let key: SigningKey
        package let signsFrom: Timestamp
        package let retiresAt: Timestamp?

        package init(key: SigningKey, signsFrom: Timestamp, retiresAt: Timestamp?) {
            self.key = key
            self.signsFrom = signsFrom
            self.retiresAt = retiresAt
        }
    }

    private let entries: [String: Entry]
    private let bySigningStart: [Entry]

    package static let empty = SigningKeyRing([])

    package init(_ entries: [Entry]) {
        self.entries = Dictionary(entries.map { ($0.key.id, $0) }, uniquingKeysWith: { $1 })
        bySigningStart = entries.sorted { $0.signsFrom > $1.signsFrom }
    }

    /// The youngest key of an algorithm that may sign; `nil` when none may.
    package func signing(_ algorithm: SigningAlgorithm, at now: Timestamp) -> SigningKey? {
        bySigningStart.first { $0.key.algorithm == algorithm && $0.signsFrom <= now && Self.isLive($0, at: now) }?.key
    }

    /// The key with this id, unless it has retired.
    package func verifying(_ id: String, at now: Timestamp) -> VerificationKey? {
        guard let entry = entries[id], Self.isLive(entry, at: now) else { return nil }
        return entry.key.publicKey
    }

    /// As ``verifying(_:at:)``, retired ones too: what an old ID token said about its user stays true.
    package func known(_ id: String) -> VerificationKey? { entries[id]?.key.publicKey }

    package var algorithms: Set<SigningAlgorithm> { Set(entries.values.map(\.key.algorithm)) }

    /// The JWK set: every key that signs, will sign, or whose tokens may live.
    package func publicKeySet(at now: Timestamp) -> JSONValue {
        let keys = bySigningStart.filter { Self.isLive($0, at: now) }
            .map { $0.key.publicKey.jwk(id: $0.key.id, algorithm: $0.key.algorithm) }
        return .object(["keys": .array(keys)])
    }

    private static func isLive(_ entry: Entry, at now: Timestamp) -> Bool { entry.retiresAt.map { now < $0 } ?? true }
}
