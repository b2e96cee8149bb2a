import Bridge
import Dispatch
import StorageConformance
import Testing

@testable import SQLStorage

@Suite struct GroupCommitTests {
    private struct Refusal: Error {}

    @Test func `a write that throws hurts none of its neighbours and leaves no gap in the chain`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let succeeded = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        do {
                            try await storage.write { transaction in
                                try transaction.record(.sample(reason: "\(number)"))
                                if number % 7 == 0 { throw Refusal() }
                            }
                            return true
                        } catch is Refusal {
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(succeeded == 171)
            let records = try await storage.records(of: "node-0", in: 1...1000, limit: 1000)
            #expect(records.map(\.sequence) == Array(1...171))
            #expect(records.allSatisfy { $0.isIntact && Int($0.event.reason ?? "0").map { $0 % 7 != 0 } == true })
        }
    }

    @Test func `a broken statement undoes its own write alone`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let results: [Result<Void, any Error>] = try await storage.inOneBatch([
                {
                    try await storage.write { transaction in
                        try transaction.record(.sample(reason: "bad"))
                        try transaction.run("INSERT INTO no_such_table VALUES (1)")
                    }
                },
                { try await storage.append([.sample(reason: "good")]) },
            ])
            #expect(throws: StorageError.self) { try results[0].get() }
            try results[1].get()
            let page = try await storage.search(AuditFilter(), before: nil, limit: 10)
            #expect(page.records.map(\.event.reason) == ["good"])
        }
    }

    @Test func `many waiting writes share few commits`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let commits = CommitCounter()
            let writer = GroupCommitWriter(
                engine: CountingEngine(storage.engine, commits), auditor: .sample(node: "other"))
            // The writer's thread is held until all wait: of two threads nobody knows which is quicker.
            let gate = DispatchSemaphore(value: 0)
            storage.engine.onWriter { _ in gate.wait() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<1000 { group.addTask { try await writer.write { try $0.record(.sample()) } } }
                await writer.untilWaiting(1000)
                gate.signal()
                try await group.waitForAll()
            }
            // A commit is counted right after its callers are told; the next turn on the writer comes after that.
            await withCheckedContinuation { counted in storage.engine.onWriter { _ in counted.resume() } }
            #expect(commits.writes == 1000)
            #expect(commits.count < 50)
        }
    }

    @Test func `after the close every write is refused`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try await storage.close()
            await #expect(throws: StorageError.self) { try await storage.append([.sample()]) }
        }
    }

    @Test func `past the queue's limit a write is refused at once`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let writer = GroupCommitWriter(engine: StuckEngine(storage.engine), auditor: .sample(node: "other"))
            for _ in 0..<GroupCommitWriter.queueLimit {
                writer.enqueue(PendingWrite(attempt: { _ in {} }, fail: { _ in }))
            }
            await #expect(throws: StorageError.self) { try await writer.write { _ in } }
        }
    }
}
