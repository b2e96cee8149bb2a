import Bridge
import Foundation
import OAuth2
import Testing
import TestSupport

@Suite struct SyslogMessageRFC5424Tests {
    private func record(_ change: (inout AuditEvent) -> Void, node: String = "main", sequence: Int64 = 7) -> AuditRecord
    {
        var event = AuditEvent(at: AuditFixture.start, type: .loginTokenRedeemed, outcome: .success)
        change(&event)
        return AuditRecord(chaining: event, node: node, sequence: sequence, previousHash: AuditRecord.genesis)
    }

    private func text(_ record: AuditRecord, enterprise: Int = SyslogMessage.exampleEnterprise) -> String {
        String(decoding: SyslogMessage(enterprise: enterprise).bytes(of: .entry(.intact(record))), as: UTF8.self)
    }

    @Test func `a message has header, structured data and the record as JSON`() {
        let record = record {
            $0.subject = "alice"
            $0.address = "192.0.2.1"
        }
        #expect(
            text(record, enterprise: 9)
                == "<110>1 2027-01-15T08:00:00.123Z main drawbridge - login_token.redeemed "
                + #"[drawbridge@9 id="main-7" outcome="success" sub="alice" ip="192.0.2.1"][meta sequenceId="7"] "#
                + String(decoding: record.json, as: UTF8.self))
    }

    @Test(arguments: [
        (AuditEventType.loginTokenRedeemed, AuditEvent.Outcome.success, 110),
        (.loginTokenRefused, .failure, 108), (.loginTokenReplayed, .failure, 107), (.refreshTokenReused, .failure, 107),
        (.authorizationCodeReused, .failure, 107), (.deviceCodeReused, .failure, 107),
        // A challenge or nonce, not a token: recorded, or refused where the client's document says so.
        (.authorizationRequestReused, .success, 110), (.authorizationRequestReused, .failure, 108),
    ])
    func `the priority tells reuse, failure and success apart`(
        type: AuditEventType, outcome: AuditEvent.Outcome, priority: Int
    ) {
        let record = record {
            $0.type = type
            $0.outcome = outcome
        }
        #expect(text(record).hasPrefix("<\(priority)>1 "))
    }

    @Test(arguments: [
        (#"a"b"#, #"sub="a\"b""#), (#"a]b"#, #"sub="a\]b""#), (#"a\b"#, #"sub="a\\b""#), ("a\nb\u{7F}", #"sub="a?b?""#),
        ("Zoë 王 😀", #"sub="Zoë 王 😀""#), ("", #"sub="""#), (#"]["\"#, #"sub="\][\"\\""#),
    ])
    func `a value cannot leave its place in the structured data`(subject: String, expected: String) {
        let message = text(record { $0.subject = Subject(rawValue: subject) })
        #expect(message.contains(" \(expected)]"), "\(message)")
    }

    @Test func `a long value is cut between characters, and whole in the JSON`() throws {
        let agent = String(repeating: "é", count: 300)
        let message = text(record { $0.subject = Subject(rawValue: agent) })
        #expect(message.contains(#" sub="\#(String(repeating: "é", count: 128))"]"#))
        let json = try #require(message.range(of: "] {").map { message[message.index(before: $0.upperBound)...] })
        #expect(JSONValue.parse(json.utf8)?.object?["sub"]?.string == agent)
    }

    @Test func `the JSON is ASCII and means the record`() throws {
        let record = record {
            $0.userAgent = "Zoë 王 😀\u{2028}\""
            $0.reason = "ü"
        }
        let message = SyslogMessage().bytes(of: .entry(.intact(record)))
        let start = try #require(message.firstIndex(of: UInt8(ascii: "{")))
        #expect(message[start...].allSatisfy { $0 < 0x80 })
        #expect(try entries(Array(message[start...]) + [0x0A]) == [.event(record)])
    }

    @Test(arguments: [("node with space", "node_with_space"), ("", "-"), ("ü", "__")])
    func `a host name is visible ASCII`(node: String, expected: String) {
        #expect(text(record({ _ in }, node: node)).contains("Z \(expected) drawbridge - "))
    }

    @Test(arguments: [(1, 1), (2_147_483_647, 2_147_483_647), (2_147_483_648, 1)] as [(Int64, Int64)])
    func `the sequence id stays in its range`(sequence: Int64, expected: Int64) {
        #expect(text(record({ _ in }, sequence: sequence)).contains("[meta sequenceId=\"\(expected)\"]"))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whatever an event holds, frames are read back whole`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        func randomText() -> String {
            let scalars = (0..<Int.random(in: 0...60, using: &generator)).compactMap { _ in
                Unicode.Scalar(
                    UInt32.random(in: 0...(Bool.random(using: &generator) ? 0x7F : 0x1F600), using: &generator))
            }
            return String(String.UnicodeScalarView(scalars))
        }
        var stream: [UInt8] = []
        var records: [AuditRecord] = []
        for sequence in 1...30 {
            let record = record(
                {
                    $0.subject = Subject(rawValue: randomText())
                    $0.reason = randomText()
                    $0.userAgent = randomText()
                    $0.detail = randomText()
                }, sequence: Int64(sequence))
            records.append(record)
            SyslogMessage().appendFrame(of: .entry(.intact(record)), to: &stream)
        }
        var rest = stream[...]
        for record in records {
            let space = try #require(rest.firstIndex(of: 0x20))
            let count = try #require(Int(String(decoding: rest[..<space], as: UTF8.self)))
            let message = rest[(space + 1)..<(space + 1 + count)]
            rest = rest[(space + 1 + count)...]
            #expect(!message.contains(0x0A))
            let text = String(decoding: message, as: UTF8.self)
            let json = try #require(text.range(of: "] {\"id\":").map { text[$0.lowerBound...].dropFirst(2) })
            #expect(try entries(Array(json.utf8) + [0x0A]) == [.event(record)])
        }
        #expect(rest.isEmpty)
    }
}
