@testable import SQLStorage

/// In front of an engine, for tests that watch or change a few of its verbs: a relay says what these do, and hands
/// reads, writes, commits and the end on.
///
/// Looks, browsing and the checks of connections it does as the protocol does for engines that say nothing of them.
protocol EngineRelay: SQLEngine {
    var engine: any SQLEngine { get }
}

extension EngineRelay {
    var dialect: SQLDialect { engine.dialect }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLSession) throws -> Value) async throws -> Value {
        try await engine.read(body)
    }

    func onWriter(_ body: @escaping @Sendable (any SQLSession) -> Void) { engine.onWriter(body) }

    func didCommit(writes: Int, upkeep: Int) { engine.didCommit(writes: writes, upkeep: upkeep) }

    func close() throws { try engine.close() }
}
