import Bridge
import Testing

@testable import SQLStorage

@Suite struct AuditSearchPlanTests {
    private static let now = Timestamp(milliseconds: 1_763_708_400_123)

    /// What no segment's index is asked for, or not yet.
    private static let filters: [(String, String, @Sendable (inout AuditFilter) -> Void)] = [
        ("nothing", "audit_event_time", { _ in }),
        ("time", "audit_event_time", { $0.from = now }),
        ("subject", "audit_event_time", { $0.subject = "alice" }),
        ("address", "audit_event_time", { $0.address = "192.0.2.1" }),
        ("session", "audit_event_time", { $0.sessionID = "s" }),
        ("token", "audit_event_time", { $0.tokenID = "t" }),
        ("rare type", "audit_event_time", { $0.type = .loginTokenReplayed }),
        ("everyday type", "audit_event_time", { $0.type = .loginTokenIssued }),
        ("request", "audit_event_time", { $0.requestID = RequestID.make(at: now, random: .system) }),
        ("text", "audit_event_time", { $0.text = "x" }),
        ("network", "audit_event_time", { $0.network = NetworkPrefix("192.0.2.0/24") }),
        ("reason", "audit_event_time", { $0.reason = "x" }),
    ]

    @Test(arguments: filters.map(\.0))
    func `a search is answered by an index and never sorts`(_ name: String) async throws {
        let (_, index, set) = try #require(Self.filters.first { $0.0 == name })
        var filter = AuditFilter()
        set(&filter)
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let cursor = AuditCursor(at: Self.now, node: "n", sequence: 7)
            let (statement, arguments) = AuditSearch(filter, dialect: storage.dialect)
                .statement(before: cursor, limit: 51)
            let plan = try await storage.read { session in
                try session.run(
                    SQLStatement("EXPLAIN QUERY PLAN " + statement.text, isRecurring: false), arguments
                ).map { try $0.text(3) }
            }.joined(separator: "\n")
            #expect(plan.contains(index), "\(plan)")
            #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
        }
    }

    @Test func `a request's events are looked for around the time in its id`() {
        var filter = AuditFilter()
        filter.requestID = RequestID.make(at: Self.now, random: .system)
        let (statement, arguments) = AuditSearch(filter, dialect: .postgres).statement(before: nil, limit: 1)
        #expect(statement.text.contains("at >= $1 AND at < $2"))
        #expect(arguments[0] == SQLValue(Self.now - .seconds(60)))
    }

    @Test(arguments: [1, 2, 3, 7, 100])
    func `what no index finds is found window by window, each event once`(window: Int) async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try await storage.append(
                (0..<20).map { number in
                    var event = AuditEvent(
                        at: Self.now + .milliseconds(number / 3), type: .loginTokenIssued, outcome: .success,
                        reason: number % 4 == 0 ? "wanted" : "other")
                    event.address = "192.0.2.\(number)"
                    return event
                })
            for (set, want) in [
                ({ $0.reason = "wanted" }, [17, 13, 9, 5, 1]),
                ({ $0.network = NetworkPrefix("192.0.2.8/30") }, [12, 11, 10, 9]),
                ({ $0.text = "WANT" }, [17, 13, 9, 5, 1]), ({ $0.reason = "absent" }, []),
            ] as [((inout AuditFilter) -> Void, [Int64])] {
                var filter = AuditFilter()
                set(&filter)
                var search = AuditSearch(filter, dialect: storage.dialect)
                search.window = window
                search.patience = .zero
                var found: [Int64] = []
                var cursor: AuditCursor?
                repeat {
                    let page = try await storage.read { [search, cursor] session in
                        try search.page(before: cursor, limit: 2, in: session)
                    }
                    #expect(page.records.count <= 2)
                    found += page.records.map(\.sequence)
                    cursor = page.next
                } while cursor != nil
                #expect(found == want)
            }
        }
    }
}
