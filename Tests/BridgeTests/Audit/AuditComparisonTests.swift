import Bridge
import Testing

private typealias Problem = AuditVerificationReport.Problem

/// What a node finds at its start when it compares the database with the notes beside its key.
@Suite struct AuditComparisonTests {
    private let chain = AuditFixture.chain(6)
    private let key: AuditSigningKey

    init() throws { key = try AuditFixture.key() }

    private func checkpoint(_ size: Int64, of chain: [AuditRecord]? = nil) throws -> AuditNote {
        .checkpoint(try AuditFixture.checkpoint(chain ?? self.chain, at: size, by: key))
    }

    private func found(in log: FixedAuditLog, _ notes: [AuditNote]) async throws -> [Problem] {
        try await AuditComparison(log, trusting: [key.verifierKey]).contradictions(with: notes)
    }

    @Test func `a log that extends the notes contradicts nothing`() async throws {
        let notes = [try checkpoint(2), try checkpoint(6)]
        #expect(try await found(in: FixedAuditLog(chain), notes) == [])
        #expect(try await found(in: FixedAuditLog([]), []) == [])
    }

    @Test func `an end that is gone is found, and so is a whole chain`() async throws {
        let notes = [try checkpoint(2), try checkpoint(6)]
        let cutOff = FixedAuditLog(Array(chain.prefix(4)))
        #expect(try await found(in: cutOff, notes) == [Problem(node: "a", sequence: 5, kind: .truncated)])
        #expect(
            try await found(in: FixedAuditLog([]), notes) == [Problem(node: "a", sequence: 1, kind: .truncated)])
    }

    @Test func `another history is found at the first note that it is not in`() async throws {
        let other = AuditFixture.chain(6, detail: "other")
        let notes = [try checkpoint(4), try checkpoint(2), try checkpoint(6, of: other)]
        #expect(
            try await found(in: FixedAuditLog(other), notes)
                == [Problem(node: "a", sequence: 2, kind: .checkpointMismatch)])
    }

    @Test func `a hash that only looks like the one of the note is another`() async throws {
        var chain = AuditFixture.chain(60)
        let index = try #require(chain.firstIndex { $0.hash.contains("K") })
        let note = try checkpoint(Int64(index) + 1, of: chain)
        let record = chain[index]
        chain[index] = AuditRecord(
            node: record.node, sequence: record.sequence, event: record.event, previousHash: record.previousHash,
            hash: record.hash.replacing("K", with: "\u{212A}"))
        #expect(
            try await found(in: FixedAuditLog(chain), [note])
                == [Problem(node: "a", sequence: record.sequence, kind: .checkpointMismatch)])
    }

    @Test func `an event that is gone from the middle is found where a note is about it`() async throws {
        let holed = FixedAuditLog(chain.filter { $0.sequence != 4 })
        #expect(
            try await found(in: holed, [try checkpoint(4)]) == [Problem(node: "a", sequence: 4, kind: .missing)])
    }

    @Test func `what retention removed contradicts nothing, what somebody else removed does`() async throws {
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        let rest = Array(chain.dropFirst(3))
        let notes = [try checkpoint(2), try checkpoint(3), try checkpoint(6)]
        #expect(try await found(in: FixedAuditLog(rest, cuts: [cut]), notes) == [])
        #expect(try await found(in: FixedAuditLog(rest), notes + [.cut(cut)]) == [])
        #expect(try await found(in: FixedAuditLog(rest), notes) == [Problem(node: "a", sequence: 1, kind: .missing)])
        let forged = try AuditFixture.cut(chain, through: 3, by: try AuditFixture.key(byte: 8))
        #expect(
            try await found(in: FixedAuditLog(rest, cuts: [forged]), [])
                == [Problem(node: "a", sequence: 1, kind: .missing)])
    }

    @Test func `a beginning that is gone hides no end that is gone, and no other history`() async throws {
        let beginning = Problem(node: "a", sequence: 1, kind: .missing)
        let rest = FixedAuditLog(Array(chain.dropFirst(2).prefix(2)))
        #expect(
            try await found(in: rest, [try checkpoint(2), try checkpoint(4), try checkpoint(6)])
                == [beginning, Problem(node: "a", sequence: 5, kind: .truncated)])
        let other = AuditFixture.chain(6, detail: "other")
        let another = FixedAuditLog(Array(other.dropFirst(2).prefix(2)))
        // Of each kind the first; what is before the chain's first event went with the beginning.
        #expect(
            try await found(in: another, try [1, 3, 4, 5, 6].map { try checkpoint($0) }) == [
                beginning, Problem(node: "a", sequence: 3, kind: .checkpointMismatch),
                Problem(node: "a", sequence: 5, kind: .truncated),
            ])
        let holed = FixedAuditLog(chain.filter { $0.sequence > 2 && $0.sequence != 4 })
        #expect(
            try await found(in: holed, [try checkpoint(4)])
                == [beginning, Problem(node: "a", sequence: 4, kind: .missing)])
    }

    @Test func `an end that is gone, by a cut that was kept, hides no other history`() async throws {
        let cut = try AuditFixture.cut(chain, through: 5, by: key)
        let other = FixedAuditLog(Array(AuditFixture.chain(4, detail: "other")))
        #expect(
            try await found(in: other, [.cut(cut), try checkpoint(2), try checkpoint(6)]) == [
                Problem(node: "a", sequence: 5, kind: .truncated),
                Problem(node: "a", sequence: 2, kind: .checkpointMismatch),
            ])
    }

    @Test func `what is proved is told apart from what is not, and before it`() async throws {
        let stranger = try AuditFixture.key(byte: 8)
        let cut = AuditNote.cut(try AuditFixture.cut(chain, through: 2, by: stranger))
        let comparison = AuditComparison(
            FixedAuditLog(Array(chain.dropFirst(2).prefix(2))), trusting: [key.verifierKey])
        let findings = try await comparison.findings(with: [cut, try checkpoint(6)])
        #expect(findings.proved.map(\.kind) == [.missing, .truncated])
        #expect(findings.doubtful == [Problem(node: "a", sequence: 2, kind: .cutUnknownKey)])
        #expect(findings.all == findings.proved + findings.doubtful)
    }

    @Test func `a log from before a cut that was kept has lost its end`() async throws {
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        #expect(
            try await found(in: FixedAuditLog(Array(chain.prefix(2))), [.cut(cut)])
                == [Problem(node: "a", sequence: 3, kind: .truncated)])
    }

    @Test func `a note that contradicts and cannot be believed is told as such`() async throws {
        let stranger = try AuditFixture.key(byte: 8)
        let notes: [AuditNote] = [
            .checkpoint(try AuditFixture.checkpoint(AuditFixture.chain(6, detail: "x"), at: 2, by: stranger)),
            .cut(try AuditFixture.cut(chain, through: 3, by: stranger)),
        ]
        #expect(
            try await found(in: FixedAuditLog(chain), notes) == [
                Problem(node: "a", sequence: 3, kind: .cutUnknownKey),
                Problem(node: "a", sequence: 2, kind: .checkpointMismatch),
                Problem(node: "a", sequence: 2, kind: .checkpointUnknownKey),
            ])
    }

    @Test func `a note by the key before this one does not hide what a later note proves`() async throws {
        let former = try AuditFixture.key(byte: 8)
        let whole = AuditFixture.chain(13)
        let old = AuditNote.checkpoint(try AuditFixture.checkpoint(whole, at: 8, by: former))
        let cutOff = FixedAuditLog(Array(whole.prefix(6)))
        #expect(
            try await found(in: cutOff, [old, try checkpoint(13, of: whole)])
                == [Problem(node: "a", sequence: 7, kind: .truncated)])
        #expect(
            try await found(in: cutOff, [old]) == [
                Problem(node: "a", sequence: 7, kind: .truncated),
                Problem(node: "a", sequence: 8, kind: .checkpointUnknownKey),
            ])
        let later = AuditNote.checkpoint(try AuditFixture.checkpoint(whole, at: 12, by: former))
        let another = AuditFixture.chain(13, detail: "other")
        #expect(
            try await found(in: FixedAuditLog(another), [old, later, try checkpoint(13, of: whole)])
                == [Problem(node: "a", sequence: 13, kind: .checkpointMismatch)])
    }

    @Test func `each node has its own contradiction`() async throws {
        let other = AuditFixture.chain(4, node: "b")
        let log = FixedAuditLog(Array(chain.prefix(4)) + other.prefix(2))
        let notes = [try checkpoint(6), try checkpoint(3, of: other), try checkpoint(4, of: other)]
        #expect(
            try await found(in: log, notes) == [
                Problem(node: "a", sequence: 5, kind: .truncated), Problem(node: "b", sequence: 3, kind: .truncated),
            ])
    }
}
