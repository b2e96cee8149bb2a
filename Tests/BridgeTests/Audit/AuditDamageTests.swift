import Bridge
import OAuth2
import Testing

private typealias Problem = AuditVerificationReport.Problem

/// Rows that cannot be read: named by verification, marked everywhere else, in the way of nothing.
@Suite struct AuditDamageTests {
    private let chain = AuditFixture.chain(4)

    private func damage(_ sequence: Int64, hash: String? = nil) -> AuditEntry {
        .damaged(
            AuditDamage(.event, node: "a", sequence: sequence, field: "outcome", at: AuditFixture.start, hash: hash))
    }

    private func entries(replacing sequence: Int64, with entry: AuditEntry) -> [AuditEntry] {
        chain.map { $0.sequence == sequence ? entry : .intact($0) }
    }

    @Test(arguments: [1, 2, 4] as [Int64])
    func `an event that cannot be read is the one problem, and the chain goes on behind it`(sequence: Int64) {
        for hash in [chain[Int(sequence) - 1].hash, nil] {
            let report = verify(entries: entries(replacing: sequence, with: damage(sequence, hash: hash)))
            #expect(report.problems == [Problem(node: "a", sequence: sequence, kind: .unreadable, field: "outcome")])
            #expect(report.events == 3)
        }
    }

    @Test func `the link behind an unreadable event is checked as far as its hash can be read`() {
        let report = verify(entries: entries(replacing: 2, with: damage(2, hash: chain[3].hash)))
        #expect(report.problems.map(\.kind) == [.unreadable, .unlinked])
    }

    @Test func `an unreadable event fills no gap and hides none`() {
        let report = verify(entries: [.intact(chain[0]), damage(3), .intact(chain[3])])
        #expect(report.problems.map(\.kind) == [.unreadable, .missing])
        #expect(report.problems.last?.sequence == 2)
    }

    @Test func `checkpoints and cuts that cannot be read are named too`() {
        var verifier = AuditVerifier(
            checkpoints: [.damaged(AuditDamage(.checkpoint, node: "a", sequence: 3, field: "at"))],
            cuts: [
                .damaged(AuditDamage(.cut, node: "a", sequence: 2, field: "through")),
                .damaged(AuditDamage(.cut, node: "a", sequence: 1, field: "note")),
            ], terms: AuditVerificationTerms(trusting: []))
        for record in chain { verifier.take(.intact(record)) }
        verifier.take(stray: AuditDamage(.event, node: "\u{FFFD}", sequence: 0, field: "node"))
        #expect(
            verifier.finish().problems == [
                Problem(node: "a", sequence: 3, kind: .unreadable, field: "checkpoint.at"),
                Problem(node: "a", sequence: 2, kind: .unreadable, field: "cut.through"),
                Problem(node: "a", sequence: 1, kind: .cutMalformed, field: "cut.note"),
                Problem(node: "\u{FFFD}", sequence: 0, kind: .unreadable, field: "node"),
            ])
    }

    private func log() throws -> FixedAuditLog {
        FixedAuditLog(
            entries: entries(replacing: 2, with: damage(2, hash: chain[1].hash)),
            checkpoints: [.damaged(AuditDamage(.checkpoint, node: "a", sequence: 3, field: "at"))],
            cuts: [.damaged(AuditDamage(.cut, node: "a", sequence: 1, field: "note"))],
            strays: [AuditDamage(.event, node: "b", sequence: 0, field: "node")])
    }

    private func exported(_ format: AuditExport.Format) async throws -> ByteCollector {
        let output = ByteCollector()
        try await AuditExport(try log()).write(matching: AuditFilter(), as: format) { output.append($0) }
        return output
    }

    @Test func `an export says what it could not read, and is verified to the same problems`() async throws {
        let terms = AuditVerificationTerms(trusting: [])
        let inPlace = try await AuditReview(try log()).verify(terms)
        #expect(inPlace.problems.map(\.kind) == [.unreadable, .cutMalformed, .unreadable, .unreadable])
        let output = try await exported(.jsonLines)
        try TemporaryFile.with(output.bytes) { path in
            let report = try AuditReview.verify(exportAt: path, terms)
            #expect(Set(report.problems) == Set(inPlace.problems) && report.events == 3)
        }
    }

    @Test func `a table has a row of as many fields for what cannot be read`() async throws {
        let rows = try await exported(.csv).text.split(separator: "\r\n")
        #expect(rows.count == 6)
        let count = AuditCSV.header.split(separator: ",").count
        #expect(rows.allSatisfy { $0.split(separator: ",", omittingEmptySubsequences: false).count >= count })
        #expect(rows[2].hasPrefix("a-2,\(AuditFixture.start.rfc3339),damaged,,this event cannot be read: outcome,,"))
        #expect(rows[2].hasSuffix(",a,2,\(chain[1].hash),"))
        #expect(rows[5].hasPrefix("b-0,,damaged,,this event cannot be read: node,"))
    }

    @Test func `an object of the OCSF base class stands for what cannot be read`() async throws {
        let lines = try await exported(.ocsf).text.split(separator: "\n")
        #expect(lines.count == 5)
        let object = try #require(JSONValue.parse(lines[1].utf8)?.object)
        #expect(object["class_uid"]?.integer == 0 && object["type_uid"]?.integer == 99)
        #expect(object["time"]?.integer == AuditFixture.start.milliseconds)
        #expect(object["metadata"]?.object?["uid"]?.string == "a-2")
        #expect(object["unmapped"]?.object?["damaged"]?.string == "outcome")
    }

    @Test func `a record too long for a line of an export is named instead`() async throws {
        var event = AuditFixture.event(1)
        event.detail = String(repeating: "\u{1}", count: AuditExportReader.maximumLineLength / 6)
        let record = AuditRecord(chaining: event, node: "a", sequence: 1, previousHash: AuditRecord.genesis)
        let output = ByteCollector()
        let export = AuditExport(FixedAuditLog([record]))
        try await export.write(matching: AuditFilter(), as: .jsonLines) { output.append($0) }
        #expect(try BridgeTests.entries(output.bytes) == [.damaged(AuditDamage(record, field: "length"))])
    }

    @Test func `a syslog message says so`() {
        let message = String(decoding: SyslogMessage().bytes(of: .entry(damage(2))), as: UTF8.self)
        #expect(
            message.hasPrefix(
                "<107>1 \(AuditFixture.start.rfc3339) a drawbridge - damaged [drawbridge@32473 id=\"a-2\""))
        let timeless = AuditDamage(.event, node: "a", sequence: -1, field: "at")
        #expect(
            String(decoding: SyslogMessage().bytes(of: .entry(.damaged(timeless))), as: UTF8.self)
                .hasPrefix("<107>1 - a drawbridge - damaged "))
    }

    @Test(arguments: [
        (#""part":"event""#, #""part":"x""#, "part"), (#""sequence":2"#, #""sequence":"2""#, "sequence"),
        (#""id":"a-2""#, #""id":"a-3""#, "id"), (#""at":""#, #""at":"x"#, "at"),
        (#""node":"#, #""more":1,"node":"#, "more"),
    ])
    func `a bad member of such a line is named`(part: String, replacement: String, field: String) throws {
        let entry = damage(2, hash: "h")
        let text = String(decoding: entry.json, as: UTF8.self)
        #expect(try BridgeTests.entries(Array((text + "\n").utf8)) == [.damaged(try #require(entry.damage))])
        let bad = text.replacing(part, with: replacement, maxReplacements: 1)
        #expect(reason(bad + "\n") == .init(line: 1, reason: .field(field)))
    }
}
