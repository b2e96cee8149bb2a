import Bridge
import Dispatch
import Synchronization
import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed")) struct PostgresBrowseTests {
    private final class Begun: Sendable {
        private let state = Atomic(0)

        var count: Int { state.load(ordering: .relaxed) }
        func add() { state.add(1, ordering: .relaxed) }
    }

    @Test func `of many long reads at once one has a connection, and the others are for short ones`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(readers: 2)
            let gate = DispatchSemaphore(value: 0)
            let begun = Begun()
            let long = (0..<4).map { _ in
                Task {
                    try await storage.browse { _ in
                        begun.add()
                        _ = gate.wait(timeout: .now() + 20)
                    }
                }
            }
            let end = ContinuousClock.now + .seconds(20)
            while begun.count == 0, .now < end { try await Task.sleep(for: .milliseconds(1)) }
            // Time for a second one to begin, if it could.
            try await Task.sleep(for: .milliseconds(100))
            let standing = try? await storage.standing(of: "nobody")
            #expect(standing == .unknown)
            #expect(begun.count == 1)
            for _ in long { gate.signal() }
            for task in long { try await task.value }
            #expect(begun.count == 4)
        }
    }
}
