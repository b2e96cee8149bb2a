import Bridge
import OAuth2
import Testing

@Suite struct AuditAccessTests {
    @Test func `a cursor comes back as it went out`() {
        let cursor = AuditCursor(at: AuditFixture.start, node: "a b~,", sequence: 12)
        #expect(AuditCursor(text: cursor.text) == cursor)
    }

    @Test(arguments: ["", "x", "!", "MSAy", "YSAxIG4", "MSB4IG4"])
    func `a text that is no cursor is none`(_ text: String) {
        #expect(AuditCursor(text: text) == nil)
    }

    @Test func `a position comes back as it went out, whatever nodes are called`() {
        let position = AuditPosition(sequences: ["demo": 3, "a~b,c": 0, "ü%": 9])
        #expect(AuditPosition(position.text) == position)
        #expect(position.text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    }

    @Test(
        arguments: [
            "", "demo", "demo~x", "~1", "demo~-1", "a~1,a~2", "a~1,,b~2", "%zz~1", "a!hash5678~1", "a~1,a!hash5678~2",
            "a~1,a!hash5678~0", "a~1,a!hash567~1", "a~1,a!hash567.~1", "a~1,a!hash56789~1", "a~1,a!~1",
            "a~1,!hash5678~1", "a~1,a!hash5678!hash5678~1", "a~1,a!hash5678~1,a!hash6789~1",
        ])
    func `a text that is no position is none`(_ text: String) {
        #expect(AuditPosition(text) == nil)
    }

    @Test func `a position has its marks in its text, as chains of other names to a version that knows none`() throws {
        let heads = ["a!b", "demo"].map { AuditChainHead(node: $0, sequence: 7, hash: AuditRecord.genesis) }
        let position = AuditPosition(heads)
        #expect(position.text == "a%21b~7,a%21b!AAAAAAAA~7,demo~7,demo!AAAAAAAA~7")
        #expect(AuditPosition(position.text) == position)
        #expect(position.sequences == ["a!b": 7, "demo": 7])
    }

    @Test func `a position in very many chains leaves out marks rather than be refused`() throws {
        func position(_ nodes: Int) -> AuditPosition {
            AuditPosition(
                (0..<nodes).map { AuditChainHead(node: "bridge-\($0)", sequence: 700_000, hash: AuditRecord.genesis) })
        }
        for nodes in [90, 200] {
            let read = try #require(AuditPosition(position(nodes).text))
            #expect(read.sequences == position(nodes).sequences)
            #expect((read == position(nodes)) == (nodes == 90))
        }
    }

    @Test func `a request id says when the request began, another's does not`() {
        let id = RequestID.make(at: AuditFixture.start, random: .system)
        #expect(RequestID.time(of: id) == AuditFixture.start)
        for other in ["", "abc", "0123456789abcdefghij", String(repeating: "A", count: 20)] {
            #expect(RequestID.time(of: other) == nil)
        }
    }

    @Test func `a record's id leads back to its place`() throws {
        let place = try #require(AuditRecord.place(of: "node-1-42"))
        #expect(place.node == "node-1" && place.sequence == 42)
        for id in ["", "7", "-7", "node-", "node-x", "node-0"] { #expect(AuditRecord.place(of: id) == nil) }
    }

    @Test func `a filter matches as a search would`() {
        let event = AuditFixture.event(1, detail: #"{"actor":"account:Root"}"#)
        let matching: [(inout AuditFilter) -> Void] = [
            { $0.from = event.at }, { $0.type = event.type }, { $0.subject = "alice" }, { $0.clientID = "app" },
            { $0.clientID = "web" }, { $0.network = NetworkPrefix("192.0.2.0/24") }, { $0.address = "192.0.2.1" },
            { $0.text = "AGENT" }, { $0.text = "account:root" }, { $0.requestID = "q1" },
        ]
        let others: [(inout AuditFilter) -> Void] = [
            { $0.to = event.at }, { $0.type = .nodeStarted }, { $0.subject = "bob" }, { $0.clientID = "x" },
            { $0.network = NetworkPrefix("192.0.3.0/24") }, { $0.text = "nowhere" }, { $0.outcome = .failure },
        ]
        func holds(_ set: (inout AuditFilter) -> Void) -> Bool {
            var filter = AuditFilter()
            set(&filter)
            return filter.matches(event)
        }
        #expect(matching.allSatisfy(holds))
        #expect(!others.contains(where: holds))
    }

    @Test(arguments: ["ΟΔΟΣ", "οδος", "Οδοσ"])
    func `a capital sigma is found by either of its small forms`(text: String) {
        var event = AuditFixture.event(1)
        event.userAgent = "Mozilla ΟΔΟΣ"
        var filter = AuditFilter()
        filter.text = text
        #expect(filter.matches(event))
    }

    @Test func `every event becomes an object of the OCSF authentication class`() throws {
        for type: AuditEventType in [.loginTokenRedeemed, .webSessionEnded, .loginTokenIssued, .keyRotated] {
            var event = AuditFixture.event(1)
            event.type = type
            let record = AuditRecord(chaining: event, node: "a", sequence: 1, previousHash: AuditRecord.genesis)
            let object = try #require(JSONValue.parse(AuditOCSF.object(record))?.object)
            let activity = try #require(object["activity_id"]?.integer)
            #expect(object["class_uid"]?.integer == 3002)
            #expect(object["type_uid"]?.integer == 300_200 + activity)
            #expect(object["metadata"]?.object?["uid"]?.string == "a-1")
            #expect(object["user"]?.object?["uid"]?.string == "alice")
            #expect(object["time"]?.integer == event.at.milliseconds)
        }
    }
}
