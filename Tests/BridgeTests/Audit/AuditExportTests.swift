import Bridge
import Foundation
import OAuth2
import Testing

private func odd() -> AuditRecord {
    var event = AuditEvent(at: Timestamp(milliseconds: 1), type: .redirectRefused, outcome: .failure)
    event.userAgent = "=cmd|' /C calc'!A0\"\r\n\u{2028}<é😀>\u{0}"
    event.detail = #"{"path":"/a,b"}"#
    return AuditRecord(chaining: event, node: "n,1", sequence: 1, previousHash: AuditRecord.genesis)
}

@Suite struct AuditExportTests {
    @Test func `a record has the contract's names, all of them`() {
        let json = String(decoding: odd().json, as: UTF8.self)
        let hash = odd().hash
        let expected =
            #"{"id":"n,1-1","at":"1970-01-01T00:00:00.001Z","type":"redirect.refused","outcome":"failure","#
            + #""reason":null,"sub":null,"client_id":null,"target_client_id":null,"sid":null,"token_id":null,"#
            + #""ip":null,"user_agent":"=cmd|' /C calc'!A0\"\r\n\u2028\u003cé😀>\u0000","request_id":null,"#
            + #""detail":"{\"path\":\"/a,b\"}","node":"n,1","sequence":1,"hash":"\#(hash)","previous_hash":"#
            + #""AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#
        #expect(json == expected)
    }

    @Test(arguments: [1, 7, 1 << 20])
    func `an export reads back as what was written, whatever the pieces`(pieces: Int) async throws {
        let key = try AuditFixture.key()
        let chain = AuditFixture.chain(1201)
        let checkpoint = try AuditFixture.checkpoint(chain, at: 1000, by: key)
        let log = FixedAuditLog(chain + [odd()], checkpoints: [checkpoint])
        let output = ByteCollector()
        try await AuditExport(log).write(matching: AuditFilter(), as: .jsonLines) { output.append($0) }
        let expected = [.checkpoint(checkpoint)] + (chain + [odd()]).map { AuditExportReader.Entry.event($0) }
        #expect(try entries(output.bytes, pieces: pieces) == expected)
    }

    @Test func `a search is exported newest first, without checkpoints`() async throws {
        let chain = AuditFixture.chain(1201)
        let log = FixedAuditLog(
            chain, checkpoints: [try AuditFixture.checkpoint(chain, at: 3, by: try AuditFixture.key())])
        let output = ByteCollector()
        var filter = AuditFilter()
        filter.subject = "alice"
        try await AuditExport(log).write(matching: filter, as: .jsonLines) { output.append($0) }
        #expect(try entries(output.bytes) == chain.reversed().map { .event($0) })
        let none = ByteCollector()
        filter.subject = "nobody"
        try await AuditExport(log).write(matching: filter, as: .csv) { none.append($0) }
        #expect(none.text == AuditCSV.header)
    }

    @Test func `everything up to a limit is a search, and not the whole log`() async throws {
        let chain = AuditFixture.chain(3)
        let log = FixedAuditLog(chain)
        let output = ByteCollector()
        try await AuditExport(log).write(matching: AuditFilter(), upTo: 2, as: .jsonLines) { output.append($0) }
        #expect(try entries(output.bytes) == [.event(chain[2]), .event(chain[1])])
        #expect(log.timesCheckpointsWereRead == 0)
    }

    @Test(arguments: AuditExport.Format.allCases)
    func `checkpoints are read for the one format that has them`(format: AuditExport.Format) async throws {
        let log = FixedAuditLog([odd()])
        try await AuditExport(log).write(matching: AuditFilter(), as: format) { _ in }
        #expect(log.timesCheckpointsWereRead == (format == .jsonLines ? 1 : 0))
    }

    @Test func `a table keeps its columns and runs no formula`() async throws {
        let output = ByteCollector()
        try await AuditExport(FixedAuditLog([odd()])).write(matching: AuditFilter(), as: .csv) { output.append($0) }
        let expected =
            AuditCSV.header
            + "\"n,1-1\",1970-01-01T00:00:00.001Z,redirect.refused,failure,,,,,,,,"
            + "\"'=cmd|' /C calc'!A0\"\"\r\n\u{2028}<é😀>\u{0}\",,\"{\"\"path\"\":\"\"/a,b\"\"}\",\"n,1\",1,"
            + "\(odd().hash),\(AuditRecord.genesis)\r\n"
        #expect(output.text == expected)
        #expect(AuditCSV.header.split(separator: ",").count == 18)
    }

    @Test(arguments: ["=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}"])
    func `a field that begins like a formula is made text`(start: String) {
        var event = AuditEvent(at: Timestamp(milliseconds: 1), type: .redirectRefused, outcome: .failure)
        event.userAgent = start + "1+1"
        let row = AuditCSV.row(
            .intact(AuditRecord(chaining: event, node: "n", sequence: 1, previousHash: AuditRecord.genesis)))
        #expect(row.contains(",\"'" + start + "1+1\","))
    }

    @Test(arguments: [
        ("-", "-"), ("-9xQ_k-Z", "-9xQ_k-Z"), ("-1", "-1"), ("-A1.B2", "\"'-A1.B2\""), ("-SUM(A1)", "\"'-SUM(A1)\""),
        ("-cmd|x!A0", "\"'-cmd|x!A0\""), ("-é", "\"'-é\""),
    ])
    func `what begins with a dash is left as it is where it cannot be more than an id`(text: String, cell: String) {
        var event = AuditEvent(at: Timestamp(milliseconds: 1), type: .redirectRefused, outcome: .failure)
        event.userAgent = text
        let row = AuditCSV.row(
            .intact(AuditRecord(chaining: event, node: "n", sequence: 1, previousHash: AuditRecord.genesis)))
        #expect(row.contains(",,\(cell),,"), "\(row)")
    }

    /// What anybody may send as a user agent.
    private static let planted = [
        "Mozilla;=cmd|'/C calc'!A0;x", "a; =1+1", "a;\"=1+1", "a;\"\"=1+1\"", "a;\" \";+1", "a;;-SUM(A1)", "a\t@A1",
        "a;\t=1+1", "a\t\"\"=1+1", "a\r=1+1", "a\n=1+1", "a\r\n=1+1", "a;\u{FF1D}1+1", "a;\u{FF20}A1", "\t=1+1",
        "a;-1", ";=1", "=1;=1",
    ]

    @Test(arguments: planted)
    func `no cell is a formula for a spreadsheet that splits at something else`(userAgent: String) {
        var event = AuditEvent(at: Timestamp(milliseconds: 1), type: .redirectRefused, outcome: .failure)
        event.userAgent = userAgent
        let row = AuditCSV.row(
            .intact(AuditRecord(chaining: event, node: "n", sequence: 1, previousHash: AuditRecord.genesis)))
        // Whatever such a reader makes of quotes, it may take them and spaces off, and nothing else.
        for cell in row.unicodeScalars.split(whereSeparator: { ";\t\r\n".unicodeScalars.contains($0) }) {
            let first = cell.first { !" \"".unicodeScalars.contains($0) }
            let isFormula = first.map { "=+-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains($0) } ?? false
            #expect(!isFormula, "\(String(cell))")
        }
    }

    @Test(arguments: [
        ("Mozilla;=1", "\"Mozilla;'=1\""), ("a; \"=1", "\"a;' \"\"=1\""), ("a; b-c; d=e", "\"a; b-c; d=e\""),
        ("a=b", "a=b"), ("a;b", "\"a;b\""), ("a\t=1", "\"a\t'=1\""), (" =1", "\"' =1\""), ("\"=1", "\"'\"\"=1\""),
    ])
    func `an apostrophe stands where such a cell begins, and nowhere else`(userAgent: String, field: String) {
        var event = AuditEvent(at: Timestamp(milliseconds: 1), type: .redirectRefused, outcome: .failure)
        event.userAgent = userAgent
        let row = AuditCSV.row(
            .intact(AuditRecord(chaining: event, node: "n", sequence: 1, previousHash: AuditRecord.genesis)))
        #expect(row.contains(",,\(field),,"), "\(row)")
    }

    @Test func `a table has the log's own ids and hashes, whatever they begin with`() async throws {
        let chain = AuditFixture.chain(1200, detail: nil)
        #expect(chain.contains { $0.hash.hasPrefix("-") })
        let output = ByteCollector()
        try await AuditExport(FixedAuditLog(chain)).write(matching: AuditFilter(), as: .csv) { output.append($0) }
        let rows = output.text.split(separator: "\r\n").dropFirst().map { row in
            row.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let own = rows.map { [$0[0], $0[5], $0[16], $0[17]] }
        #expect(own == chain.map { [$0.id, "alice", $0.hash, $0.previousHash] })
    }
}
