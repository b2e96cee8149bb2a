/// A database: one connection that writes and several that read.
package protocol SQLEngine: Sendable {
    var dialect: SQLDialect { get }

    /// Runs `body` on a connection that reads; each of its statements sees everything committed before.
    /// - Throws: what `body` throws, or ``SQLFailure``.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value

    /// Runs `body` on the connection that writes, after whatever runs there; returns at once.
    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void)

    /// Told after a commit, so that the engine can tidy up behind it.
    /// - Parameter writes: how many writes the commit held.
    func didCommit(writes: Int)

    /// Lets go of every connection. Nothing may be running.
    func close() throws
}
