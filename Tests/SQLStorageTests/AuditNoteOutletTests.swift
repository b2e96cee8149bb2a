import Bridge
import Synchronization
import Testing

@testable import SQLStorage

/// Collects what leaves the database.
private final class CollectingOutlet: AuditNoteOutlet {
    private let collected = Mutex<[AuditNote]>([])
    let flushes = Mutex(0)

    var notes: [AuditNote] { collected.withLock { $0 } }

    func publish(_ notes: [AuditNote]) { collected.withLock { $0 += notes } }

    func flush() async { flushes.withLock { $0 += 1 } }
}

@Suite struct AuditNoteOutletTests {
    private let key: AuditSigningKey
    private let outlet = CollectingOutlet()
    private let clock = SetClock()

    init() throws { key = try AuditSigningKey.generate(name: "localhost/test") }

    @Test func `every checkpoint and every cut leaves the database, and a close waits for it`() async throws {
        try await TemporaryDatabase.with { database in
            for _ in 0..<2 {
                let storage = try database.open(node: "n", signer: key, outlet: outlet, time: clock.source)
                try await storage.append((0..<1500).map { _ in .sample() })
                try await storage.close()
            }
            #expect(outlet.flushes.withLock { $0 } == 2)
            clock.advance(.seconds(2 * 86_400))
            let storage = try database.open(node: "m", signer: key, outlet: outlet, time: clock.source)
            func stored() async throws -> Set<AuditNote> {
                Set(
                    try await storage.checkpoints().compactMap(\.value).map(AuditNote.checkpoint)
                        + storage.cuts().compactMap(\.value).map(AuditNote.cut))
            }
            // A cut takes the checkpoints of what goes with it.
            let before = try await stored()
            #expect(try await storage.purgeAudit(olderThan: .seconds(86_400), at: clock.now).removed > 0)
            let all = before.union(try await stored())
            #expect(Set(outlet.notes) == all && outlet.notes.count == all.count)
            #expect(outlet.notes.allSatisfy { $0.problem(trusting: [key.verifierKey]) == nil })
        }
    }

    @Test func `a note of a write that was undone never leaves`() async throws {
        struct Undone: Error {}
        try await TemporaryDatabase.with { database in
            let storage = try database.open(node: "n", signer: key, outlet: outlet, time: clock.source)
            try await storage.append([.sample()])
            let cut = try key.signCut(
                node: "n", through: 1, hash: AuditRecord.genesis, retention: .zero, isAdopted: true, at: clock.now)
            await #expect(throws: Undone.self) {
                try await storage.write { transaction in
                    try transaction.record(cut)
                    throw Undone()
                }
            }
            #expect(outlet.notes == [])
            #expect(try await storage.cuts() == [])
        }
    }

    @Test func `a node signs although somebody put other checkpoints in the way`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open(node: "n", signer: key, outlet: outlet, time: clock.source)
            for size in [1000, 1200, 1 << 51] as [Int64] {
                try storage.onWriter(
                    SQLStatement("INSERT INTO audit_checkpoint VALUES ('n', \(size), 0, 'x', 'x')"))
            }
            for _ in 0..<12 { try await storage.append((0..<100).map { _ in .sample() }) }
            try await storage.close()
            #expect(outlet.notes.map(\.sequence) == [1000, 1200])
        }
    }
}
