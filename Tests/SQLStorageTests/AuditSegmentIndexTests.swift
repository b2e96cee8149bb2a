import Bridge
import OAuth2
import Testing

@testable import SQLStorage

/// A sealed segment's index by itself: what is in it, and what making it and reading by it costs.
@Suite struct AuditSegmentIndexTests {
    @Test func `no turn of sealing writes more than a tenth of a megabyte, whatever is in the events`() async throws {
        try await TemporaryDatabase.with { database in
            try await database.open(node: "n").append(
                (0..<Int(AuditSegment.size)).map { number in
                    // All of one user and one address, as behind a gateway: the largest piece there can be.
                    AuditStore.event(number, at: Timestamp(milliseconds: 1_763_708_400_123))
                })
            let meter = TransactionMeter()
            let engine = try SQLiteEngine(
                path: database.path, lock: NodeLock(databasePath: database.path, node: "other"))
            let storage = DurableStorage(
                engine: MeteredEngine(engine, meter), auditor: .sample(node: "n"), time: .system)
            #expect(try await storage.sealAudit(at: TimeSource.system.now(), size: AuditSegment.size))
            try await storage.close()
            let sealed = meter.transactions.filter { $0.statements.contains { $0.contains("audit_index") } }
            #expect(sealed.count > 4)
            #expect(sealed.allSatisfy { $0.bytes < 100_000 }, "\(sealed.map(\.bytes))")
            #expect(sealed.contains { $0.bytes > 65_000 })
        }
    }

    @Test func `a search by the index reads events by their key alone`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open(node: "n")
            try await storage.append(AuditSealingTests.events(20, at: Timestamp(milliseconds: 1_763_708_400_123)))
            var filter = AuditFilter()
            filter.subject = "user-1"
            let plans = try await storage.read { [filter] session in
                let search = AuditSearch(filter, dialect: storage.dialect)
                let key = try #require(search.key)
                let open = try #require(try AuditOpenRanges(session, limit: 100))
                let byIndex = AuditSegmentSearch(search: search, key: key, open: open, session: session)
                return try open.parts.map { part in
                    let call = byIndex.call(for: part, before: nil, 51)
                    return try session.run(
                        SQLStatement("EXPLAIN QUERY PLAN " + call.statement.text, isRecurring: false), call.arguments
                    ).map { try $0.text(3) }.joined(separator: "\n")
                }
            }
            #expect(plans.count == 2)
            for plan in plans { #expect(plan.contains("USING PRIMARY KEY (node=? AND sequence"), "\(plan)") }
        }
    }

    @Test func `a value's entries are found among others', and nothing else is`() {
        let rows = (0..<200).map { number in
            SQLRow(values: [
                .integer(1000 + Int64(number)), .integer(Int64(number)), .text("t\(number)"), .null,
                .text("user-\(number % 3)"), .text("login_token.issued"), .foreign(.blob([1])),
            ])
        }
        let index = AuditSegmentIndex(first: 990, rows)
        #expect(index.oldest == 0 && index.newest == 199)
        func found(_ field: AuditField, _ value: String) -> [Int64] {
            let place = AuditSegmentIndex.Place(of: value)
            return index.pieces.filter { $0.field == field && $0.bucket == place.bucket }
                .flatMap { AuditSegmentIndex.sequences(of: place.tag, in: $0.entries, first: 990) }
        }
        for number in 0..<200 { #expect(found(.token, "t\(number)") == [1000 + Int64(number)]) }
        #expect(found(.subject, "user-1") == Array(stride(from: Int64(1001), to: 1200, by: 3)))
        #expect(found(.token, "t200").isEmpty)
        #expect(Set(index.pieces.map(\.field)) == [.token, .subject])
        #expect(AuditSegmentIndex.sequences(of: "AAAA", in: "AAAA!!!!AAAAAAABAAA", first: 5) == [6])
    }
}
