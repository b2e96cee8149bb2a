/// What ``SecretStore/lock(_:)`` gives: until it is released no other caller gets it.
public struct SecretLock: Sendable {
    private let free: @Sendable () async -> Void

    /// - Parameter release: lets the next one in.
    public init(release: @escaping @Sendable () async -> Void) { free = release }

    /// Keeps no one out.
    public static let none = SecretLock {}

    /// Lets the next one in. To be called once.
    public func release() async { await free() }
}

extension SecretStore {
    /// For stores that cannot keep others out, such as a keychain: two processes that renew at once then both ask, and get the
    /// one successor within the provider's grace.
    public func lock(_ item: SecretItem) async throws(ClientError) -> SecretLock { .none }

    /// Does what no other process on this device may do meanwhile, as far as the store can see to that.
    func locked<Value: Sendable>(
        _ item: SecretItem, isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        let held = try await lock(item)
        let result: Result<Value, ClientError>
        do throws(ClientError) { result = .success(try await work()) } catch { result = .failure(error) }
        await held.release()
        return try result.get()
    }

    /// The lock for what has to be done in every case, with or without it.
    /// - Returns: one that keeps no one out where it cannot be had, and why it cannot.
    func lockIfPossible(_ item: SecretItem) async -> (held: SecretLock, problem: ClientError?) {
        do throws(ClientError) { return (try await lock(item), nil) } catch { return (.none, error) }
    }
}
