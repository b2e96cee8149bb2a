import Bridge
import Testing

/// A verification that goes on by itself (docs/administration.md).
@Suite struct AuditVerificationJobTests {
    @Test func `it says how far it is while it reads, and what it found at the end`() async throws {
        let (reached, atEnd) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let log = FixedAuditLog(entries: AuditFixture.chain(3).map(AuditEntry.intact)) {
            atEnd.yield()
            for await _ in released { return }
        }
        let job = AuditVerificationJob()
        guard case .none = job.state else { return #expect(Bool(false), "nothing was begun") }
        job.start(log, terms: AuditVerificationTerms(trusting: []), total: 5, time: .system)
        for await _ in reached { break }
        guard case .running(let read, let total) = job.state else {
            return #expect(Bool(false), "it is not at its end")
        }
        #expect((read, total) == (3, 5))
        release.yield()
        while case .running = job.state { await Task.yield() }
        guard case .done(let report, _) = job.state else { return #expect(Bool(false), "it did not end") }
        #expect(report.events == 3)
    }
}
