import Bridge
import OAuth2
import Testing

private typealias Problem = AuditVerificationReport.Problem

/// Problems in few words, where some thousand may have been found.
@Suite struct AuditProblemGroupTests {
    private func detail(_ problems: [Problem], count: Int) -> String {
        var detail = JSONObjectWriter()
        detail.add(problems, count: count)
        return detail.finishedText()
    }

    @Test func `an event names the problems, how many there are, and where the first is`() {
        let problems = [
            Problem(node: "a", sequence: 1, kind: .missing),
            Problem(node: nil, sequence: nil, kind: .unreadable, line: 7),
        ]
        #expect(
            detail(problems, count: 9) == #"{"count":9,"id":"a-1","problems":["a-1 missing","line 7 unreadable"]}"#)
        #expect(detail([problems[1]], count: 1) == #"{"count":1,"problems":["line 7 unreadable"]}"#)
    }

    @Test func `twenty are named, and a thousand of one kind hide no other`() {
        let edited = (1...1000 as ClosedRange<Int64>).map { Problem(node: "a", sequence: $0, kind: .edited) }
        let others = [
            Problem(node: "b", sequence: 3, kind: .edited), Problem(node: "a", sequence: 1, kind: .missing),
            Problem(node: "a", sequence: 9, kind: .missing), Problem(node: "a", sequence: 1001, kind: .truncated),
        ]
        let names = (edited + others).names
        #expect(names.count == 20)
        #expect(
            names.prefix(6) == [
                "a-1 edited", "b-3 edited", "a-1 missing", "a-9 missing", "a-1001 truncated", "a-2 edited",
            ])
    }

    @Test func `a node whose name has no end makes no event without end`() {
        let problems = (1...30 as ClosedRange<Int64>).map {
            Problem(node: String(repeating: "\u{1}", count: 100_000), sequence: $0, kind: .edited)
        }
        #expect(detail(problems, count: 30).utf8.count < 30_000)
    }

    @Test func `an end that moves as its chain grows is one group, a beginning and a gap are two`() {
        let moved = [30, 31].map { Problem(node: "a", sequence: $0, kind: .truncated).group }
        #expect(moved[0] == moved[1])
        let gone = [1, 30].map { Problem(node: "a", sequence: $0, kind: .missing).group }
        #expect(gone[0] != gone[1] && gone[0] != Problem(node: "b", sequence: 1, kind: .missing).group)
    }

    private func edited(_ records: some Sequence<AuditRecord>) -> [AuditRecord] {
        records.map { record in
            var event = record.event
            event.subject = "mallory"
            return AuditRecord(
                node: record.node, sequence: record.sequence, event: event, previousHash: record.previousHash,
                hash: record.hash)
        }
    }

    @Test func `a report full of one node keeps the first of every kind of another, and of gaps`() {
        var other = edited(AuditFixture.chain(4, node: "b"))
        other.remove(at: 2)
        let report = verify(edited(AuditFixture.chain(1200).dropFirst()) + other)
        #expect(report.problems.contains(Problem(node: "a", sequence: 1, kind: .missing)))
        #expect(report.problems.count == 1000 && report.problems.allSatisfy { $0.node == "a" })
        #expect(
            report.furtherKinds == [
                Problem(node: "b", sequence: 1, kind: .edited), Problem(node: "b", sequence: 3, kind: .missing),
            ])
        #expect(report.problemCount == 1 + 1199 + 3 + 1)
    }

    @Test func `a thousand nodes with a problem hide no other kind, and no more of them are kept`() {
        let nodes = (1...2100 as ClosedRange<Int64>).flatMap { edited(AuditFixture.chain(1, node: "n\($0)")) }
        let report = verify(nodes + AuditFixture.chain(2, node: "z").dropFirst())
        #expect(report.furtherKinds.count == 1001 && report.problemCount == 2101)
        #expect(report.furtherKinds.last == Problem(node: "z", sequence: 1, kind: .missing))
    }

    @Test func `a report that is full keeps the first of every other kind`() throws {
        let key = try AuditFixture.key()
        let whole = AuditFixture.chain(1200)
        var records = edited(whole.dropLast(100))
        records.remove(at: 1050)
        let checkpoint = try AuditFixture.checkpoint(whole, at: 1200, by: key)
        let report = verify(records, checkpoints: [checkpoint], by: [key.verifierKey])
        #expect(report.problems.count == 1000 && Set(report.problems.map(\.kind)) == [.edited])
        #expect(
            report.furtherKinds == [
                Problem(node: "a", sequence: 1051, kind: .missing),
                Problem(node: "a", sequence: 1101, kind: .truncated),
            ])
        #expect(report.problemCount == 1099 + 2)
    }
}
