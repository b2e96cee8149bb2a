import Bridge
import Dispatch
import Synchronization
import Testing

@testable import SQLStorage

@Suite struct AuditTallyTests {
    @Test func `events that are counted while a chart is read are in it, once`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open(node: "n")
            let event = AuditEvent.sample(.loginTokenRefused)
            try await storage.append([event, event, event])
            let engine = InterruptedReads(storage.engine, after: AuditTallySQL.select) {
                let counted = DispatchSemaphore(value: 0)
                Task {
                    _ = try? await storage.advanceTally(limit: 100)
                    counted.signal()
                }
                counted.wait()
            }
            let reader = DurableStorage(engine: engine, auditor: nil, time: .system)
            // The first time they are counted by the chart itself, the second time by what was counted meanwhile.
            for _ in 0..<2 {
                let found = try await reader.tallies(from: event.at - .seconds(60), to: event.at + .seconds(60))
                #expect(found.map(\.count) == [3])
            }
            let rest = try await storage.advanceTally(limit: 100)
            #expect(rest.isEmpty)
        }
    }
}

/// An engine whose readers let something happen once, after a statement.
private struct InterruptedReads: EngineRelay {
    let engine: any SQLEngine
    private let statement: SQLStatement
    private let interruption: Interruption

    init(_ engine: any SQLEngine, after statement: SQLStatement, _ body: @escaping @Sendable () -> Void) {
        self.engine = engine
        self.statement = statement
        interruption = Interruption(body)
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        try await engine.read { [statement, interruption] session in
            try body(Session(session: session, statement: statement, interruption: interruption))
        }
    }

    private final class Interruption: Sendable {
        private let body: Mutex<(@Sendable () -> Void)?>

        init(_ body: @escaping @Sendable () -> Void) { self.body = Mutex(body) }

        func happen() {
            let body = body.withLock { body in
                defer { body = nil }
                return body
            }
            body?()
        }
    }

    private struct Session: SQLSession {
        let session: any SQLSession
        let statement: SQLStatement
        let interruption: Interruption

        func run(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> [SQLRow] {
            defer { if statement == self.statement { interruption.happen() } }
            return try session.run(statement, arguments)
        }

        func change(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Int {
            try session.change(statement, arguments)
        }

        func runAll(_ calls: [SQLCall]) throws -> [SQLAnswer] { try session.runAll(calls) }
        func begin() throws { try session.begin() }
        func rollback() { session.rollback() }
    }
}
