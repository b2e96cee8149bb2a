import Bridge
import Foundation
import Logging

/// One PostgreSQL database: a connection that writes, several that read, each on a thread of its own.
///
/// Its sessions run at READ COMMITTED. What single use and the other promises need of that are single statements that
/// decide and write at once, and the row holds of the dialect.
final class PostgresEngine: SQLEngine {
    let dialect = SQLDialect.postgres
    private let writer: PostgresThreads
    private let readers: PostgresThreads

    /// Reads that may wait; more means that the database cannot keep up.
    private static let readLimit = 10_000
    /// How long a read may have waited for a connection.
    private static let readPatience = Duration.seconds(5)

    /// - Parameter node: the name that this process writes under; without one it only reads.
    init(
        address: PostgresAddress, node: String?, readers readerCount: Int, timeouts: PostgresTimeouts = .service,
        logger: Logger
    ) {
        let outage = PostgresOutage()
        readers = PostgresThreads("drawbridge-read", count: readerCount, limit: Self.readLimit) {
            PostgresSession(
                address: address, applicationName: "drawbridge reader", timeouts: timeouts, outage: outage,
                logger: logger)
        }
        // One job at a time waits there: the group commit writer's drain.
        writer = PostgresThreads("drawbridge-write", count: 1, limit: Self.readLimit) {
            PostgresSession(
                address: address, applicationName: node.map { "drawbridge writer \($0)" } ?? "drawbridge",
                timeouts: timeouts, outage: outage, logger: logger
            ) { session in
                if let node { try PostgresNodeName(node).take(on: session) }
            }
        }
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        let since = ContinuousClock.now
        return try await withCheckedThrowingContinuation { continuation in
            let isTaken = readers.add { session in
                continuation.resume(
                    with: Result {
                        guard ContinuousClock.now - since < Self.readPatience else {
                            throw SQLFailure(kind: .unavailable, text: "no database connection became free in time")
                        }
                        return try Self.read(on: session, body)
                    })
            }
            if !isTaken {
                continuation.resume(throwing: SQLFailure(kind: .unavailable, text: "too many reads are waiting"))
            }
        }
    }

    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void) {
        // Refused only after the close, when nothing may be running.
        _ = writer.add { session in body(session) }
    }

    /// Runs `body` on the writer and waits for it: for opening, copying and tests.
    func onWriterNow<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLSession) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = writer.add { session in
                continuation.resume(
                    with: Result {
                        try session.connect()
                        return try body(session)
                    })
            }
            if !isTaken {
                continuation.resume(throwing: SQLFailure(kind: .unavailable, text: "the storage is closed"))
            }
        }
    }

    func didCommit(writes: Int) {}

    func close() {
        writer.close()
        readers.close()
    }

    /// A connection that the server dropped while it was idle shows only when it is used; reading twice is harmless.
    private static func read<Value>(
        on session: PostgresSession, _ body: (any SQLSession) throws -> Value
    ) throws -> Value {
        try session.connect()
        do {
            return try body(session)
        } catch let failure as SQLFailure where failure.kind == .interrupted {
            try session.connect()
            return try body(session)
        }
    }
}
