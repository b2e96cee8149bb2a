/// Everything that must last, on one engine. Services take the role they need, never this.
package protocol BridgeStorage: LoginTokenStore, WebSessionStore, SubjectStore, AccountStore, ClientStore, ConsentStore,
    PushedRequestStore, AuditLog, ProviderStorage, AuditTallies, AuditRetention, AuditSealing, AuditForwardCursors,
    AdminSessionStore, SessionRegister, DeviceStorage, WebhookStore, EndingStore
{
    /// Whether the engine can write now; what `/readyz` asks.
    /// - Throws: ``StorageError`` when it cannot.
    func checkWritable() async throws

    /// Signs and stores a checkpoint of this node's chain when it has grown since the last one, then lets go of the
    /// engine. Nothing may be called afterwards.
    func close() async throws
}

/// What the token side of the OAuth provider keeps.
package protocol ProviderStorage: AuthorizationCodeStore, AppSessionStore, RefreshTokenStore, SigningKeyStore,
    RevokedTokenStore, LogoutNoticeStore, ClientAssertionStore
{}

/// What the device side needs to last.
package typealias DeviceStorage = DeviceSecretStore & SessionRefreshStore & SettingStore
