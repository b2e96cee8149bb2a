import BridgeTestSupport
import Logging
import Synchronization
import Testing

@testable import Bridge
@testable import SQLStorage

/// How often a database was looked into, and how many statements it was asked.
struct LookCounts: Equatable {
    var looks = 0
    var statements = 0
}

/// An engine that counts look-ups, and whose database may be taken to be far away.
///
/// It pretends that each look-up of a far one is a round trip, which takes no longer here. Where a test says so,
/// something happens after the next one, before its answer arrives.
final class CountedEngine: SQLEngine {
    private let engine: any SQLEngine
    private let isFar: Bool
    private let counted = Mutex(LookCounts())
    private let counterOfReads = Mutex(0)
    private let hook = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ engine: any SQLEngine, isFar: Bool) {
        self.engine = engine
        self.isFar = isFar
    }

    var counts: LookCounts { counted.withLock { $0 } }
    /// Those that are no look-ups of a few rows.
    var reads: Int { counterOfReads.withLock { $0 } }

    var dialect: SQLDialect {
        var dialect = engine.dialect
        dialect.isRemote = isFar
        return dialect
    }

    func clear() {
        counted.withLock { $0 = LookCounts() }
        counterOfReads.withLock { $0 = 0 }
    }

    /// What happens once, after the next look-up and before its answer arrives.
    func afterNextLook(_ body: @escaping @Sendable () async throws -> Void) { hook.withLock { $0 = body } }

    func look<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        counted.withLock { $0.looks += 1 }
        let value = try await engine.look { [self] session in
            try body(
                CountedSession(session: session) { number in self.counted.withLock { $0.statements += number } })
        }
        let hook = hook.withLock { hook in
            defer { hook = nil }
            return hook
        }
        try await hook?()
        return value
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        counterOfReads.withLock { $0 += 1 }
        return try await engine.read(body)
    }

    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void) { engine.onWriter(body) }

    func didCommit(writes: Int, upkeep: Int) { engine.didCommit(writes: writes, upkeep: upkeep) }

    func close() throws { try engine.close() }
}

private struct CountedSession: SQLSession {
    let session: any SQLSession
    let count: (Int) -> Void

    func run(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> [SQLRow] {
        count(1)
        return try session.run(statement, arguments)
    }

    func change(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Int {
        count(1)
        return try session.change(statement, arguments)
    }

    func runAll(_ calls: [SQLCall]) throws -> [SQLAnswer] {
        count(calls.count)
        return try session.runAll(calls)
    }

    func begin() throws { try session.begin() }

    func rollback() { session.rollback() }
}

/// Runs a test against a fresh database whose look-ups are counted.
func withCountedService(
    isFar: Bool = true, _ body: (Service, CountedEngine) async throws -> Void
) async throws {
    try await withService { service async throws in
        let engine = CountedEngine(try #require(service.storage as? DurableStorage).engine, isFar: isFar)
        let auditor = AuditChainWriter(
            node: "counted", signer: UnsignedCheckpoints(), time: .system, logger: Logger(label: "test"))
        let storage = DurableStorage(engine: engine, auditor: auditor, time: .system)
        try await body(Service(storage: storage), engine)
    }
}
