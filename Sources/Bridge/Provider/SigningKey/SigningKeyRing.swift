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

    /// Tells rings apart: what was verified with the keys of one may be worth nothing in the next.
    package let number: Int64
    private let entries: [String: Entry]
    private let bySigningStart: [Entry]

    package static let empty = SigningKeyRing([])

    package init(_ entries: [Entry], number: Int64 = 0) {
        self.number = number
        self.entries = Dictionary(entries.map { ($0.key.id, $0) }, uniquingKeysWith: { $1 })
        // Of two that begin at the same instant every node takes the same.
        bySigningStart = entries.sorted { ($0.signsFrom, $0.key.id) > ($1.signsFrom, $1.key.id) }
    }

    /// The youngest key of an algorithm that may sign; `nil` when none may.
    package func signing(_ algorithm: SigningAlgorithm, at now: Timestamp) -> SigningKey? {
        bySigningStart.first {
            $0.key.algorithm == algorithm && KeyAlgorithm.hasBegun($0.signsFrom, at: now) && Self.isLive($0, at: now)
        }?.key
    }

    /// The key with this id, unless it has retired.
    package func verifying(_ id: String, at now: Timestamp) -> VerificationKey? {
        guard let entry = entries[id], Self.isLive(entry, at: now) else { return nil }
        return entry.key.publicKey
    }

    /// As ``verifying(_:at:)``, those too whose time has run out: what an old ID token said about its user stays true.
    /// Not one that was retired at once: it may say anything.
    package func known(_ id: String) -> VerificationKey? { entries[id]?.key.publicKey }

    /// The key that a token names, if it is none of these.
    func unknownKey(of token: Secret<String>) -> String? {
        guard let keyID = CompactJWS(token.expose())?.keyID, entries[keyID] == nil else { return nil }
        return keyID
    }

    /// The JWK set: every key that signs, will sign, or whose tokens may live.
    package func publicKeySet(at now: Timestamp) -> JSONValue {
        let keys = bySigningStart.filter { Self.isLive($0, at: now) }
            .map { $0.key.publicKey.jwk(id: $0.key.id, algorithm: $0.key.algorithm) }
        return .object(["keys": .array(keys)])
    }

    private static func isLive(_ entry: Entry, at now: Timestamp) -> Bool { entry.retiresAt.map { now < $0 } ?? true }
}
