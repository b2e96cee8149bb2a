import Bridge
import Testing

@testable import SQLStorage

private typealias Problem = AuditVerificationReport.Problem

/// A beginning that seems to be gone, because another key signed for it, and what must not hide behind it.
@Suite struct AuditBeginningTests {
    private static let day = Duration.seconds(86_400)

    private func twoLives(_ store: AuditStore, signedBy key: AuditSigningKey? = nil) async throws {
        for _ in 0..<2 {
            try await store.live("old", events: 4, signedBy: key)
            store.clock.advance(Self.day)
        }
    }

    private func notes(_ storage: DurableStorage) async throws -> [AuditNote] {
        try await storage.checkpoints().compactMap(\.value).map(AuditNote.checkpoint)
            + storage.cuts().compactMap(\.value).map(AuditNote.cut)
    }

    @Test(arguments: AuditStore.engines)
    func `after the key was replaced, a beginning that retention took hides no end that is gone`(
        _ engine: AuditStore.Engine
    ) async throws {
        try await AuditStore.with(engine) { store in
            try await twoLives(store)
            let storage = try await store.open("new")
            #expect(try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now).removed == 4)
            try await storage.close()
            let replaced = try AuditSigningKey.generate(name: "localhost/test")
            try await twoLives(store, signedBy: replaced)
            let again = try await store.open("new", signedBy: replaced)
            let kept = try await notes(again)
            for rows in ["audit_event WHERE sequence", "audit_checkpoint WHERE size"] {
                try store.run(SQLStatement("DELETE FROM \(rows) > 12 AND node = 'old'"))
            }

            let comparison = AuditComparison(again, trusting: [replaced.verifierKey])
            let truncated = Problem(node: "old", sequence: 13, kind: .truncated)
            let findings = try await comparison.findings(with: kept)
            #expect(findings.proved == [Problem(node: "old", sequence: 1, kind: .missing), truncated])
            #expect(findings.doubtful == [Problem(node: "old", sequence: 4, kind: .cutUnknownKey)])

            var terms = AuditVerificationTerms(trusting: [store.key.verifierKey, replaced.verifierKey], kept: kept)
            #expect(try await AuditReview(again).verify(terms).problems == [truncated])
            // What is accepted takes the beginning over, and the end only for whoever has no other notes.
            #expect(try await again.adoptCuts(olderThan: nil, at: store.clock.now).map(\.through) == [4])
            #expect(try await comparison.findings(with: kept).proved == [truncated])
            #expect(try await AuditReview(again).verify(terms).problems == [truncated])
            terms.kept = []
            #expect(try await AuditReview(again).verify(terms).problems == [])
        }
    }
}
