import CPostgres
import Foundation

/// One open connection to a server, spoken to without ever waiting past a deadline. Used by one thread at a time.
///
/// libpq's own calls would wait for as long as the other side acknowledges packets, which a frozen server does.
final class PostgresLink {
    private let handle: OpaquePointer
    /// Names of the statements that the server keeps prepared for this connection, by their text.
    private var prepared: [String: String] = [:]
    /// Set when the server has ended the connection, or it is not known any more which answer comes next.
    private var isLost = false
    /// Set when a new connection would serve better.
    private var isOutdated = false
    /// Whether the last statement of the last run may have been run, by all that is known after a failure.
    private(set) var mayHaveRunLast = false
    /// Whether a pooler answers in the server's place: nothing may be kept on the connection then, no setting, no prepared
    /// statement and no `LISTEN`, because the next transaction may be on another one.
    private(set) var isPooled = false

    /// A statement with its arguments.
    struct Command {
        let statement: SQLStatement
        let arguments: CStringList
    }

    /// - Throws: ``SQLError``, `unavailable`.
    init(_ address: PostgresAddress, applicationName: String, timeouts: PostgresTimeouts) throws {
        var keywords = CStringList()
        var values = CStringList()
        for (keyword, value) in address.parameters(applicationName: applicationName, timeouts: timeouts) {
            keywords.append(keyword)
            values.append(value)
        }
        keywords.append(nil)
        values.append(nil)
        let opened = keywords.withPointers { keywords in
            values.withPointers { values in PQconnectdbParams(keywords, values, 1) }
        }
        guard let opened else { throw SQLError(kind: .unavailable, text: "out of memory") }
        guard PQstatus(opened) == CONNECTION_OK else {
            defer { PQfinish(opened) }
            let failure = SQLError(postgresConnection: opened)
            throw SQLError(kind: .unavailable, text: failure.text, cause: failure.cause)
        }
        handle = opened
        PQsetnonblocking(opened, 1)
        // Notices ("relation exists already, skipping") would go to standard error, among the log's JSON lines.
        PQsetNoticeProcessor(opened, { _, _ in }, nil)
        // A pooler makes up the number by which a connection is cancelled; a server says that of its process.
        let asked = Command(statement: Self.process, arguments: CStringList())
        let process = try run(asked, until: .now + timeouts.connect).rows.first?.integer(0)
        isPooled = process != Int64(PQbackendPID(opened))
    }

    private static let process = SQLStatement("SELECT pg_backend_pid()", isRecurring: false)

    deinit { PQfinish(handle) }

    /// Whether it can serve another transaction.
    var isHealthy: Bool { isInStep && !isOutdated }

    /// Whether everything that was sent is answered, and the server goes on.
    var isInStep: Bool { !isLost && PQstatus(handle) == CONNECTION_OK }

    /// Looks whether the server has hung up since it was last heard of; costs no way to it.
    func isStillThere() -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        // What the server says before it hangs up comes first, then the end.
        while isHealthy, poll(&descriptor, 1, 0) > 0 {
            guard PQconsumeInput(handle) == 1 else { return false }
            _ = PQisBusy(handle)
        }
        return isHealthy
    }

    var isInTransaction: Bool {
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE
    }

    var socket: CInt { PQsocket(handle) }

    /// Runs one statement.
    /// - Throws: ``SQLError``.
    func run(_ command: Command, until deadline: ContinuousClock.Instant) throws -> PostgresResult {
        mayHaveRunLast = false
        let name = try prepare(command.statement, until: deadline)
        mayHaveRunLast = true
        try send(command, name: name)
        return try finish(until: deadline)
    }

    /// Runs statements in one round trip; after one that fails none is run.
    /// - Returns: the answer to each.
    func run(_ commands: [Command], until deadline: ContinuousClock.Instant) throws -> [PostgresResult] {
        mayHaveRunLast = false
        let names = try commands.map { try prepare($0.statement, until: deadline) }
        guard PQenterPipelineMode(handle) == 1 else { throw connectionFailure }
        mayHaveRunLast = true
        for (command, name) in zip(commands, names) { try send(command, name: name) }
        guard PQpipelineSync(handle) == 1 else { throw connectionFailure }
        var answers: [PostgresResult] = []
        answers.reserveCapacity(commands.count)
        var failure: (any Error)?
        for _ in commands {
            do {
                answers.append(try finish(until: deadline))
            } catch {
                failure = failure ?? error
                guard isInStep else { break }
            }
        }
        // A server answers in order, so it ran nothing after what it refused. A pooler refuses in the place of one
        // that it has lost, and that may have run everything.
        if let refusal = failure as? SQLError, refusal.isAnswer, !isPooled, answers.count < commands.count - 1 {
            mayHaveRunLast = false
        }
        // Everything is answered. Whatever happens from here on concerns the connection, and not what was answered.
        if isInStep, !leavePipeline(until: deadline) { isLost = true }
        if let failure { throw failure }
        return answers
    }

    private func leavePipeline(until deadline: ContinuousClock.Instant) -> Bool {
        guard let result = try? nextResult(until: deadline) else { return false }
        defer { PQclear(result) }
        return PQresultStatus(result) == PGRES_PIPELINE_SYNC && PQexitPipelineMode(handle) == 1
    }

    /// Texts that others sent with `NOTIFY`, as far as they have come in.
    /// - Throws: ``SQLError`` when the connection is gone.
    func takeNotifications() throws -> [String] {
        guard PQconsumeInput(handle) == 1, isHealthy else { throw connectionFailure }
        var texts: [String] = []
        while let notification = PQnotifies(handle) {
            if let text = notification.pointee.extra { texts.append(String(cString: text)) }
            PQfreemem(notification)
        }
        return texts
    }

    private func prepare(_ statement: SQLStatement, until deadline: ContinuousClock.Instant) throws -> String? {
        guard statement.isRecurring, !isPooled else { return nil }
        if let name = prepared[statement.text] { return name }
        let name = "s\(prepared.count + 1)"
        guard PQsendPrepare(handle, name, statement.text, 0, nil) == 1 else { throw connectionFailure }
        _ = try finish(until: deadline)
        prepared[statement.text] = name
        return name
    }

    private func send(_ command: Command, name: String?) throws {
        let count = CInt(command.arguments.count)
        let isSent = command.arguments.withPointers { values in
            if let name { return PQsendQueryPrepared(handle, name, count, values, nil, nil, 0) }
            return PQsendQueryParams(handle, command.statement.text, count, nil, values, nil, nil, 0)
        }
        guard isSent == 1 else { throw connectionFailure }
    }

    /// Reads one statement's answer to its end.
    ///
    /// A server that sends the connection away says so after the answer to what it did last. That answer counts, a
    /// commit's above all: taken for a failure it would be run again.
    private func finish(until deadline: ContinuousClock.Instant) throws -> PostgresResult {
        var answer: PostgresResult?
        var failure: (any Error)?
        while let result = try nextResult(until: deadline) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                do { answer = try PostgresResult(result) } catch { failure = error }
            case PGRES_PIPELINE_ABORTED:
                failure = failure ?? SQLError(kind: .unavailable, text: "an earlier statement failed")
            default:
                isLost = isLost || SQLError.endsConnection(postgresResult: result)
                isOutdated = isOutdated || SQLError.outdatesConnection(postgresResult: result)
                if isLost, let answer, failure == nil { return answer }
                failure = failure ?? SQLError(postgresResult: result, connection: handle)
            }
            // Once the connection is gone libpq may go on saying so for ever.
            guard isInStep else { break }
        }
        if let failure { throw failure }
        guard let answer else { throw connectionFailure }
        return answer
    }

    private func nextResult(until deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
        while true {
            let unsent = PQflush(handle)
            guard unsent >= 0 else { throw connectionFailure }
            guard unsent == 1 || PQisBusy(handle) == 1 else { return PQgetResult(handle) }
            try waitForServer(toWrite: unsent == 1, until: deadline)
            // A failure is left to PQgetResult, which knows what the server said before it hung up.
            if PQconsumeInput(handle) != 1 { return PQgetResult(handle) }
        }
    }

    private func waitForServer(toWrite: Bool, until deadline: ContinuousClock.Instant) throws {
        guard Self.wait(for: socket, toWrite: toWrite, until: deadline) else {
            isLost = true
            throw SQLError(kind: .unavailable, text: "PostgreSQL did not answer in time")
        }
    }

    /// - Returns: whether the socket became ready before the deadline.
    static func wait(for socket: CInt, toWrite: Bool, until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = (deadline - .now).components
            let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0 else { return false }
            var descriptor = pollfd(fd: socket, events: Int16(POLLIN | (toWrite ? POLLOUT : 0)), revents: 0)
            let ready = poll(&descriptor, 1, CInt(clamping: milliseconds))
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { return true }
        }
    }

    private var connectionFailure: SQLError { SQLError(postgresConnection: handle) }
}
