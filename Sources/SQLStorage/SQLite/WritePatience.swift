import GRDB
import Synchronization

/// How long the connection that writes waits for another process that does, such as a command run next to the server.
///
/// Writes wait one after the other, and the last would wait for all before it as well. So once one has waited in
/// vain, those after it hardly wait until one succeeds.
final class WritePatience: Sendable {
    /// Milliseconds.
    static let full = 5000
    private static let short = 250

    private let isShort = Mutex(false)

    func lose(on database: Database) { shorten(true, on: database) }

    func regain(on database: Database) { shorten(false, on: database) }

    private func shorten(_ shortens: Bool, on database: Database) {
        let isChange = isShort.withLock { isShort in
            defer { isShort = shortens }
            return isShort != shortens
        }
        // Where it fails, the wait stays as it was: long, and not wrong.
        if isChange { try? database.execute(sql: "PRAGMA busy_timeout = \(shortens ? Self.short : Self.full)") }
    }
}
