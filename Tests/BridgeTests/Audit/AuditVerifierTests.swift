import Bridge
import OAuth2
import Testing

private typealias Problem = AuditVerificationReport.Problem

private func problem(_ kind: AuditProblemKind, _ sequence: Int64, node: String = "a") -> Problem {
    Problem(node: node, sequence: sequence, kind: kind)
}

extension AuditRecord {
    fileprivate func changing(
        node: String? = nil, sequence: Int64? = nil, previousHash: String? = nil, hash: String? = nil,
        _ change: (inout AuditEvent) -> Void = { _ in }
    ) -> AuditRecord {
        var event = event
        change(&event)
        return AuditRecord(
            node: node ?? self.node, sequence: sequence ?? self.sequence, event: event,
            previousHash: previousHash ?? self.previousHash, hash: hash ?? self.hash)
    }

    /// As somebody who knows how hashes are made would leave it.
    fileprivate func rehashed(previousHash: String? = nil) -> AuditRecord {
        AuditRecord(
            chaining: event, node: node, sequence: sequence, previousHash: previousHash ?? self.previousHash)
    }
}

@Suite struct AuditVerifierTests {
    let chain = AuditFixture.chain(6)

    @Test func `an untouched chain is valid`() {
        let report = verify(chain)
        #expect(report.isValid)
        #expect(report.events == 6)
    }

    static let edits: [(String, @Sendable (inout AuditEvent) -> Void)] = [
        ("at", { $0.at = $0.at + .milliseconds(1) }), ("type", { $0.type = .webSessionOpened }),
        ("outcome", { $0.outcome = .failure }), ("reason", { $0.reason = "x" }), ("no reason", { $0.reason = nil }),
        ("sub", { $0.subject = "mallory" }), ("client_id", { $0.clientID = "x" }),
        ("target_client_id", { $0.targetClientID = "x" }), ("sid", { $0.sessionID = nil }),
        ("token_id", { $0.tokenID = "x" }), ("ip", { $0.address = "198.51.100.1" }),
        ("user_agent", { $0.userAgent = "Agent/2" }), ("request_id", { $0.requestID = "" }),
        ("detail", { $0.detail = #"{"length":8}"# }),
        ("two fields swapped", { swap(&$0.reason, &$0.requestID) }),
    ]

    @Test(arguments: edits.map(\.0))
    func `an edited field is found`(name: String) throws {
        let edit = try #require(Self.edits.first { $0.0 == name }).1
        var records = chain
        records[2] = records[2].changing(edit)
        #expect(verify(records).problems == [problem(.edited, 3)])
        records[2] = records[2].rehashed()
        #expect(verify(records).problems == [problem(.unlinked, 4)])
    }

    @Test func `an edited hash or link is found`() {
        var records = chain
        records[2] = records[2].changing(hash: records[3].hash)
        #expect(verify(records).problems == [problem(.edited, 3), problem(.unlinked, 4)])
        records = chain
        records[2] = records[2].changing(previousHash: records[3].hash)
        #expect(verify(records).problems == [problem(.edited, 3), problem(.unlinked, 3)])
    }

    @Test func `a hash of which a letter was changed for one that Unicode takes for the same is edited`() throws {
        var records = AuditFixture.chain(60)
        let index = try #require(records.dropLast().firstIndex { $0.hash.contains("K") })
        let alike = records[index].hash.replacing("K", with: "\u{212A}")
        try #require(alike == records[index].hash)
        records[index] = records[index].changing(hash: alike)
        let sequence = Int64(index) + 1
        #expect(verify(records).problems == [problem(.edited, sequence), problem(.unlinked, sequence + 1)])
    }

    @Test func `a chain that was made anew is told by its checkpoint alone`() throws {
        let key = try AuditFixture.key()
        let checkpoint = try AuditFixture.checkpoint(chain, at: 5, by: key)
        var forged: [AuditRecord] = []
        for record in chain {
            let edited = record.changing { $0.subject = "mallory" }
            forged.append(edited.rehashed(previousHash: forged.last?.hash ?? AuditRecord.genesis))
        }
        #expect(verify(forged).isValid)
        let report = verify(forged, checkpoints: [checkpoint], by: [key.verifierKey])
        #expect(report.problems == [problem(.checkpointMismatch, 5)])
    }

    @Test(arguments: 0..<5)
    func `a removed event is found`(index: Int) {
        var records = chain
        records.remove(at: index)
        #expect(verify(records).problems == [problem(.missing, Int64(index) + 1)])
    }

    @Test func `an inserted event is found`() {
        let inserted = AuditRecord(
            chaining: AuditFixture.event(99), node: "a", sequence: 3, previousHash: chain[1].hash)
        var records = chain
        records.insert(inserted, at: 3)
        #expect(verify(records).problems == [problem(.duplicated, 3)])
        records = chain
        records.insert(inserted, at: 2)
        #expect(verify(records).problems == [problem(.duplicated, 3), problem(.unlinked, 4)])
    }

    @Test func `an event that is there twice is found`() {
        #expect(verify(chain + [chain[5]]).problems == [problem(.duplicated, 6)])
        #expect(verify(chain + [chain[1]]).problems == [problem(.outOfOrder, 2)])
    }

    @Test func `reordered events are found`() {
        var records = chain
        records.swapAt(2, 3)
        #expect(verify(records).problems == [problem(.missing, 3), problem(.outOfOrder, 3)])
    }

    @Test func `events that were renumbered are found`() {
        let records = chain.map { $0.changing(sequence: $0.sequence == 2 ? 3 : $0.sequence == 3 ? 2 : $0.sequence) }
        #expect(!verify(records).isValid)
        #expect(verify(records).problems.contains(problem(.edited, 3)))
    }

    @Test func `an event moved to another node's chain is found`() {
        let other = AuditFixture.chain(2, node: "b")
        let moved = chain.map { $0.sequence == 2 ? $0.changing(node: "b", sequence: 3) : $0 }
        let problems = verify(other + moved).problems
        #expect(problems.contains(problem(.missing, 2)))
        #expect(problems.contains(problem(.edited, 3, node: "b")))
    }

    @Test func `a cut-off end is found by a checkpoint`() throws {
        let key = try AuditFixture.key()
        let checkpoint = try AuditFixture.checkpoint(chain, at: 6, by: key)
        let report = verify(chain.dropLast(2), checkpoints: [checkpoint], by: [key.verifierKey])
        #expect(report.problems == [problem(.truncated, 5)])
        let nothing = verify([], checkpoints: [checkpoint], by: [key.verifierKey])
        #expect(nothing.problems == [problem(.truncated, 1)])
    }

    @Test func `a cut-off end is found by the store's own count`() {
        let head = AuditChainHead(node: "a", sequence: 6, hash: chain[5].hash)
        #expect(verify(Array(chain.dropLast()), heads: [head]).problems == [problem(.missing, 6)])
        #expect(verify([], heads: [head]).problems == [problem(.missing, 1)])
    }

    @Test func `each node has its own chain`() {
        let other = AuditFixture.chain(4, node: "b")
        let mixed = zip(chain, other).flatMap { [$0, $1] } + chain.dropFirst(4)
        #expect(verify(mixed).isValid)
        #expect(verify(mixed).events == 10)
    }

    @Test func `old events may be purged up to a checkpoint, and no further`() throws {
        let key = try AuditFixture.key()
        let checkpoint = try AuditFixture.checkpoint(chain, at: 3, by: key)
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        func problems(of kept: Int, cuts: [AuditCut]) -> [Problem] {
            verify(Array(chain.dropFirst(kept)), checkpoints: [checkpoint], cuts: cuts, by: [key.verifierKey]).problems
        }
        #expect(problems(of: 3, cuts: [cut]) == [])
        #expect(problems(of: 3, cuts: []) == [problem(.missing, 1)])
        #expect(problems(of: 4, cuts: [cut]) == [problem(.missing, 1)])
        #expect(problems(of: 2, cuts: [cut]) == [problem(.missing, 1)])
        #expect(problems(of: 6, cuts: [cut]) == [problem(.truncated, 4)])
    }

    @Test func `listed problems are bounded, counted ones are not`() {
        let records = AuditFixture.chain(1500).map { $0.changing { $0.subject = "mallory" } }
        let report = verify(records)
        #expect(report.problems.count == 1000)
        #expect(report.problemCount == 1500)
        #expect(!report.isValid)
    }

    @Test func `the report has the shape that tools rely on`() {
        var records = chain
        records.remove(at: 1)
        let expected =
            #"{"valid":false,"events":5,"checkpoints":0,"problems":[{"node":"a","sequence":2,"id":"a-2","#
            + #""kind":"missing"}],"problem_count":1,"cuts":[],"kept_notes":0}"#
        #expect(verify(records).json == expected)
        #expect(
            verify([]).json
                == #"{"valid":true,"events":0,"checkpoints":0,"problems":[],"problem_count":0,"cuts":[],"kept_notes":0}"#
        )
    }
}
