import Bridge
import Synchronization
import Testing

@testable import SQLStorage

@Suite struct CommitPaceTests {
    @Test func `nobody waits before the first commit, and a caller alone never waits for others`() {
        var pace = CommitPace()
        #expect(pace.companions == 1 && pace.patience == .zero)
        for _ in 0..<10 { pace.note(writes: 1, waiting: 0, time: .milliseconds(1)) }
        #expect(pace.companions == 1)
    }

    @Test func `as many are waited for as wrote at the same time, those who came meanwhile among them`() {
        var pace = CommitPace()
        pace.note(writes: 3, waiting: 2, time: .milliseconds(1))
        #expect(pace.companions == 5)
        // Three of them did not come again.
        pace.note(writes: 2, waiting: 0, time: .milliseconds(1))
        #expect(pace.companions == 2)
    }

    @Test func `patience follows the disk, within a limit, and one slow flush hardly changes it`() {
        var pace = CommitPace()
        pace.note(writes: 2, waiting: 2, time: .microseconds(200))
        #expect(pace.patience == .microseconds(400))
        pace.note(writes: 2, waiting: 2, time: .milliseconds(2))
        #expect(pace.patience == .microseconds(850))
        for _ in 0..<100 { pace.note(writes: 2, waiting: 2, time: .seconds(1)) }
        #expect(pace.patience == .milliseconds(5))
        // A clock that went back.
        for _ in 0..<100 { pace.note(writes: 2, waiting: 2, time: .seconds(-1)) }
        #expect(pace.patience == .zero)
    }

    @Test func `callers that come again and again are all told, whoever waited for whom`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let commits = CommitCounter()
            let writer = GroupCommitWriter(
                engine: CountingEngine(storage.engine, commits), auditor: .sample(node: "other"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask { for _ in 0..<50 { try await writer.write { try $0.record(.sample()) } } }
                }
                try await group.waitForAll()
            }
            await withCheckedContinuation { counted in storage.engine.onWriter { _ in counted.resume() } }
            #expect(commits.writes == 800)
        }
    }

    @Test func `a close lets nobody wait who was taken in before it`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let writer = GroupCommitWriter(engine: storage.engine, auditor: .sample(node: "other"))
            let told = Mutex(0)
            for _ in 0..<2000 {
                let write = PendingWrite(
                    attempt: { transaction in
                        try transaction.record(.sample())
                        return { told.withLock { $0 += 1 } }
                    }, fail: { _ in })
                writer.enqueue(write)
            }
            writer.close()
            try storage.engine.close()
            #expect(told.withLock { $0 } == 2000)
        }
    }
}
