/// Keeps secrets as long as the process lives: for tests, and for apps that must leave no trace.
public actor MemorySecretStore: SecretStore {
    private var secrets: [SecretItem: Redacted<String>] = [:]

    /// An empty store.
    public init() {}

    /// As ``SecretStore/read(_:)`` says.
    public func read(_ item: SecretItem) -> Redacted<String>? { secrets[item] }

    /// As ``SecretStore/write(_:to:)`` says.
    public func write(_ secret: Redacted<String>, to item: SecretItem) { secrets[item] = secret }

    /// As ``SecretStore/remove(_:)`` says.
    public func remove(_ item: SecretItem) { secrets[item] = nil }
}
