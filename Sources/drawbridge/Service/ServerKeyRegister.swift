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
        return own + KeyOverview.all(in: try await store.signingKeys(), at: time.now())
    }

    func rotate(action: AdminAction) async throws {
        try await loginTokens.rotate(action: action)
        guard let provider else { return }
        let added = try await provider.rotate()
        try await audit.append([action.event(.keyRotated, facts: ["kids": added.joined(separator: " ")])])
    }
}
