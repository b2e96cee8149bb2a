import Bridge
import OAuth2
import StorageConformance
import Testing

@testable import SQLStorage

private typealias Problem = AuditVerificationReport.Problem

@Suite struct AuditRetentionTests {
    private static let day = Duration.seconds(86_400)

    /// Three lives of the node "old" with a day between them, four events each.
    private func withOldChain(
        _ engine: AuditStore.Engine, _ body: (AuditStore) async throws -> Void
    ) async throws {
        try await AuditStore.with(engine) { store in
            for _ in 0..<3 {
                try await store.live("old", events: 4)
                store.clock.advance(Self.day)
            }
            try await body(store)
        }
    }

    @Test(arguments: AuditStore.engines)
    func `a cut leaves a log that verifies and says what went`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine) { store in
            let storage = try await store.open("new")
            let now = store.clock.now
            #expect(try await storage.purgeAudit(olderThan: Self.day * 4, at: now).removed == 0)
            // Every checkpoint but the last can be cut at: something must stay for the next event to follow.
            #expect(try await storage.purgeAudit(olderThan: Self.day, at: now) == AuditPurge(removed: 8, refused: []))
            #expect(try await storage.purgeAudit(olderThan: Self.day, at: now).removed == 0)
            #expect(try await storage.records(of: "old", in: 1...100, limit: 100).map(\.sequence) == [9, 10, 11, 12])
            let found = try await storage.search(AuditFilter(type: .auditPurged), before: nil, limit: 10).records
            #expect(found.map(\.event.detail) == [#"{"node":"old","through":8}"#])
            let report = try await store.verify(storage, least: Self.day)
            #expect(report.problems == [])
            #expect(report.cuts.map(\.through) == [8] && report.cuts.map(\.retention) == [Self.day])
            #expect(report.cuts.map(\.isAdopted) == [false] && report.cuts.map(\.at) == [now])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `checkpoints of a part that was cut are not missed where they were kept elsewhere`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            for _ in 0..<4 { try await store.live("old", events: 4) }
            store.clock.advance(Self.day * 2)
            let storage = try await store.open("new")
            let kept = try await storage.checkpoints().compactMap(\.value).map(AuditNote.checkpoint)
            #expect(try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now).removed == 12)
            let sizes = try await storage.checkpoints().compactMap(\.value).filter { $0.node == "old" }.map(\.size)
            #expect(sizes == [12, 16])
            let terms = AuditVerificationTerms(trusting: [store.key.verifierKey], kept: kept)
            #expect(try await AuditReview(storage).verify(terms).problems == [])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `one cut after the other verifies, each with its own statement`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine) { store in
            let storage = try await store.open("new")
            let start = store.clock.now + .seconds(3600)
            // A little more than three days lie behind the first checkpoint, and than two behind the second.
            #expect(try await storage.purgeAudit(olderThan: Self.day * 3, at: start).removed == 4)
            #expect(try await storage.purgeAudit(olderThan: Self.day * 2, at: start).removed == 4)
            let report = try await store.verify(storage)
            #expect(report.problems == [] && report.cuts.map(\.through) == [4, 8])
            #expect(
                try await store.verify(storage, least: Self.day * 3).problems.map(\.kind).contains(.retentionTooShort))
        }
    }

    @Test(arguments: AuditStore.engines)
    func `a quiet chain is cut once an hour, not with every checkpoint`(_ engine: AuditStore.Engine) async throws {
        try await AuditStore.with(engine) { store in
            for _ in 0..<90 {
                try await store.live("old", events: 1)
                store.clock.advance(.seconds(60))
            }
            store.clock.advance(Self.day)
            let storage = try await store.open("new")
            var removed: [Int] = []
            for _ in 0..<30 {
                removed.append(try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now).removed)
                store.clock.advance(.seconds(60))
            }
            #expect(removed.filter { $0 > 0 }.count == 1)
            #expect(try await store.verify(storage, least: Self.day).problems == [])
        }
    }

    /// A life of the node "old" that signs a checkpoint after so many events, so many times.
    private func live(_ store: AuditStore, events: Int, times: Int) async throws {
        let storage = try await store.open("old")
        let auditor = try storage.auditor()
        for _ in 0..<times {
            try await storage.append((0..<events).map { AuditStore.event($0, at: store.clock.now) })
            try await storage.write { try auditor.recordCheckpoint(in: $0) }
        }
        try await storage.close()
    }

    @Test(arguments: AuditStore.engines)
    func `one cut takes all that is old enough, over however many checkpoints`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            try await live(store, events: 4, times: 150)
            store.clock.advance(Self.day * 2)
            let storage = try await store.open("new")
            let purge = try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now)
            #expect(purge == AuditPurge(removed: 596, refused: []), "all but what follows the last but one")
            #expect(try await store.verify(storage, least: Self.day).problems == [])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `a cut ends at the last checkpoint within five thousand events`(_ engine: AuditStore.Engine) async throws {
        try await AuditStore.with(engine) { store in
            try await live(store, events: 900, times: 7)
            store.clock.advance(Self.day * 2)
            let storage = try await store.open("new")
            #expect(try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now).removed == 4500)
            #expect(try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now).removed == 900)
        }
    }

    @Test(arguments: AuditStore.engines)
    func `of the checkpoints of what goes, the last of each hour stays`(_ engine: AuditStore.Engine) async throws {
        try await AuditStore.with(engine) { store in
            for pause in [60, 3600, 86_400, 86_400] as [Int64] {
                try await store.live("old", events: 4)
                store.clock.advance(.seconds(pause))
            }
            let storage = try await store.open("new")
            #expect(try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now).removed == 12)
            let sizes = try await storage.checkpoints().compactMap(\.value).filter { $0.node == "old" }.map(\.size)
            #expect(sizes == [8, 12, 16])
            #expect(try await store.verify(storage, least: Self.day).problems == [])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `what contradicts a checkpoint in the middle is not removed`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine) { store in
            let at = store.clock.now - Self.day * 3
            let other = try store.key.sign(
                node: "old", size: 4, hash: Base64URL.encode([UInt8](repeating: 7, count: 32)), at: at)
            let stored = "note = '\(other.note)', hash = '\(other.hash)', at = \(at.milliseconds)"
            try store.run(SQLStatement("UPDATE audit_checkpoint SET \(stored) WHERE node = 'old' AND size = 4"))
            let storage = try await store.open("new")
            let purge = try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now)
            #expect(
                purge
                    == AuditPurge(removed: 0, refused: [Problem(node: "old", sequence: 4, kind: .checkpointMismatch)]))
        }
    }

    @Test(arguments: AuditStore.engines)
    func `events of a clock that ran ahead do not keep what is after them`(_ engine: AuditStore.Engine) async throws {
        try await AuditStore.with(engine) { store in
            store.clock.advance(Self.day * 100)
            try await store.live("old", events: 4)
            store.clock.advance(.zero - Self.day * 100)
            for _ in 0..<2 { try await store.live("old", events: 4) }
            store.clock.advance(Self.day * 2)
            let storage = try await store.open("new")
            let purge = try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now)
            #expect(purge == AuditPurge(removed: 8, refused: []))
        }
    }

    @Test(arguments: AuditStore.engines)
    func `an event younger than the retention stays, whatever an older checkpoint covers`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            for _ in 0..<2 {
                let storage = try await store.open("old")
                try await storage.append([AuditStore.event(0, at: store.clock.now + Self.day)])
                try await storage.close()
            }
            let storage = try await store.open("new")
            store.clock.advance(Self.day * 1.5)
            #expect(try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now).removed == 0)
            store.clock.advance(Self.day)
            #expect(try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now).removed == 1)
        }
    }

    @Test(arguments: AuditStore.engines)
    func `a checkpoint that was dated back leads to no cut`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine) { store in
            try store.run("UPDATE audit_checkpoint SET at = 0")
            let storage = try await store.open("new")
            let purge = try await storage.purgeAudit(olderThan: Self.day * 100, at: store.clock.now)
            #expect(purge == AuditPurge(removed: 0, refused: []))
            #expect(try await storage.records(of: "old", in: 1...100, limit: 100).count == 12)
        }
    }

    @Test(arguments: AuditStore.engines)
    func `what does not verify is not removed, and other nodes' chains are`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine) { store in
            for _ in 0..<2 { try await store.live("other", events: 2) }
            store.clock.advance(Self.day * 2)
            try store.run("UPDATE audit_event SET subject = 'mallory' WHERE node = 'old' AND sequence = 3")
            let storage = try await store.open("new")
            let purge = try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now)
            #expect(purge.refused == [Problem(node: "old", sequence: 3, kind: .edited)])
            #expect(purge.removed == 2)
            #expect(try await storage.records(of: "old", in: 1...100, limit: 100).count == 12)
        }
    }

    @Test(arguments: AuditStore.engines)
    func `a beginning that was stolen is not covered by the next cut`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine) { store in
            try store.run("DELETE FROM audit_event WHERE node = 'old' AND sequence <= 4")
            let storage = try await store.open("new")
            let purge = try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now)
            #expect(purge == AuditPurge(removed: 0, refused: [Problem(node: "old", sequence: 1, kind: .missing)]))
            #expect(try await store.verify(storage).problems == [Problem(node: "old", sequence: 1, kind: .missing)])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `erasing history takes more than an event that says it may be`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine) { store in
            let last = try #require(
                try store.run("SELECT hash FROM audit_event WHERE node = 'old' AND sequence = 12").first
            ).text(0)
            try store.run("DELETE FROM audit_event WHERE node = 'old'")
            let event = AuditRecord(
                chaining: AuditEvent(
                    at: store.clock.now, type: .auditPurged, outcome: .success, reason: "retention",
                    detail: AuditCut.detail(node: "old", through: 12)), node: "old", sequence: 13, previousHash: last)
            try store.run(
                SQLStatement(
                    """
                    INSERT INTO audit_event (node, sequence, at, type, outcome, reason, detail, previous_hash, hash)
                    VALUES ('old', 13, \(event.event.at.milliseconds), 'audit.purged', 'success', 'retention',
                        '\(event.event.detail ?? "")', '\(last)', '\(event.hash)')
                    """))
            let storage = try await store.open("new")
            #expect(try await store.verify(storage).problems == [Problem(node: "old", sequence: 1, kind: .missing)])
            // Nor does the node sign for it: what went is too young.
            #expect(try await storage.adoptCuts(olderThan: Self.day * 10, at: store.clock.now) == [])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `retention goes on after the key was replaced, once the beginning is accepted`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await withOldChain(engine) { store in
            let storage = try await store.open("new")
            let later = store.clock.now + .seconds(3600)
            #expect(try await storage.purgeAudit(olderThan: Self.day * 3, at: later).removed == 4)
            try await storage.close()
            let replaced = try AuditSigningKey.generate(name: "localhost/test")
            for _ in 0..<2 {
                try await store.live("old", events: 4, signedBy: replaced)
                store.clock.advance(Self.day)
            }
            let again = try await store.open("new", signedBy: replaced)
            let refused = try await again.purgeAudit(olderThan: Self.day, at: store.clock.now)
            #expect(refused.removed == 0 && refused.refused.map(\.node) == ["old"])
            #expect(try await again.adoptCuts(olderThan: nil, at: store.clock.now).map(\.through) == [4])
            #expect(
                try await again.purgeAudit(olderThan: Self.day, at: store.clock.now)
                    == AuditPurge(removed: 12, refused: []))
            let terms = AuditVerificationTerms(trusting: [store.key.verifierKey, replaced.verifierKey])
            let problems = try await AuditReview(again).verify(terms).problems
            #expect(problems == [])
        }
    }

    /// What the version before left behind: no signed cut, but an event that says so.
    private func purgeAsBefore(_ store: AuditStore, through sequence: Int64) async throws {
        try store.run(
            SQLStatement("DELETE FROM audit_event WHERE node = 'old' AND sequence <= \(sequence)"))
        let storage = try await store.open("upgraded")
        try await storage.append([
            AuditEvent(
                at: store.clock.now, type: .auditPurged, outcome: .success, reason: "retention",
                detail: AuditCut.detail(node: "old", through: sequence))
        ])
        try await storage.close()
    }

    @Test(arguments: AuditStore.engines)
    func `what a version without signed cuts removed is signed for, marked, and once`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await withOldChain(engine) { store in
            try await purgeAsBefore(store, through: 4)
            let storage = try await store.open("new")
            #expect(try await store.verify(storage).problems == [Problem(node: "old", sequence: 1, kind: .missing)])
            let cuts = try await storage.adoptCuts(olderThan: Self.day, at: store.clock.now)
            #expect(cuts.map(\.through) == [4] && cuts.map(\.isAdopted) == [true])
            #expect(try await storage.adoptCuts(olderThan: Self.day, at: store.clock.now) == [])
            let report = try await store.verify(storage, least: Self.day)
            #expect(report.problems == [] && report.cuts.map(\.isAdopted) == [true])
            // From here on retention goes on as ever.
            #expect(try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now).removed == 4)
            #expect(try await store.verify(storage).problems == [])
        }
    }

    @Test(arguments: AuditStore.engines)
    func `only what is old enough, and what an event tells of, is adopted`(_ engine: AuditStore.Engine) async throws {
        try await withOldChain(engine) { store in
            try await purgeAsBefore(store, through: 8)
            let storage = try await store.open("new")
            #expect(try await storage.adoptCuts(olderThan: Self.day * 10, at: store.clock.now) == [])
            try store.run("UPDATE audit_event SET reason = 'changed' WHERE type = 'audit.purged'")
            #expect(try await storage.adoptCuts(olderThan: Self.day, at: store.clock.now) == [])
            try store.run("DELETE FROM audit_event WHERE type = 'audit.purged'")
            #expect(try await storage.adoptCuts(olderThan: Self.day, at: store.clock.now) == [])
            // An administrator may take it as it is; the report says so, and no more than that is vouched for.
            let cuts = try await storage.adoptCuts(olderThan: nil, at: store.clock.now)
            #expect(cuts.map(\.retention) == [.zero] && cuts.map(\.isAdopted) == [true])
            #expect(try await store.verify(storage).problems.map(\.node) == ["upgraded"])
            #expect(
                try await store.verify(storage, least: Self.day * 10).problems.map(\.kind).contains(.retentionTooShort))
        }
    }
}
