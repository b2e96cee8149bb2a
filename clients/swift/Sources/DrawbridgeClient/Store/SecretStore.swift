/// Where an app keeps its secrets between two runs.
///
/// All methods throw ``ClientError/secretStore(_:)`` when the store does not work; "there is none" is not an error.
public protocol SecretStore: Sendable {
    /// The secret of this name; `nil` when there is none.
    func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>?
    /// Keeps a secret in place of the one before. A reader sees the one or the other, never a part.
    func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError)
    /// Forgets it; nothing happens when there is none.
    func remove(_ item: SecretItem) async throws(ClientError)
    /// Waits until no one else holds the lock of this name, and keeps everyone out until it is released: other
    /// processes too, where the secrets outlive this one. The secret itself can be read and written meanwhile.
    func lock(_ item: SecretItem) async throws(ClientError) -> SecretLock
}

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

/// Keeps secrets as long as the process lives: for tests, and for apps that must leave no trace.
public actor MemorySecretStore: SecretStore {
    private var secrets: [SecretItem: Redacted<String>] = [:]
    /// Who waits for a lock that is held, in order.
    private var waiting: [SecretItem: [CheckedContinuation<Void, Never>]] = [:]

    /// An empty store.
    public init() {}

    /// As ``SecretStore/read(_:)`` says.
    public func read(_ item: SecretItem) -> Redacted<String>? { secrets[item] }

    /// As ``SecretStore/write(_:to:)`` says.
    public func write(_ secret: Redacted<String>, to item: SecretItem) { secrets[item] = secret }

    /// As ``SecretStore/remove(_:)`` says.
    public func remove(_ item: SecretItem) { secrets[item] = nil }

    /// As ``SecretStore/lock(_:)`` says.
    public func lock(_ item: SecretItem) async -> SecretLock {
        if waiting[item] == nil {
            waiting[item] = []
        } else {
            await withCheckedContinuation { waiting[item]?.append($0) }
        }
        return SecretLock { await self.release(item) }
    }

    private func release(_ item: SecretItem) {
        guard var queue = waiting[item] else { return }
        let next = queue.isEmpty ? nil : queue.removeFirst()
        waiting[item] = next == nil ? nil : queue
        next?.resume()
    }
}
