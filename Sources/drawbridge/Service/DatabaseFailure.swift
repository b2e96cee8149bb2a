import Bridge

/// What a store threw, with the database that it was: an operator has to know which one to do something about.
struct DatabaseFailure: Error {
    /// What messages call it; `nil` where nothing says which it was.
    let database: String?
    let error: StorageError

    /// Adds the database to what a store throws in `body`.
    static func naming<Value>(_ database: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let error as StorageError {
            throw DatabaseFailure(database: database, error: error)
        }
    }
}
