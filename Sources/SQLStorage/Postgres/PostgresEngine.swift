import Bridge
import CPostgres
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
    private let browsing = Turnstile(
        width: 1, maximumWaiting: nil, patience: PostgresEngine.readPatience,
        refusal: SQLError(kind: .unavailable, text: "too many long reads are waiting"))
    /// Where the writer is, as far as it has been asked; without a lease see ``locateWriter()``.
    let written: WrittenDatabase

    /// Reads that may wait; more means that the database cannot keep up.
    private static let readLimit = 10_000
    /// How long a read may have waited for a connection.
    private static let readPatience = Duration.seconds(5)

    /// - Parameter node: the name that this process writes under; without one it only reads.
    init(
        address: PostgresAddress, node: String?, readers readerCount: Int, timeouts: PostgresTimeouts,
        time: TimeSource = .system, logger: Logger
    ) {
        let outage = PostgresOutage()
        let written = WrittenDatabase(time: time, logger: logger)
        self.written = written
        readers = PostgresThreads("drawbridge-read", count: readerCount, limit: Self.readLimit) {
            PostgresSession(
                address: address, applicationName: "drawbridge reader", timeouts: timeouts, outage: outage,
                written: written, logger: logger)
        }
        // One job at a time waits there: the group commit writer's drain.
        writer = PostgresThreads("drawbridge-write", count: 1, limit: Self.readLimit) {
            PostgresSession(
                address: address, applicationName: node.map { "drawbridge writer \($0)" } ?? "drawbridge",
                timeouts: timeouts, outage: outage, logger: logger)
        }
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        let since = ContinuousClock.now
        return try await withCheckedThrowingContinuation { continuation in
            let isTaken = readers.add { session in
                continuation.resume(
                    with: Result {
                        guard ContinuousClock.now - since < Self.readPatience else {
                            throw SQLError(kind: .unavailable, text: "no database connection became free in time")
                        }
                        return try Self.read(on: session, body)
                    })
            }
            if !isTaken {
                continuation.resume(throwing: SQLError(kind: .unavailable, text: "too many reads are waiting"))
            }
        }
    }

    /// One at a time: a few of them would take every connection that a sign-in needs.
    func browse<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        try await browsing.turn { try await read(body) }
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
                continuation.resume(throwing: SQLError(kind: .unavailable, text: "the storage is closed"))
            }
        }
    }

    /// Notes which database the connection that writes leads to, for one that writes nothing.
    func locateWriter() async throws {
        try await onWriterNow { [written] session in
            let identity = try LeaseSQL.postgres.identity(session)
            try written.refuseEarlier(identity, on: session)
            written.note(identity)
        }
    }

    /// Reads as well: where no new connection is to be had, or new ones lead to a standby, as after a failover, the one
    /// that writes may go on, and knows nothing of it.
    func checkConnections() async throws {
        try written.check()
        _ = try await read { session in try session.run(Self.trial) }
    }

    private static let trial: SQLStatement = "SELECT 1"

    func didCommit(writes: Int, upkeep: Int) {}

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
        } catch let failure as SQLError where failure.kind == .interrupted {
            try session.connect()
            return try body(session)
        }
    }
}

extension SQLDialect {
    static let postgres = SQLDialect(
        // Byte order, as in SQLite: the same pages in the same order, whatever the database's language.
        text: #"TEXT COLLATE "C""#, clustered: "",
        // The columns' own collation knows the case of ASCII letters only.
        lowercase: { #"replace(lower((\#($0)) COLLATE "und-x-icu"), 'ς', 'σ')"# },
        isAmong: { "\($0) = ANY(ARRAY(SELECT json_array_elements_text(\($1))))" },
        rowHold: " FOR SHARE", isRemote: true,
        beforeMigration: [
            "SELECT pg_advisory_xact_lock(hashtextextended('drawbridge migration ' || current_schema(), 0))",
            // Only now, or it would bound the wait for another node's migration as well. A caller that asks for a table
            // behind a statement that waits to alter it waits too, three seconds at most.
            "SELECT set_config('lock_timeout', '2000', true)",
        ],
        transactionNumber: "txid_current()", lowestOpenNumber: "txid_snapshot_xmin(txid_current_snapshot())",
        nextNumber: "txid_snapshot_xmax(txid_current_snapshot())",
        databaseRun: "pg_postmaster_start_time()::text", advanceNumber: nil,
        sessionEndNews: "SELECT pg_notify('drawbridge_session_end', $1)",
        shortWait: "SELECT set_config('lock_timeout', '100', true)", lease: .postgres)
}

extension SQLError {
    /// What the server said, without the detail, which quotes values of the row.
    init(postgresResult result: OpaquePointer, connection: OpaquePointer) {
        guard let state = Self.state(ofResult: result) else {
            self.init(postgresConnection: connection)
            return
        }
        let message = PQresultErrorField(result, Self.primaryMessageField).map { String(cString: $0) } ?? "no message"
        let code = "PostgreSQL \(state)"
        self.init(
            kind: Self.kind(ofState: state, message: message), text: "\(code): \(message)",
            writeRefusal: Self.isWriteRefusal(state) ? code : nil, state: state,
            cause: Self.cause(ofState: state, message: message))
    }

    /// What became of the connection itself.
    init(postgresConnection connection: OpaquePointer) {
        let message = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        self.init(
            kind: .interrupted, text: "PostgreSQL connection: \(message.oneLine)",
            cause: Self.cause(ofConnection: message))
    }

    /// - Parameter message: the server's, of which the name of a table or column alone counts: it stands between
    ///   quotation marks in every language.
    static func cause(ofState state: String, message: String) -> StorageError.Cause {
        func missing(_ what: String) -> StorageError.Cause {
            let name = message.firstMatch(of: /[^\sA-Za-z0-9_.]\s?([A-Za-z0-9_]+)\s?[^\sA-Za-z0-9_.]/)?.1
            return .missing(name.map { "\(what) \($0)" } ?? "\(what) that this program needs")
        }
        switch state {
        case "42P01": return missing("table")
        case "42703": return missing("column")
        case "XX001", "XX002": return .damage
        default:
            return .engine(code: "PostgreSQL \(state)" + (generalWords[state].map { " (\($0))" } ?? ""))
        }
    }

    /// libpq passes on no state of a server that refuses connections. Where its messages are in another language, it is
    /// only known that there is no connection.
    static func cause(ofConnection message: String) -> StorageError.Cause {
        let isCrowded = ["too many clients", "connection slots are reserved", "too many connections"].contains {
            message.contains($0)
        }
        return isCrowded ? cause(ofState: "53300", message: message) : .noConnection
    }

    /// What states mean, in general words (PostgreSQL's manual, appendix A).
    private static let generalWords = [
        "25006": "it is read-only, as a standby is", "42501": "the role may not do that", "53100": "its disk is full",
        "53200": "it has no memory left", "53300": "too many connections", "58030": "its disk fails",
    ]

    /// By class and, where a class is mixed, by code: PostgreSQL's manual, appendix A.
    static func kind(ofState state: String, message: String = "") -> Kind {
        switch state {
        case "40001", "40P01": .interrupted
        // Only a fence divides, by nothing where the lease is not held any more (LeaseSQL).
        case "22012": .interrupted
        // The server stops, or sends its sessions away; 25P03 and 57P05 are its own deadlines for idle sessions.
        case "57P01", "57P02", "57P03", "25P03", "57P05": .interrupted
        // A server that was made a standby, and statements that were dropped or whose tables were changed elsewhere:
        // a new connection sees the world as it is.
        case "25006", "26000": .interrupted
        case "0A000" where message.contains("cached plan"): .interrupted
        case "55P03": .lockTimeout
        case "42501": .forbidden
        case "57014", "25P02": .unavailable
        case "XX001", "XX002": .corrupt
        default:
            switch state.prefix(2) {
            case "08": .interrupted
            case "22", "23", "42", "0A", "21", "44", "54": .refused
            default: .unavailable
            }
        }
    }

    /// No resources, such as room on the disk (class 53), errors of the system such as I/O (class 58), a standby, and
    /// rights, which files on a read-only file system count as.
    static func isWriteRefusal(_ state: String) -> Bool {
        state == "25006" || state == "42501" || state.hasPrefix("53") || state.hasPrefix("58")
    }

    /// Whether the server ended the transaction because of another one that was in its way.
    var isConflict: Bool { state == "40P01" || state == "40001" }

    var isMissingTable: Bool { state == "42P01" }

    /// Whether the server says that it ends the connection, which may still be open.
    static func endsConnection(postgresResult result: OpaquePointer) -> Bool {
        let severity = PQresultErrorField(result, severityField).map { String(cString: $0) }
        return severity == "FATAL" || severity == "PANIC"
    }

    /// Whether another connection would not have failed, although this one goes on.
    static func outdatesConnection(postgresResult result: OpaquePointer) -> Bool {
        ["25006", "26000", "0A000"].contains(state(ofResult: result))
    }

    private static func state(ofResult result: OpaquePointer) -> String? {
        PQresultErrorField(result, sqlStateField).map { String(cString: $0) }
    }

    // PG_DIAG_SEVERITY_NONLOCALIZED, PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY; Swift does not import character
    // constants of C.
    private static let severityField = CInt(UInt8(ascii: "V"))
    private static let sqlStateField = CInt(UInt8(ascii: "C"))
    private static let primaryMessageField = CInt(UInt8(ascii: "M"))
}

extension String {
    /// libpq's messages end in a line break and may have several lines, the later ones behind a tab.
    var oneLine: String {
        split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
