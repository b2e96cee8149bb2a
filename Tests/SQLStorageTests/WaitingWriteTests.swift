import Bridge
import Dispatch
import Synchronization
import Testing

@testable import SQLStorage

/// Writes that wait for their turn while the connection that writes is held (ADR-0087).
@Suite(.timeLimit(.minutes(1))) struct WaitingWriteTests {
    /// Runs `body` with a writer whose turn does not come before it calls `release`.
    private static func whileHeld(
        looks: Int? = QueuePatience.looks,
        _ body: (_ writer: GroupCommitWriter, _ release: () -> Void, _ storage: DurableStorage) async throws -> Void
    ) async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let gate = DispatchSemaphore(value: 0)
            // Again at the end: a test that fails must not leave the connection held.
            defer { gate.signal() }
            await withCheckedContinuation { held in
                storage.engine.onWriter { _ in
                    held.resume()
                    gate.wait()
                }
            }
            let writer = GroupCommitWriter(
                engine: storage.engine, auditor: .sample(node: "other"), looks: looks)
            try await body(writer, { gate.signal() }, storage)
        }
    }

    /// Runs `body` with a writer, and with something that its transaction may do which takes until `release` is called.
    private static func whileAtWork(
        _ body: (
            _ writer: GroupCommitWriter, _ work: @escaping @Sendable () -> Void, _ begun: () async -> Void,
            _ release: () -> Void
        ) async throws -> Void
    ) async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            let beginnings = AsyncStream<Void>.makeStream()
            let writer = GroupCommitWriter(engine: storage.engine, auditor: .sample(node: "other"))
            try await body(
                writer,
                {
                    beginnings.continuation.yield()
                    gate.wait()
                },
                {
                    var told = beginnings.stream.makeAsyncIterator()
                    _ = await told.next()
                },
                { gate.signal() })
        }
    }

    @Test func `who watches the queue is told at every look how many wait`() async throws {
        try await Self.whileHeld { writer, release, _ in
            let told = Mutex<[Int]>([])
            writer.watch.observeQueue { count in told.withLock { $0.append(count) } }
            writer.refuseLate()
            let write = Task { try await writer.write { try $0.record(.sample()) } }
            await writer.untilWaiting(1)
            writer.refuseLate()
            release()
            try await write.value
            writer.refuseLate()
            #expect(told.withLock { $0 } == [0, 1, 0])
        }
    }

    @Test func `a write whose turn does not come in time is refused as unavailable, and not made when it comes`()
        async throws
    {
        try await Self.whileHeld { writer, release, _ in
            let attempts = Mutex(0)
            let late = Task {
                try await writer.write { transaction in
                    attempts.withLock { $0 += 1 }
                    try transaction.record(.sample(reason: "late"))
                }
            }
            await writer.untilWaiting(1)
            for _ in 1..<QueuePatience.looks { writer.refuseLate() }
            #expect(writer.waitingCount == 1)
            writer.refuseLate()
            #expect(writer.waitingCount == 0)
            // Answered before the writer comes to itself.
            let error = await #expect(throws: StorageError.self) { try await late.value }
            #expect(error?.isUnavailable == true)
            release()
            try await writer.write { try $0.record(.sample(reason: "in time")) }
            #expect(attempts.withLock { $0 } == 0)
        }
    }

    @Test func `a write that a batch has taken is made and not refused, however long that takes`() async throws {
        try await Self.whileAtWork { writer, work, begun, release in
            let made = Task {
                try await writer.write { transaction in
                    try transaction.record(.sample())
                    work()
                }
            }
            await begun()
            for _ in 1...QueuePatience.looks { writer.refuseLate() }
            release()
            try await made.value
        }
    }

    @Test func `what the service does by itself keeps its place in the queue`() async throws {
        try await Self.whileHeld { writer, release, _ in
            let upkeep = Task { try await writer.write(isUpkeep: true) { try $0.record(.sample(reason: "upkeep")) } }
            let patient = Task { try await writer.write(isPatient: true) { try $0.record(.sample(reason: "patient")) } }
            await writer.untilWaiting(2)
            for _ in 1...QueuePatience.looks { writer.refuseLate() }
            #expect(writer.waitingCount == 2)
            release()
            try await upkeep.value
            try await patient.value
        }
    }

    @Test func `a command's writes wait for as long as that takes`() async throws {
        try await Self.whileHeld(looks: nil) { writer, release, _ in
            let write = Task { try await writer.write { try $0.record(.sample()) } }
            await writer.untilWaiting(1)
            for _ in 1...QueuePatience.looks { writer.refuseLate() }
            release()
            try await write.value
        }
    }

    @Test func `whoever asks whether it can be written is told in time, though the asking is at work`() async throws {
        try await Self.whileAtWork { writer, work, begun, release in
            let probe = Task { try await writer.probe { _ in work() } }
            await begun()
            for _ in 1...QueuePatience.looks { writer.refuseLate() }
            let error = await #expect(throws: StorageError.self) { try await probe.value }
            #expect(error?.isUnavailable == true)
            release()
            try await writer.probe { _ in }
        }
    }

    @Test func `the storage itself says within seconds that its writer is held, and refuses what waits`() async throws {
        try await Self.whileHeld { _, release, storage in
            let event = Task { try await storage.append([.sample(reason: "late")]) }
            let error = await #expect(throws: StorageError.self) { try await storage.checkWritable() }
            #expect(error?.isUnavailable == true)
            await #expect(throws: StorageError.self) { try await event.value }
            release()
            try await storage.checkWritable()
            let page = try await storage.search(AuditFilter(), before: nil, limit: 10)
            #expect(page.records.isEmpty)
        }
    }

    @Test func `whether a storage can be read is asked while its write waits, and not after that`() async throws {
        try await TemporaryDatabase.with { database in
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            let engine = AskedEngine(engine: try database.open().engine) { gate.signal() }
            let storage = DurableStorage(engine: engine, auditor: .sample(node: "other"), time: .system)
            await withCheckedContinuation { held in
                engine.onWriter { _ in
                    held.resume()
                    gate.wait()
                }
            }
            try await storage.checkWritable()
        }
    }
}

/// An engine that tells when it is asked about the connections that read.
private struct AskedEngine: EngineRelay {
    let engine: any SQLEngine
    let isAsked: @Sendable () -> Void

    func checkConnections() { isAsked() }
}

extension StorageError {
    fileprivate var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}
