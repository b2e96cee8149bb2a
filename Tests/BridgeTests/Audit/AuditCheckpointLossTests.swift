import Bridge
import Testing

private typealias Problem = AuditVerificationReport.Problem

/// Checkpoints that were kept outside of the database, and that it has lost.
@Suite struct AuditCheckpointLossTests {
    private static let sizes: ClosedRange<Int64> = 1...8

    private let key: AuditSigningKey
    /// One event an hour.
    private let chain: [AuditRecord]
    /// One over each event.
    private let signed: [AuditCheckpoint]

    init() throws {
        let key = try AuditFixture.key()
        let chain = Self.chain(every: .seconds(3600))
        self.key = key
        self.chain = chain
        signed = try Self.sizes.map { try AuditFixture.checkpoint(chain, at: $0, by: key) }
    }

    private static func chain(every pause: Duration) -> [AuditRecord] {
        var records: [AuditRecord] = []
        for sequence in sizes {
            var event = AuditFixture.event(sequence)
            event.at = AuditFixture.start + pause * sequence
            records.append(
                AuditRecord(
                    chaining: event, node: "a", sequence: sequence,
                    previousHash: records.last?.hash ?? AuditRecord.genesis))
        }
        return records
    }

    /// What commands wrote down when the database was put back.
    private func restored(_ times: Int) -> [AuditRecord] {
        var records: [AuditRecord] = []
        for number in 0..<times {
            let event = AuditEvent(
                at: AuditFixture.start, type: .databaseRestored, outcome: .success, reason: "restored")
            records.append(
                AuditRecord(
                    chaining: event, node: "cli", sequence: Int64(number) + 1,
                    previousHash: records.last?.hash ?? AuditRecord.genesis))
        }
        return records
    }

    /// What a verification says of a database that has the checkpoints of these sizes, beside all that were signed.
    private func problems(
        having sizes: Set<Int64>, restores: Int = 0, records: [AuditRecord]? = nil, cuts: [AuditCut] = []
    ) async throws -> [Problem] {
        let log = FixedAuditLog(
            (records ?? chain) + restored(restores), checkpoints: signed.filter { sizes.contains($0.size) }, cuts: cuts)
        let terms = AuditVerificationTerms(trusting: [key.verifierKey], kept: signed.map(AuditNote.checkpoint))
        return try await AuditReview(log).verify(terms).problems
    }

    private func missing(_ size: Int64) -> Problem { Problem(node: "a", sequence: size, kind: .checkpointMissing) }

    @Test func `checkpoints that the database lost are one problem for each gap, at the first of it`() async throws {
        #expect(try await problems(having: Set(Self.sizes)) == [])
        #expect(try await problems(having: []) == [missing(1)])
        #expect(try await problems(having: [1, 8]) == [missing(2)])
        #expect(try await problems(having: [1, 2, 3, 6]) == [missing(4), missing(7)])
    }

    @Test(arguments: [[1, 2, 3, 4, 5, 6, 7], [2, 3, 4, 5, 6, 7, 8], [1, 3, 5, 7]] as [Set<Int64>])
    func `one that is gone between two others proves nothing: an earlier state of the database lacks it`(
        sizes: Set<Int64>
    ) async throws {
        #expect(try await problems(having: sizes) == [])
    }

    @Test func `each time that the database was put back explains one more`() async throws {
        #expect(try await problems(having: [1, 2, 3, 6, 7, 8]) == [missing(4)])
        #expect(try await problems(having: [1, 2, 3, 6, 7, 8], restores: 1) == [])
        #expect(try await problems(having: [1, 2, 3, 7, 8], restores: 1) == [missing(4)])
        #expect(try await problems(having: [1, 2, 3, 7, 8], restores: 2) == [])
    }

    @Test func `those that thinning may have removed are not missed, and without the one that stays they are`()
        async throws
    {
        let chain = Self.chain(every: .seconds(60))
        let signed = try Self.sizes.map { try AuditFixture.checkpoint(chain, at: $0, by: key) }
        let terms = AuditVerificationTerms(trusting: [key.verifierKey], kept: signed.map(AuditNote.checkpoint))
        let thinned = FixedAuditLog(chain, checkpoints: Array(signed.suffix(1)))
        #expect(try await AuditReview(thinned).verify(terms).problems == [])
        #expect(try await AuditReview(FixedAuditLog(chain)).verify(terms).problems == [missing(1)])
    }

    @Test func `those of a part that was cut are not missed`() async throws {
        let cut = try AuditFixture.cut(chain, through: 4, by: key)
        let rest = Array(chain.dropFirst(4))
        #expect(try await problems(having: [4, 5, 6, 7, 8], records: rest, cuts: [cut]) == [])
        #expect(try await problems(having: [4, 8], records: rest, cuts: [cut]) == [missing(5)])
    }

    @Test func `what the events contradict is reported as that alone`() async throws {
        let other = AuditFixture.chain(8, detail: "other")
        let found = try await problems(having: [], records: other)
        #expect(Set(found.map(\.kind)) == [.checkpointMismatch])
        let rest = Array(chain.prefix(1))
        #expect(
            try await problems(having: [], records: rest) == [Problem(node: "a", sequence: 2, kind: .truncated)])
    }

    @Test func `an export may be older than what was kept, so what is behind its last checkpoint is not missed`() {
        let kept = signed.map(AuditNote.checkpoint)
        func exported(having sizes: Set<Int64>) -> [Problem] {
            let checkpoints = signed.filter { sizes.contains($0.size) }
            return verify(chain, checkpoints: checkpoints, by: [key.verifierKey], kept: kept).problems
        }
        #expect(exported(having: []) == [])
        #expect(exported(having: [1, 2]) == [])
        #expect(exported(having: [1, 8]) == [missing(2)])
    }
}
