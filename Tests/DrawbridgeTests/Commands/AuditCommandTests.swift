import ArgumentParser
import Bridge
import Testing

@testable import drawbridge

/// What `drawbridge audit` asks for and prints.
@Suite struct AuditCommandTests {
    private let at = Timestamp(seconds: 1_795_356_000)

    @Test func `every option of a search is a condition`() throws {
        let filter = try AuditFilterOptions.parse([
            "--from", "2026-11-21T00:00:00Z", "--to", "2026-11-22T00:00:00Z", "--type", "login_token.redeemed",
            "--outcome", "failure", "--reason", "expired", "--sub", "alice", "--client", "app", "--sid", "s",
            "--token", "t", "--ip", "192.0.2.7", "--request", "r", "--text", "curl",
        ]).filter()
        var expected = AuditFilter(type: .loginTokenRedeemed)
        expected.from = Timestamp(rfc3339: "2026-11-21T00:00:00Z")
        expected.to = Timestamp(rfc3339: "2026-11-22T00:00:00Z")
        expected.outcome = .failure
        expected.reason = "expired"
        expected.subject = "alice"
        expected.clientID = "app"
        expected.sessionID = SessionID(rawValue: "s")
        expected.tokenID = "t"
        expected.address = "192.0.2.7"
        expected.requestID = "r"
        expected.text = "curl"
        #expect(filter == expected)
        #expect(try AuditFilterOptions.parse([]).filter() == AuditFilter())
    }

    @Test func `a text that is longer than any is refused before the database refuses it`() throws {
        func filter(_ length: Int) throws -> AuditFilter {
            try AuditFilterOptions.parse(["--text", String(repeating: "x", count: length)]).filter()
        }
        #expect(try filter(1024).text?.count == 1024)
        let failure = #expect(throws: ValidationError.self) { try filter(1025) }
        #expect(failure?.message == "--text must be at most 1024 bytes.")
    }

    @Test func `an address is looked for as the API does, and so is a network`() throws {
        func filter(_ text: String) throws -> AuditFilter { try AuditFilterOptions.parse(["--ip", text]).filter() }
        #expect(try filter("2001:DB8:0::7").address == "2001:db8::7")
        #expect(try filter("192.0.2.7/32").address == "192.0.2.7")
        let network = try filter("192.0.2.7/24")
        #expect(network.address == nil && network.network == NetworkPrefix("192.0.2.0/24"))
    }

    @Test(
        arguments: [
            ["--from", "yesterday"], ["--to", "2026-11-21"], ["--outcome", "maybe"], ["--ip", "192.0.2"],
            ["--ip", "192.0.2.0/33"], ["--ip", "somewhere"],
        ])
    func `a condition that means nothing is refused by the option's name`(_ words: [String]) throws {
        let options = try AuditFilterOptions.parse(words)
        let failure = #expect(throws: ValidationError.self) { try options.filter() }
        #expect(failure?.message.hasPrefix(words[0]) == true)
    }

    @Test(arguments: [0, -1, 501, 100_000])
    func `a number that no page holds is refused, by a search and by a tail`(_ number: Int) {
        for (command, option) in [("search", "--limit"), ("tail", "--number")] {
            let failure = #expect(throws: (any Error).self) {
                try AuditCommand.parseAsRoot([command, "\(option)=\(number)"])
            }
            let told = failure.map { AuditCommand.message(for: $0) } ?? ""
            #expect(told.contains("\(option) must be 1 to 500."))
        }
    }

    @Test func `a format that there is none of is refused with the list of those that an export has`() throws {
        let failure = #expect(throws: (any Error).self) {
            try AuditCommand.parseAsRoot(["export", "--format", "nope"])
        }
        let told = failure.map { AuditCommand.message(for: $0) } ?? ""
        for format in AuditExport.Format.allCases { #expect(told.contains("'\(format.rawValue)'"), "\(told)") }
    }

    @Test func `a type that there is none of is refused with the list of those there are`() throws {
        let options = try AuditFilterOptions.parse(["--type", "login_token.redemed"])
        let failure = try #require(throws: ValidationError.self) { try options.filter() }
        #expect(failure.message.hasPrefix("--type names no type of event: did you mean login_token.redeemed?"))
        for type in AuditEventType.all { #expect(failure.message.contains("\n  \(type.rawValue)\n")) }
    }

    @Test func `a line has the time, the id, what happened and every fact`() {
        var event = AuditEvent(
            at: at, type: .loginTokenRefused, outcome: .failure, reason: "expired", subject: "alice", clientID: "app",
            targetClientID: "web", tokenID: "t")
        event.address = "192.0.2.7"
        let record = AuditRecord(chaining: event, node: "n", sequence: 4, previousHash: AuditRecord.genesis)
        #expect(
            AuditLine.text(of: record)
                == "2026-11-22T14:00:00.000Z n-4 login_token.refused failure reason=expired sub=alice client=app "
                + "target=web token=t ip=192.0.2.7")
    }

    @Test func `what somebody else wrote cannot move the cursor of a terminal`() {
        let event = AuditEvent(
            at: at, type: .userSignInFailed, outcome: .failure, subject: "a\u{1B}[2K\r\u{202E}b\u{2028}")
        let record = AuditRecord(chaining: event, node: "n", sequence: 1, previousHash: AuditRecord.genesis)
        let line = AuditLine.text(of: record)
        #expect(line.hasSuffix("sub=a\u{FFFD}[2K\u{FFFD}\u{FFFD}b\u{FFFD}"))
        let damage = AuditEntry.damaged(AuditDamage(.event, node: "n\u{7}", sequence: 2, field: "type"))
        #expect(AuditLine.text(of: damage).hasPrefix("- n\u{FFFD}-2 damaged - "))
    }

    @Test func `each format has its line, and CSV a header`() {
        let event = AuditEvent(at: at, type: .nodeStarted, outcome: .success)
        let entry = AuditEntry.intact(
            AuditRecord(chaining: event, node: "n", sequence: 1, previousHash: AuditRecord.genesis))
        #expect(AuditCommand.Format.allCases.map(\.header.isEmpty) == [true, true, false])
        for format in AuditCommand.Format.allCases {
            #expect(format.line(entry).last?.isNewline == true)
            #expect(format.line(entry).contains("node.started"))
        }
        #expect(AuditCommand.Format.jsonl.line(entry).hasPrefix("{"))
    }
}
