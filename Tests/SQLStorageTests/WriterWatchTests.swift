import Bridge
import Synchronization
import Testing

@testable import SQLStorage

@Suite struct WriterWatchTests {
    @Test func `who watches the writer is told of each commit, and whether upkeep had a part in it`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let seen = Mutex<[WriterWork]>([])
            storage.observeWriter { work, _ in seen.withLock { $0.append(work) } }
            try await storage.append([.sample()])
            #expect(seen.withLock { $0 } == [.requests])
            try await storage.writeUpkeep { _ in }
            #expect(seen.withLock { $0 } == [.requests, .upkeep])
            try await storage.close()
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `who watches the engine is told when the writer copies the log's rest`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try await storage.close()
            let engine = try SQLiteEngine(
                path: database.path, lock: NodeLock(databasePath: database.path, node: "busy"),
                walLimits: WriteAheadLogKeeper.Limits(pages: 1, writes: 1))
            let writer = GroupCommitWriter(engine: engine, auditor: .sample(node: "busy"))
            let copies = AsyncStream<WriterWork>.makeStream()
            engine.observeWriter { work, _ in copies.continuation.yield(work) }
            try await writer.write { try $0.record(.sample()) }
            var told = copies.stream.makeAsyncIterator()
            #expect(await told.next() == .logCopy)
            try engine.close()
        }
    }
}
