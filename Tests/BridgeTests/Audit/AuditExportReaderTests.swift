import Bridge
import Foundation
import OAuth2
import Testing
import TestSupport

/// What the lines of an export are that comes in pieces.
func lines(_ bytes: [UInt8], pieces: Int = 1 << 20) -> [Result<AuditExportReader.Entry, AuditExportReader.Problem>] {
    var reader = AuditExportReader()
    var found: [Result<AuditExportReader.Entry, AuditExportReader.Problem>] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        reader.take(rest.prefix(pieces)) { found.append($0) }
        rest = rest.dropFirst(pieces)
    }
    if let problem = reader.finish() { found.append(.failure(problem)) }
    return found
}

/// The entries of an export whose every line can be read.
func entries(_ bytes: [UInt8], pieces: Int = 1 << 20) throws(AuditExportReader.Problem)
    -> [AuditExportReader.Entry]
{
    var found: [AuditExportReader.Entry] = []
    for line in lines(bytes, pieces: pieces) { found.append(try line.get()) }
    return found
}

/// The first line that cannot be read and why, wherever its place is; `nil` when there is none.
func reason(_ text: String) -> AuditExportReader.Problem? {
    do {
        _ = try entries(Array(text.utf8))
        return nil
    } catch {
        return AuditExportReader.Problem(line: error.line, reason: error.reason)
    }
}

@Suite struct AuditExportReaderTests {
    private let line = String(decoding: AuditFixture.chain(1)[0].json, as: UTF8.self)

    @Test func `an empty export has no entries`() throws {
        #expect(try entries([]).isEmpty)
    }

    @Test func `a last line without its end is told`() {
        #expect(reason(line) == .init(line: 1, reason: .unfinished))
        #expect(reason(line + "\n" + line.dropLast(9)) == .init(line: 2, reason: .unfinished))
    }

    @Test(arguments: ["", "[]", "null", "{", "{}x", #"{"a":1,"a":1}"#, #"{"a":{"b":{"c":1}}}"#])
    func `a line that is no object is told`(text: String) {
        #expect(reason(line + "\n" + text + "\n") == .init(line: 2, reason: .notAnObject))
    }

    @Test(arguments: [97, 1 << 20, 1 << 21])
    func `lines that cannot be read keep none behind them from being read`(pieces: Int) {
        let chain = AuditFixture.chain(3)
        let long = Array(repeating: UInt8(ascii: "x"), count: AuditExportReader.maximumLineLength + 1)
        let read = [
            chain[0].json, Array("no event".utf8), [], long, chain[1].json, Array(#"{"node":"a","sequence":7}"#.utf8),
            chain[2].json, Array("{".utf8),
        ]
        let found = lines(Array(read.joined(separator: [0x0A])), pieces: pieces)
        #expect(found.compactMap { try? $0.get() } == chain.map { AuditExportReader.Entry.event($0) })
        let problems: [AuditExportReader.Problem] = found.compactMap {
            if case .failure(let problem) = $0 { problem } else { nil }
        }
        #expect(problems.map(\.line) == [2, 3, 4, 6, 8])
        #expect(problems.map(\.reason) == [.notAnObject, .notAnObject, .tooLong, .field("at"), .unfinished])
        #expect(problems.map(\.place.node) == [nil, nil, nil, "a", nil])
        #expect(problems.map(\.place.sequence) == [nil, nil, nil, 7, nil])
    }

    @Test func `a line that is too long is told before it is read to its end`() {
        let text = String(repeating: "x", count: AuditExportReader.maximumLineLength + 1)
        #expect(reason(text) == .init(line: 1, reason: .tooLong))
    }

    @Test(arguments: [
        ("\"at\":\"", "\"at\":\"x", "at"), ("\"sequence\":1", "\"sequence\":0", "sequence"),
        ("\"sequence\":1", "\"sequence\":1.0", "sequence"), ("\"sequence\":1", "\"sequence\":\"1\"", "sequence"),
        ("\"outcome\":\"success\"", "\"outcome\":\"maybe\"", "outcome"), ("\"sub\":\"alice\"", "\"sub\":7", "sub"),
        ("\"node\":\"a\"", "\"node\":null", "node"), ("\"id\":\"a-1\"", "\"id\":\"a-2\"", "id"),
        ("\"id\":", "\"more\":1,\"id\":", "more"), ("\"type\":", "\"kind\":", "type"),
        ("\"hash\":", "\"hashes\":", "hash"),
    ])
    func `a bad member is named`(part: String, replacement: String, field: String) {
        let text = line.replacing(part, with: replacement, maxReplacements: 1)
        #expect(reason(text + "\n") == .init(line: 1, reason: .field(field)))
    }

    @Test(arguments: [
        (#""size":1"#, #""size":0"#, "size"), (#""size":1"#, #""size":"1""#, "size"),
        (#""node":"a""#, #""node":1"#, "node"),
        (#""at":""#, #""at":"x"#, "at"), (#""note":"#, #""more":1,"note":"#, "more"), (#""hash":"#, #""h":"#, "hash"),
    ])
    func `a bad member of a checkpoint is named`(part: String, replacement: String, field: String) throws {
        let chain = AuditFixture.chain(1)
        let checkpoint = try AuditFixture.checkpoint(chain, at: 1, by: try AuditFixture.key())
        let text = String(decoding: checkpoint.json, as: UTF8.self)
        #expect(try entries(Array((text + "\n").utf8)) == [.checkpoint(checkpoint)])
        let bad = text.replacing(part, with: replacement, maxReplacements: 1)
        #expect(reason(bad + "\n") == .init(line: 1, reason: .field(field)))
    }

    @Test func `a problem says where, and quotes no value`() {
        let text = line.replacing("\"alice\"", with: "[\"secret\"]")
        #expect(reason(text + "\n")?.description == #"line 1: "sub" is missing, malformed or unknown"#)
    }

    @Test func `a null member may be absent`() throws {
        let event = AuditEvent(at: Timestamp(milliseconds: 1), type: .nodeStarted, outcome: .success)
        let record = AuditRecord(chaining: event, node: "n", sequence: 1, previousHash: AuditRecord.genesis)
        let text = String(decoding: record.json, as: UTF8.self).replacing(#""reason":null,"#, with: "")
        #expect(try entries(Array((text + "\n").utf8)) == [.event(record)])
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `a line in the form of an export means what it means in any other form`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        // White space in front is read by the general reader only.
        func bothWays(_ text: [UInt8]) -> (fast: [AuditExportReader.Entry]?, general: [AuditExportReader.Entry]?) {
            (try? entries(text + [0x0A]), try? entries([0x20] + text + [0x0A]))
        }
        // The fast reader leaves lines with escapes to the other one, so there must be lines without.
        for record in AuditFixture.chain(20) + AuditFixture.chain(20, detail: nil) {
            let text = record.json
            #expect(bothWays(text).fast == [.event(record)])
            for _ in 0..<100 {
                var mutated = text
                let position = Int.random(in: 0..<mutated.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: mutated[position] = UInt8.random(in: 0...255, using: &generator)
                case 1: mutated.remove(at: position)
                default: mutated.insert(UInt8.random(in: 0...255, using: &generator), at: position)
                }
                guard !mutated.contains(0x0A) else { continue }
                let (fast, general) = bothWays(mutated)
                #expect(fast == general)
            }
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `no mutation of an export crashes the reader or passes verification`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let key = try AuditFixture.key()
        let chain = AuditFixture.chain(4)
        let checkpoint = try AuditFixture.checkpoint(chain, at: 4, by: key)
        let good = [checkpoint.json] + chain.map(\.json)
        let bytes = Array(good.joined(separator: [0x0A])) + [0x0A]
        let original = Set(try entries(bytes))
        for _ in 0..<400 {
            var mutated = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let position = Int.random(in: 0..<mutated.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: mutated[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                case 1: mutated.remove(at: position)
                case 2: mutated.insert(UInt8.random(in: 0...255, using: &generator), at: position)
                default: mutated.removeSubrange(position..<min(mutated.count, position + 40))
                }
            }
            guard let found = try? entries(mutated), Set(found) != original else { continue }
            var verifier = AuditVerifier(
                checkpoints: found.compactMap {
                    if case .checkpoint(let checkpoint) = $0 { .intact(checkpoint) } else { nil }
                }, terms: AuditVerificationTerms(trusting: [key.verifierKey]))
            for case .event(let record) in found { verifier.take(.intact(record)) }
            // Without its one checkpoint a cut-off end cannot be told; everything else must be.
            let kept = found.contains { if case .checkpoint = $0 { true } else { false } }
            let prefix = found == chain.prefix(found.count).map { .event($0) }
            #expect(!verifier.finish().isValid || (!kept && prefix), "seed \(seed)")
        }
    }
}
