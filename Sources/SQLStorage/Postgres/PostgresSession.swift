import Bridge
import Foundation
import Logging

/// A connection that comes back by itself. Used by one thread at a time.
///
/// It reconnects only where nothing is lost by it: before a read, and at ``begin()``. A statement in the middle of a
/// transaction fails instead, or it would be run outside of one.
final class PostgresSession: SQLSession {
    private let address: PostgresAddress
    private let applicationName: String
    private let timeouts: PostgresTimeouts
    private let logger: Logger
    /// Run on each new connection, after the settings.
    private let setUp: (PostgresSession) throws -> Void
    private var link: PostgresLink?
    private let outage: PostgresOutage
    /// Where the connection has to lead; `nil` for the one that writes, and where it does not matter.
    private let written: WrittenDatabase?
    /// What the connection was last compared with, and when.
    private var compared: (number: Int?, at: ContinuousClock.Instant)?
    /// Statements that wait for the next one that must be answered.
    private var submitted: [PostgresLink.Command] = []
    /// Between ``begin()`` and its end; then no statement may run outside of a transaction.
    private var isTransacting = false

    /// Statements sent at most before an answer is read: what comes back must fit into the sockets' buffers.
    private static let submissionLimit = 128
    /// Statements of ``runAll(_:)`` that are under way at a time: the server's deadline for one must not be ours for all.
    private static let togetherLimit = 512
    /// How long an answer about the server holds behind a pooler, where the next transaction may be on another.
    private static let pooledTrust = Duration.seconds(1)

    init(
        address: PostgresAddress, applicationName: String, timeouts: PostgresTimeouts,
        outage: PostgresOutage = PostgresOutage(), written: WrittenDatabase? = nil, logger: Logger,
        setUp: @escaping (PostgresSession) throws -> Void = { _ in }
    ) {
        self.address = address
        self.applicationName = applicationName
        self.timeouts = timeouts
        self.outage = outage
        self.written = written
        self.logger = logger
        self.setUp = setUp
    }

    /// Connects, if the connection is gone or leads elsewhere than it has to; right after a failed attempt it fails at
    /// once.
    /// - Throws: ``SQLError``, or what the set-up throws.
    func connect() throws {
        if let link, link.isStillThere() {
            // One that leads elsewhere, or is lost over the question, makes room for a new one.
            if !isDueForComparison(link) || (try? leadsWhereItHasTo()) == true { return }
            self.link = nil
        }
        submitted = []
        isTransacting = false
        if link != nil {
            link = nil
            logger.warning("database connection lost", metadata: ["connection": "\(applicationName)"])
        }
        try written?.begin()
        let attempt = try outage.begin()
        let isRight: Bool
        do {
            let opened = try PostgresLink(address, applicationName: applicationName, timeouts: timeouts)
            link = opened
            try configure(opened)
            isRight = try leadsWhereItHasTo()
            if isRight { try setUp(self) }
        } catch {
            link = nil
            if let failure = error as? SQLError, outage.note(failure, of: attempt) {
                logger.warning(
                    "database away", metadata: ["connection": "\(applicationName)", "error": "\(failure.text)"])
            }
            throw error
        }
        if outage.end() { logger.notice("database back", metadata: ["connection": "\(applicationName)"]) }
        guard let written else { return }
        if isRight { return written.noteFound() }
        link = nil
        throw written.noteStray(comparedWith: compared?.number, connection: applicationName)
    }

    private func isDueForComparison(_ link: PostgresLink) -> Bool {
        guard let written else { return false }
        guard let compared, written.isCurrent(compared.number) else { return true }
        return link.isPooled && .now - compared.at > Self.pooledTrust
    }

    /// Asks the server which one it is, if there is anything to compare that with.
    private func leadsWhereItHasTo() throws -> Bool {
        guard let written else { return true }
        while true {
            let known = written.known
            let isRight = try known.map { try $0.isReached(by: self) } ?? true
            compared = (known?.number, .now)
            // The writer may have moved meanwhile.
            if written.isCurrent(known?.number) { return isRight }
        }
    }

    func disconnect() { link = nil }

    /// Whether something between this process and the server may give each transaction another connection.
    var isPooled: Bool { link?.isPooled ?? false }

    func run(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> [SQLRow] {
        try answer(to: statement, arguments).rows
    }

    func change(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Int {
        try answer(to: statement, arguments).changes
    }

    func submit(_ statement: SQLStatement, _ arguments: [SQLValue]) throws {
        let command = try command(statement, arguments)
        guard submitted.count < Self.submissionLimit else {
            _ = try answer(to: statement, arguments)
            return
        }
        submitted.append(command)
    }

    func runAll(_ calls: [SQLCall]) throws -> [SQLAnswer] {
        var answers: [SQLAnswer] = []
        answers.reserveCapacity(calls.count)
        for start in stride(from: 0, to: calls.count, by: Self.togetherLimit) {
            let part = calls[start..<min(start + Self.togetherLimit, calls.count)]
            let results = try results(of: try part.map { try command($0.statement, $0.arguments) })
            for (call, result) in zip(part, results) {
                answers.append(SQLAnswer(rows: result.rows, changes: call.statement.isQuery ? 0 : result.changes))
            }
        }
        return answers
    }

    func begin() throws {
        try connect()
        try submit(Self.begin, [])
        isTransacting = true
        if isPooled { try submit(timeouts.localSettings, timeouts.localArguments) }
    }

    func commit() throws {
        guard let link, link.isStillThere() else { throw Self.lost }
        let commandTag: String
        do {
            commandTag = try answer(to: "COMMIT", []).commandTag
            isTransacting = false
        } catch {
            // An error that the server reports over a connection that goes on undid the transaction, and so did what
            // kept the server from coming to COMMIT. Anything else may have come before the commit or after it: a
            // server that answers COMMIT by ending the connection may have committed, and not have come to say so.
            guard link.isInStep || !link.mayHaveRunLast else {
                throw SQLError(
                    kind: .undecided, text: "connection lost during a commit, so it may have been made or not")
            }
            throw error
        }
        // In a transaction in which a statement failed COMMIT is accepted, and undoes it.
        guard commandTag == "COMMIT" else {
            throw SQLError(kind: .refused, text: "a statement failed before the commit")
        }
    }

    /// Texts sent to what this connection listens to; waits for the first for a while.
    /// - Throws: ``SQLError`` when the connection is gone.
    func notifications(waiting patience: Duration) throws -> [String] {
        guard let link, link.isHealthy else { throw Self.lost }
        let texts = try link.takeNotifications()
        guard texts.isEmpty else { return texts }
        guard PostgresLink.wait(for: link.socket, toWrite: false, until: .now + patience) else { return [] }
        return try link.takeNotifications()
    }

    func rollback() {
        submitted = []
        isTransacting = false
        guard let link, link.isHealthy, link.isInTransaction else { return }
        _ = try? run("ROLLBACK")
    }

    func rollback(to savepoint: SQLSavepoint) throws {
        submitted = []
        _ = try run(savepoint.rollback)
        try submit(savepoint.release, [])
    }

    private func answer(to statement: SQLStatement, _ arguments: [SQLValue]) throws -> PostgresResult {
        guard let result = try results(of: [command(statement, arguments)]).last else { throw Self.lost }
        return result
    }

    /// Runs what was submitted, then these.
    /// - Returns: the answers to these.
    private func results(of commands: [PostgresLink.Command]) throws -> [PostgresResult] {
        guard let link, link.isHealthy,
            !isTransacting || link.isInTransaction || submitted.first?.statement.text == Self.begin.text
        else { throw Self.lost }
        let deadline = ContinuousClock.now + timeouts.answer
        if submitted.isEmpty, commands.count == 1 { return [try link.run(commands[0], until: deadline)] }
        let earlier = submitted
        submitted = []
        return try link.run(earlier + commands, until: deadline).suffix(commands.count)
    }

    private func command(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> PostgresLink.Command {
        guard arguments.count == statement.argumentOrder.count else {
            throw SQLError(kind: .refused, text: "\(arguments.count) arguments for \(statement.text)")
        }
        return PostgresLink.Command(statement: statement, arguments: try CStringList(arguments))
    }

    private func configure(_ link: PostgresLink) throws {
        // Whose session these would be in the next moment is unknown: each transaction sets its own.
        guard !link.isPooled else { return }
        for (name, value) in timeouts.settings {
            _ = try run(Self.set, [.text(name), .text(value)])
        }
        // An operator may choose a weaker or a stronger promise than the default, but not none.
        _ = try run(
            """
            SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') = 'off'
            """)
        // Two nodes in each other's way should find out soon. Needs GRANT SET ON PARAMETER; a second is the default.
        _ = try? run(Self.set, [.text("deadlock_timeout"), .text("100")])
    }

    private static let begin: SQLStatement = "BEGIN ISOLATION LEVEL READ COMMITTED"
    private static let set: SQLStatement = "SELECT set_config($1, $2, false)"
    private static let lost = SQLError(kind: .interrupted, text: "PostgreSQL connection lost")
}
