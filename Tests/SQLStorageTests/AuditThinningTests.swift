import Bridge
import OAuth2
import Testing

@testable import SQLStorage

@Suite struct AuditThinningTests {
    private static let day = Duration.seconds(86_400)

    /// Three lives of the node "old" within one hour, and one in the next; two events each.
    private func withOldChain(
        _ engine: AuditStore.Engine, aged age: Duration, _ body: (AuditStore) async throws -> Void
    ) async throws {
        try await AuditStore.with(engine) { store in
            for _ in 0..<3 {
                try await store.live("old", events: 2)
                store.clock.advance(.seconds(60))
            }
            store.clock.advance(.seconds(3600))
            try await store.live("old", events: 2)
            store.clock.advance(age)
            try await body(store)
        }
    }

    private func thin(_ storage: DurableStorage, at now: Timestamp) async throws -> [Int64] {
        var places: [String: Int64] = [:]
        var steps = 0
        while case let next = try await storage.thinCheckpoints(from: places, at: now), next != places, steps < 50 {
            places = next
            steps += 1
        }
        return try await storage.checkpoints().filter { $0.value?.node ?? $0.damage?.node == "old" }
            .compactMap { $0.value?.size ?? $0.damage?.sequence }
    }

    @Test(arguments: AuditStore.engines)
    func `of each hour the last checkpoint stays, and the log verifies`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine, aged: Self.day * 8) { store in
            let storage = try await store.open("new")
            #expect(try await thin(storage, at: store.clock.now) == [6, 8])
            #expect(try await store.verify(storage).problems == [])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `what was thinned out is not missed where it was kept elsewhere`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine, aged: Self.day * 8) { store in
            let storage = try await store.open("new")
            let kept = try await storage.checkpoints().compactMap(\.value).map(AuditNote.checkpoint)
            #expect(try await thin(storage, at: store.clock.now) == [6, 8])
            let terms = AuditVerificationTerms(trusting: [store.key.verifierKey], kept: kept)
            #expect(try await AuditReview(storage).verify(terms).problems == [])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `for a week every checkpoint stays`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine, aged: Self.day * 6) { store in
            let sizes = try await thin(store.open("new"), at: store.clock.now)
            #expect(sizes == [2, 4, 6, 8])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `of each thousand events one checkpoint stays, however fast they came`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            for count in [500, 400, 600, 700] { try await store.live("old", events: count) }
            store.clock.advance(Self.day * 8)
            let sizes = try await thin(store.open("new"), at: store.clock.now)
            #expect(sizes == [900, 1500, 2200])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `the checkpoint that a cut stands on is there, whoever thins out before and after`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await withOldChain(engine, aged: Self.day * 8) { store in
            let storage = try await store.open("new")
            let checkpoint = try #require(
                try await storage.checkpoints().compactMap(\.value).first { $0.node == "old" && $0.size == 2 })
            let cut = try storage.auditor().signer.signCut(
                node: "old", through: 2, hash: checkpoint.hash, retention: Self.day, isAdopted: false,
                at: store.clock.now)
            try await storage.writeUpkeep { try $0.remove(checkpoint) }
            try await storage.writeUpkeep { transaction in
                try transaction.keep(checkpoint)
                try transaction.record(cut)
            }
            try await storage.writeUpkeep { try $0.remove(checkpoint) }
            #expect(try await storage.checkpoints().contains(.intact(checkpoint)))
        }
    }

    @Test(arguments: AuditStore.engines)
    func `a checkpoint that the log contradicts is evidence`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine, aged: Self.day * 8) { store in
            let hash = Base64URL.encode([UInt8](repeating: 7, count: 32))
            try store.run(SQLStatement("UPDATE audit_event SET hash = '\(hash)' WHERE node = 'old' AND sequence = 2"))
            let sizes = try await thin(store.open("new"), at: store.clock.now)
            #expect(sizes == [2, 6, 8])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `a checkpoint that nobody signed stays, and takes no other's place`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await withOldChain(engine, aged: Self.day * 8) { store in
            try store.run("UPDATE audit_checkpoint SET at = at + 1 WHERE node = 'old' AND size = 4")
            let sizes = try await thin(store.open("new"), at: store.clock.now)
            #expect(sizes == [2, 4, 6, 8])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `what an earlier key signed stays for whoever has that key`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine, aged: Self.day * 8) { store in
            let replaced = try AuditSigningKey.generate(name: "localhost/test")
            let sizes = try await thin(store.open("new", signedBy: replaced), at: store.clock.now)
            #expect(sizes == [2, 4, 6, 8])
        }
    }
}
