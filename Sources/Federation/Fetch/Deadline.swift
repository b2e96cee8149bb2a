/// A bound on the time that an operation may take.
enum Deadline {
    /// Runs `operation`, cancels it after `limit`, and then throws `error`.
    ///
    /// The client's own timeout ends with the response head; a body that trickles in would go on for ever.
    static func run<Value: Sendable>(
        _ limit: Duration, otherwise error: any Error, operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask(operation: operation)
            group.addTask {
                try await Task.sleep(for: limit)
                throw error
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw error }
            return value
        }
    }
}
