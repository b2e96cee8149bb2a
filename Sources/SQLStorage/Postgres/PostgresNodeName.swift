/// Holds a node's name for one connection: two writers of one chain would fork it.
///
/// An advisory lock of the session: the server lets go of it when the connection ends, and not before. So a process
/// that reconnects and gets its name back knows that nothing of its old connection is still under way.
struct PostgresNodeName {
    private let node: String

    init(_ node: String) { self.node = node }

    /// What happens when another connection holds the name.
    var refusal: SQLFailure {
        SQLFailure(kind: .unavailable, text: PostgresOpenError.nodeInUse(node).description)
    }

    /// Waits for as long as the connection waits for locks, so that a process that was just killed can be replaced.
    /// - Throws: ``SQLFailure``, ``refusal`` among them.
    func take(on session: PostgresSession) throws {
        do {
            _ = try session.run(Self.lock, [.text(node)])
        } catch let failure as SQLFailure where failure.isLockTimeout {
            throw refusal
        }
    }

    private static let lock: SQLStatement = """
        SELECT pg_advisory_lock(hashtextextended('drawbridge node ' || current_schema()::text || ' ' || $1::text, 0))
        """
}
