import Bridge
import Foundation
import Logging
import Synchronization
import Testing

@testable import drawbridge

@Suite struct JSONLogHandlerTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private func logger(_ lines: Lines, level: Logger.Level = .info) -> Logger {
        Logger(label: "test") { label in
            JSONLogHandler(label: label, level: level, time: TimeSource { Timestamp(seconds: 1_800_000_000) }) { line in
                lines.all.withLock { $0.append(line) }
            }
        }
    }

    @Test func `a message is one line of JSON`() throws {
        let lines = Lines()
        logger(lines).warning("a \"quoted\"\nmessage", metadata: ["count": "2"])
        let line = try #require(lines.all.withLock { $0.first })
        #expect(
            line == #"{"time":"2027-01-15T08:00:00.000Z","level":"warning","logger":"test","#
                + #""message":"a \"quoted\"\nmessage","count":"2"}"# + "\n")
    }

    @Test(arguments: [JSONLogHandler.Form.json, .words])
    func `what a terminal obeys is escaped, the upper control characters too`(_ form: JSONLogHandler.Form) throws {
        let lines = Lines()
        let logger = Logger(label: "test") { label in
            JSONLogHandler(label: label, level: .info, form: form) { line in lines.all.withLock { $0.append(line) } }
        }
        logger.info("a\u{9B}2Kb", metadata: ["path": "c\u{85}d\u{202E}e\u{1B}f"])
        let line = try #require(lines.all.withLock { $0.first })
        #expect(!line.dropLast().unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(line.contains(#"a\u009b2Kb"#) && line.contains(#"c\u0085d\u202ee\u001bf"#), "\(line)")
    }

    @Test func `what is less important than the level is not written`() {
        let lines = Lines()
        logger(lines, level: .notice).info("quiet")
        #expect(lines.all.withLock { $0.isEmpty })
    }

    @Test func `a secret that strayed into a message is blotted out`() {
        let lines = Lines()
        let secret = OpaqueSecret.make(.webSession, random: .system).expose()
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"
        logger(lines).error("cookie \(secret) and", metadata: ["header": "Bearer \(token)"])
        let text = lines.all.withLock { $0.joined() }
        #expect(!text.contains(secret) && !text.contains(token))
        #expect(text.contains("cookie [redacted] and") && text.contains("Bearer [redacted]"))
    }

    @Test func `a signed note is written whole, even where its signature looks like a secret`() throws {
        let lines = Lines()
        let text = "host/drawbridge/n\n1\n\(String(repeating: "A", count: 43))=\ntime 2027-01-15T08:00:00.000Z\n"
        let note = text + "\n\u{2014} host/drawbridge abc/eyJhbGciOiJIUzI1NiJ9AAAAAAAA\n"
        #expect(AuditNote(note: note) != nil && SecretRedactor.redact(note) != note)
        logger(lines).notice("audit checkpoint", metadata: ["note": "\(note)", "other": "\(note)"])
        let line = try #require(lines.all.withLock { $0.first })
        #expect(AuditKeptNotes(line.utf8).notes.map(\.text) == [note])
        #expect(line.contains("[redacted]"), "only what is called a note and is one is spared")
    }

    @Test func `a secret called a note is blotted out`() {
        let lines = Lines()
        let secret = OpaqueSecret.make(.webSession, random: .system).expose()
        logger(lines).notice("text", metadata: ["note": "\(secret)"])
        #expect(lines.all.withLock { $0.joined() }.contains("[redacted]"))
    }

    @Test(arguments: ["dbs_short", "eyJ", "a dbs_ b", "Grüße", "adbs_aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"])
    func `ordinary text stays as it is`(_ text: String) {
        #expect(SecretRedactor.redact(text) == text)
    }
}
