import Bridge
import BridgeTestSupport
import Logging
import Synchronization

@testable import SQLStorage

final class CommitCounter: Sendable {
    private let counts = Mutex((commits: 0, writes: 0))

    var count: Int { counts.withLock { $0.commits } }
    var writes: Int { counts.withLock { $0.writes } }

    func add(writes: Int) {
        counts.withLock { $0 = ($0.commits + 1, $0.writes + writes) }
    }
}

/// An engine that counts its commits.
struct CountingEngine: EngineRelay {
    let engine: any SQLEngine
    private let counter: CommitCounter

    init(_ engine: any SQLEngine, _ counter: CommitCounter) {
        self.engine = engine
        self.counter = counter
    }

    func didCommit(writes: Int, upkeep: Int) { counter.add(writes: writes) }
}

/// What a writer's transactions were given.
final class TransactionMeter: Sendable {
    struct Transaction: Sendable {
        var statements: [String] = []
        /// Of texts among the arguments.
        var bytes = 0
    }

    private let begun = Mutex<[Transaction]>([])

    var transactions: [Transaction] { begun.withLock { $0 } }

    func begin() { begun.withLock { $0.append(Transaction()) } }

    func note(_ statement: SQLStatement, _ arguments: [SQLValue]) {
        begun.withLock { begun in
            guard let last = begun.indices.last else { return }
            begun[last].statements.append(statement.text)
            for case .text(let text) in arguments { begun[last].bytes += text.utf8.count }
        }
    }
}

/// An engine that meters its writer's transactions.
struct MeteredEngine: EngineRelay {
    let engine: any SQLEngine
    private let meter: TransactionMeter

    init(_ engine: any SQLEngine, _ meter: TransactionMeter) {
        self.engine = engine
        self.meter = meter
    }

    private struct Session: SQLSession {
        let session: any SQLSession
        let meter: TransactionMeter

        func run(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> [SQLRow] {
            meter.note(statement, arguments)
            return try session.run(statement, arguments)
        }

        func change(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Int {
            meter.note(statement, arguments)
            return try session.change(statement, arguments)
        }

        func submit(_ statement: SQLStatement, _ arguments: [SQLValue]) throws {
            meter.note(statement, arguments)
            try session.submit(statement, arguments)
        }

        func runAll(_ calls: [SQLCall]) throws -> [SQLAnswer] {
            for call in calls { meter.note(call.statement, call.arguments) }
            return try session.runAll(calls)
        }

        func begin() throws {
            meter.begin()
            try session.begin()
        }

        func commit() throws { try session.commit() }
        func rollback() { session.rollback() }
        func rollback(to savepoint: SQLSavepoint) throws { try session.rollback(to: savepoint) }
    }

    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void) {
        engine.onWriter { [meter] session in body(Session(session: session, meter: meter)) }
    }
}

/// An engine whose writer never gets to run anything.
struct StuckEngine: EngineRelay {
    let engine: any SQLEngine

    init(_ engine: any SQLEngine) { self.engine = engine }

    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void) {}

    func didCommit(writes: Int, upkeep: Int) {}

    func close() throws {}
}

extension AuditChainWriter {
    static func sample(node: String) -> AuditChainWriter {
        AuditChainWriter(
            node: node, signer: UnsignedCheckpoints(), time: .system, logger: Logger(label: "test"))
    }
}
