import Bridge
import BridgeTestSupport
import Logging
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
        job.start(
            log, terms: AuditVerificationTerms(trusting: []), total: 5, time: .system, logger: Logger(label: "test"))
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

    @Test func `one that cannot read the log to its end says why, in the service log too`() async throws {
        let log = FixedAuditLog(entries: AuditFixture.chain(3).map(AuditEntry.intact)) {
            throw StorageError.corrupt("a stray row")
        }
        let told = LogLines()
        let job = AuditVerificationJob()
        job.start(
            log, terms: AuditVerificationTerms(trusting: []), total: 3, time: .system, logger: told.logger)
        while case .running = job.state { await Task.yield() }
        guard case .failed(let reason) = job.state else { return #expect(Bool(false), "it did not stop") }
        #expect(reason == "storage corrupt")
        #expect(told.all == ["error: the verification of the audit log stopped error=storage corrupt"])
    }
}
