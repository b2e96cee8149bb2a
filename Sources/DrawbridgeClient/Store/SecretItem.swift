/// The name of one kept secret: the attributes of a keychain's generic password.
public struct SecretItem: Sendable, Hashable {
    /// `kSecAttrService`.
    public let service: String
    /// `kSecAttrAccount`.
    public let account: String
    /// `kSecAttrAccessGroup`: which apps may read it. `nil`: this app alone, where the system can hold apps apart.
    public let accessGroup: String?

    /// Names an item.
    public init(service: String, account: String, accessGroup: String? = nil) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
    }
}
