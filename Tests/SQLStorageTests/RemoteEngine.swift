import Bridge
import Dispatch
import Synchronization
import Testing

@testable import SQLStorage

/// An engine whose database is taken to be far away, and which notes what its writer is asked.
struct RemoteEngine: EngineRelay {
    let engine: any SQLEngine
    let log: WriterLog
    /// In the place of the engine's own.
    var sessionEndNews: SQLStatement?

    var dialect: SQLDialect {
        var dialect = engine.dialect
        dialect.isRemote = true
        if let sessionEndNews { dialect.sessionEndNews = sessionEndNews }
        return dialect
    }

    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void) {
        engine.onWriter { session in body(NotingSession(session: session, log: log)) }
    }
}

/// What a writer was asked.
final class WriterLog: Sendable {
    struct Entries {
        /// How many statements were run ahead, each time that any were.
        var ahead: [Int] = []
        /// Statements that were waited for one by one.
        var alone: [String] = []
        var rollbacks = 0
    }

    private let state = Mutex(Entries())
    private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

    var entries: Entries { state.withLock { $0 } }

    func clear() { state.withLock { $0 = Entries() } }

    /// Has `body` run once, right before statements are run ahead.
    func interrupt(with body: @escaping @Sendable () -> Void) { interruption.withLock { $0 = body } }

    fileprivate func note(_ change: (inout Entries) -> Void) { state.withLock { change(&$0) } }

    fileprivate func noteAhead(_ count: Int) {
        note { $0.ahead.append(count) }
        let interruption = interruption.withLock { interruption in
            defer { interruption = nil }
            return interruption
        }
        interruption?()
    }
}

private struct NotingSession: SQLSession {
    let session: any SQLSession
    let log: WriterLog

    func run(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> [SQLRow] {
        log.note { $0.alone.append(statement.text) }
        return try session.run(statement, arguments)
    }

    func change(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Int {
        log.note { $0.alone.append(statement.text) }
        return try session.change(statement, arguments)
    }

    func submit(_ statement: SQLStatement, _ arguments: [SQLValue]) throws { try session.submit(statement, arguments) }

    func runAll(_ calls: [SQLCall]) throws -> [SQLAnswer] {
        log.noteAhead(calls.count)
        return try session.runAll(calls)
    }

    func begin() throws { try session.begin() }

    func commit() throws { try session.commit() }

    func rollback() {
        log.note { $0.rollbacks += 1 }
        session.rollback()
    }

    func rollback(to savepoint: SQLSavepoint) throws { try session.rollback(to: savepoint) }
}

extension DurableStorage {
    /// Has these writes wait, in this order, until all are there, so that one batch takes them.
    func inOneBatch<Value: Sendable>(
        _ writes: [@Sendable () async throws -> Value]
    ) async throws -> [Result<Value, any Error>] {
        let gate = DispatchSemaphore(value: 0)
        // Once this runs, no earlier batch is left that would take the first of these along.
        await withCheckedContinuation { arrived in
            engine.onWriter { _ in
                arrived.resume()
                gate.wait()
            }
        }
        var running: [Task<Value, any Error>] = []
        for write in writes {
            running.append(Task { try await write() })
            let end = ContinuousClock.now + .seconds(20)
            while waitingWrites < running.count, .now < end { try await Task.sleep(for: .milliseconds(1)) }
            #expect(waitingWrites == running.count)
        }
        gate.signal()
        var results: [Result<Value, any Error>] = []
        for task in running { results.append(await task.result) }
        return results
    }
}

extension Array {
    /// What calls gave that all succeeded.
    func values<Value>() throws -> [Value] where Element == Result<Value, any Error> {
        try map { result in try result.get() }
    }
}
