import Bridge
import Logging

/// Asks a server whether its locks are real, with a row that one connection holds and another wants.
///
/// Single use, the nodes' names and the fence of every batch rest on them.
struct PostgresLockTrial {
    let address: PostgresAddress
    let node: String
    let logger: Logger

    /// - Throws: ``PostgresOpenError/locksNotReal(_:)``, ``SQLError``.
    func run(on engine: PostgresEngine) async throws {
        try await engine.onWriterNow { session in
            // Locks of another server would be none.
            let other = PostgresSession(
                address: address, applicationName: "drawbridge trial", timeouts: .service, written: engine.written,
                logger: logger)
            try session.begin()
            defer {
                other.disconnect()
                session.rollback()
            }
            _ = try session.run(LeaseSQL.trialHold, [.text(node)])
            try other.begin()
            do {
                _ = try other.run(LeaseSQL.trial, [.text(node)])
            } catch let failure as SQLError where failure.kind == .lockTimeout {
                other.rollback()
                return
            }
            other.rollback()
            throw PostgresOpenError.locksNotReal(address.description)
        }
    }
}
