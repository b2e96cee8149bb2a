import Bridge
import OAuth2

/// Every signing key of a server: those of login tokens, and the provider's.
struct ServerKeyRegister: KeyRegister {
    let loginTokens: LoginTokenKeyRegister
    /// `nil` without a provider.
    let provider: SigningKeys?
    let store: any SigningKeyStore
    let audit: any AuditLog
    let time: TimeSource

    func keys() async throws -> [KeyOverview] {
        let own = try loginTokens.keys()
        guard provider != nil else { return own }
        let now = time.now()
        let keys = try await store.signingKeys()
        return own + keys.map { key in Self.overview(key, of: keys, at: now) }
    }

    func rotate(action: AdminAction) async throws {
        try await loginTokens.rotate(action: action)
        guard let provider else { return }
        let added = try await provider.rotate()
        try await audit.append([action.event(.keyRotated, facts: ["kids": added.joined(separator: " ")])])
    }

    private static func overview(
        _ key: SealedSigningKey, of keys: [SealedSigningKey], at now: Timestamp
    ) -> KeyOverview {
        let youngest = keys.filter { $0.algorithm == key.algorithm && $0.signsFrom <= now }
            .max { $0.signsFrom < $1.signsFrom }
        let state: KeyOverview.State =
            if key.retiresAt.map({ $0 <= now }) ?? false {
                .retired
            } else if key.signsFrom > now {
                .waiting
            } else if key.id == youngest?.id {
                .signing
            } else {
                .verifying
            }
        return KeyOverview(
            id: key.id, use: "tokens", algorithm: key.algorithm.rawValue, state: state, signsFrom: key.signsFrom,
            retiresAt: key.retiresAt)
    }
}
