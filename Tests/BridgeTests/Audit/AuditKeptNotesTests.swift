import Bridge
import OAuth2
import Testing
import TestSupport

private typealias Problem = AuditVerificationReport.Problem

/// Notes that were kept outside of the database, and what they show.
@Suite struct AuditKeptNotesTests {
    private let chain = AuditFixture.chain(6)
    private let key: AuditSigningKey
    private let notes: [AuditNote]

    init() throws {
        key = try AuditFixture.key()
        notes = [
            .checkpoint(try AuditFixture.checkpoint(chain, at: 3, by: key)),
            .cut(try AuditFixture.cut(chain, through: 3, by: key)),
            .checkpoint(try AuditFixture.checkpoint(chain, at: 6, by: key)),
        ]
    }

    private func line(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) + "\n" }

    private func logLine(_ note: AuditNote) -> String {
        var object = JSONObjectWriter()
        object.add("level", "notice")
        object.add("message", note.name)
        object.add("note", note.text)
        return line(object.finish())
    }

    /// What a browser may call itself.
    private static let hostile = #""note":"\u2014 a b {"checkpoint":{"note":"x"}}"#

    /// As the service writes it to a file, with a line before and one behind that hold no note.
    private func serviceLog(_ note: AuditNote) -> [String] {
        var object = JSONObjectWriter()
        object.add("time", "2026-11-21T07:00:00.000Z")
        object.add("level", "notice")
        object.add("logger", "drawbridge")
        object.add("message", note.name)
        let start = String(decoding: object.finish().dropLast(), as: UTF8.self)
        let noted = start + #","note":\#(JSONText.quoted(note.text))}"#
        let other = start + #","agent":\#(JSONText.quoted(Self.hostile))}"#
        return [other, noted, #"{"time":"x","route":"/login","request_id":"\"note\":\""}"#]
    }

    private func member(_ name: String, _ line: String) -> String {
        #"{"__CURSOR":"s=1","\#(name)":\#(JSONText.quoted(line)),"_PID":"123"}"#
    }

    @Test func `notes are read from the service log as collectors hand it out`() {
        let wrappers: [(String) -> String] = [
            { $0 }, { "Nov 30 08:00:00 host drawbridge[123]: \($0)" },
            { "2026-11-30T08:00:00.000000000Z stderr F \($0)" }, { "node-a-1  | \($0)" }, { "MESSAGE=\($0)" },
            { member("MESSAGE", $0) }, { member("log", $0 + "\n") },
            { member("MESSAGE", "Nov 30 08:00:00 host drawbridge[123]: \($0)") },
            { #"{"MESSAGE":[\#($0.utf8.map { String($0) }.joined(separator: ","))]}"# },
        ]
        for wrap in wrappers {
            let file = notes.flatMap(serviceLog).map { wrap($0) + "\n" }.joined()
            let kept = AuditKeptNotes(file.utf8)
            #expect(kept.notes == notes && kept.malformedLines == [], "\(file)")
        }
    }

    @Test func `a note in a form that is not known is told by its line, among others that are read`() {
        let noted = serviceLog(notes[0])[1]
        let quoted = JSONText.quoted(notes[0].text)
        let unknown = [
            member("message", noted), #"{"event":{"original":\#(JSONText.quoted(noted))}}"#,
            "data: \(member("MESSAGE", noted))", #"a | {"time": "x", "note": \#(quoted)}"#,
            "2026-11-30T08:00:00Z stderr P \(noted.dropLast(20))", member("MESSAGE", String(noted.dropLast(20))),
            "08:00:00 notice: audit checkpoint note=\(quoted)", #"  "note" : \#(quoted),"#,
            member("MESSAGE", notes[0].text), #"{"checkpoint":{"node":"a"}}"#, #"{"cut":7}"#,
            #"a | {"checkpoint":{"no"#, #"a | got {"id":"5"} and {"cut":{"node":"a"}"#, "note=\(quoted) a {\"id\":\"5",
        ]
        for line in unknown {
            let kept = AuditKeptNotes((notes[1].text + line + "\n" + self.line(notes[2].json)).utf8)
            let number = notes[1].text.split(separator: "\n", omittingEmptySubsequences: false).count
            #expect(kept.notes == [notes[1], notes[2]] && kept.malformedLines == [number], "\(line)")
        }
        // A line of it alone is no note, and what it said is unknown.
        let mail = notes[0].text.split(separator: "\n").map { "> \($0)\n" }.joined()
        #expect(AuditKeptNotes(mail.utf8).malformedLines == [5])
    }

    @Test func `lines that hold no note are passed by, whatever a request brought into them`() {
        var event = AuditFixture.event(1)
        event.userAgent = Self.hostile
        event.requestID = #"{"time":""#
        let record = AuditRecord(chaining: event, node: "a", sequence: 1, previousHash: AuditRecord.genesis)
        let syslog = SyslogMessage().bytes(of: .entry(.intact(record)))
        let lines = [
            record.json, AuditOCSF.object(record), syslog, Array(member("MESSAGE", line(record.json)).utf8),
            Array(#"{"MESSAGE":null}"#.utf8), Array("a plain text \u{2014} of no use".utf8), Array("{}".utf8),
            Array(#"Nov 30 08:00:00 host nginx: request: "GET /{"id":" HTTP/1.1", host: "www.example.com""#.utf8),
            Array(#"Nov 30 08:00:00 host app[7]: sent {"id":"5"} to peer"#.utf8),
        ]
        for line in lines {
            let kept = AuditKeptNotes(line + [0x0A])
            #expect(kept.notes == [] && kept.malformedLines == [], "\(String(decoding: line, as: UTF8.self))")
        }
    }

    private func syslogLine(_ note: AuditNote) -> String {
        "2026-11-21T07:00:00 host " + String(decoding: SyslogMessage().bytes(of: .note(note)), as: UTF8.self) + "\n"
    }

    @Test func `notes are read from whatever they were kept in`() {
        let event = line(chain[0].json)
        let files = [
            notes.map(\.text).joined(), notes.map(\.text).joined(separator: "\n"), notes.map { line($0.json) }.joined(),
            event + notes.map { line($0.json) }.joined(separator: event) + event,
            "{\"level\":\"info\",\"message\":\"ready\"}\n" + notes.map(logLine).joined() + "plain words\n",
            notes.map(syslogLine).joined(), line(notes[0].json) + notes[1].text + logLine(notes[2]),
        ]
        for file in files {
            let kept = AuditKeptNotes(file.utf8)
            #expect(kept.notes == notes && kept.malformedLines == [], "\(file)")
        }
    }

    @Test func `a last line that was not finished is read as far as it goes`() {
        let kept = AuditKeptNotes(
            (line(notes[0].json) + String(decoding: notes[2].json.dropLast(9), as: UTF8.self)).utf8)
        #expect(kept.notes == [notes[0]] && kept.malformedLines == [2])
    }

    @Test func `what should be a note and is none is told by its line`() {
        let kept = AuditKeptNotes(
            #"""
            {"checkpoint":{"note":"nonsense"}}
            {"note":7}
            {"cut":
            text
            — key c2ln
            """#.utf8)
        #expect(kept.notes == [] && kept.malformedLines == [1, 2, 3, 4])
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `no mutation of a file of notes traps, or makes a note that verifies`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let file = Array((notes.map(\.text).joined() + notes.map { line($0.json) }.joined()).utf8)
        for _ in 0..<500 {
            var mutated = file
            let position = Int.random(in: 0..<mutated.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: mutated[position] = UInt8.random(in: 0...255, using: &generator)
            case 1: mutated.remove(at: position)
            default: mutated.insert(UInt8.random(in: 0...255, using: &generator), at: position)
            }
            for note in AuditKeptNotes(mutated).notes where note.problem(trusting: [key.verifierKey]) == nil {
                #expect(notes.contains(note))
            }
        }
    }

    private func problems(
        _ records: [AuditRecord], kept: [AuditNote], cuts: [AuditCut] = [], checkpoints: [AuditCheckpoint] = []
    ) -> [Problem] {
        verify(records, checkpoints: checkpoints, cuts: cuts, by: [key.verifierKey], kept: kept).problems
    }

    @Test func `a log that extends what was kept is valid, and the report says how much that was`() {
        let report = verify(chain, by: [key.verifierKey], kept: [notes[0], notes[2]])
        #expect(report.isValid && report.kept == 2 && report.checkpoints == 0)
        #expect(report.json.contains(#""kept_notes":2"#))
    }

    @Test func `an end that is gone with its checkpoints is shown by a checkpoint kept elsewhere`() {
        let rest = Array(chain.prefix(4))
        #expect(problems(rest, kept: []) == [])
        #expect(problems(rest, kept: [notes[2]]) == [Problem(node: "a", sequence: 5, kind: .truncated)])
        #expect(problems([], kept: [notes[0]]) == [Problem(node: "a", sequence: 1, kind: .truncated)])
    }

    @Test func `a chain that was made anew is shown by a checkpoint kept elsewhere`() {
        let other = AuditFixture.chain(6, detail: "other")
        #expect(problems(other, kept: []) == [])
        #expect(
            problems(other, kept: [notes[0]]) == [Problem(node: "a", sequence: 3, kind: .checkpointMismatch)])
    }

    @Test func `two histories that were signed are shown although the events are gone`() throws {
        let other = AuditFixture.chain(6, detail: "other")
        let signed = [
            try AuditFixture.checkpoint(other, at: 3, by: key), try AuditFixture.checkpoint(other, at: 5, by: key),
        ]
        let cut = try AuditFixture.cut(other, through: 5, by: key)
        let rest = Array(other.dropFirst(5))
        #expect(problems(rest, kept: [], cuts: [cut], checkpoints: signed) == [])
        #expect(
            problems(rest, kept: [notes[0]], cuts: [cut], checkpoints: signed)
                == [Problem(node: "a", sequence: 3, kind: .checkpointMismatch)])
    }

    @Test func `a cut that was kept elsewhere proves itself`() {
        let rest = Array(chain.dropFirst(3))
        #expect(problems(rest, kept: [notes[0]]) == [Problem(node: "a", sequence: 1, kind: .missing)])
        #expect(problems(rest, kept: [notes[0], notes[1]]) == [])
    }

    @Test func `a kept note by a key that is not trusted is told`() throws {
        let stranger = try AuditFixture.checkpoint(chain, at: 3, by: try AuditFixture.key(byte: 8))
        #expect(
            problems(chain, kept: [.checkpoint(stranger)])
                == [Problem(node: "a", sequence: 3, kind: .checkpointUnknownKey)])
    }

    @Test func `a bad checkpoint that is in the log and was kept as well is one problem`() throws {
        let stranger = try AuditFixture.checkpoint(chain, at: 3, by: try AuditFixture.key(byte: 8))
        let kept: [AuditNote] = [.checkpoint(stranger), .checkpoint(stranger), notes[2]]
        let report = verify(chain, checkpoints: [stranger], by: [key.verifierKey], kept: kept)
        #expect(report.problems == [Problem(node: "a", sequence: 3, kind: .checkpointUnknownKey)])
        #expect(report.problemCount == 1 && report.kept == 3)
    }
}
