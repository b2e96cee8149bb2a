import Bridge
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
struct CountingEngine: SQLEngine {
    private let engine: any SQLEngine
    private let counter: CommitCounter

    init(_ engine: any SQLEngine, _ counter: CommitCounter) {
        self.engine = engine
        self.counter = counter
    }

    var dialect: SQLDialect { engine.dialect }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        try await engine.read(body)
    }

    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void) { engine.onWriter(body) }

    func didCommit(writes: Int) { counter.add(writes: writes) }

    func close() throws { try engine.close() }
}

/// An engine whose writer never gets to run anything.
struct StuckEngine: SQLEngine {
    private let engine: any SQLEngine

    init(_ engine: any SQLEngine) { self.engine = engine }

    var dialect: SQLDialect { engine.dialect }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        try await engine.read(body)
    }

    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void) {}

    func didCommit(writes: Int) {}

    func close() throws {}
}

extension AuditChainWriter {
    static func sample(node: String) -> AuditChainWriter {
        AuditChainWriter(
            node: node, signer: UnsignedCheckpoints(), time: .system, logger: Logger(label: "test"))
    }
}
