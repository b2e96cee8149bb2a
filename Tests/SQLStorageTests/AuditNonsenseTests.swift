import Bridge
import OAuth2
import StorageConformance
import Synchronization
import Testing

@testable import SQLStorage

/// Everything that SQL can put into any column of the audit log's tables: the log is still read, named what is wrong,
/// and written (contract §8).
struct AuditNonsense: Sendable, CustomTestStringConvertible {
    let table: String
    let columns: [String]
    /// Picks the row that is damaged.
    let row: String
    /// Of the tables that are signed for: whose chain the row belongs to, and where in it; `nil` for what is only
    /// counted.
    let place: (node: String, sequence: Int64)?

    var testDescription: String { table }

    static let tables = [
        AuditNonsense(
            table: "audit_event",
            columns: [
                "node", "sequence", "at", "type", "outcome", "reason", "subject", "client_id", "target_client_id",
                "session_id", "token_id", "address", "user_agent", "request_id", "detail", "previous_hash", "hash",
            ], row: "node = 'n' AND sequence = 7", place: ("n", 7)),
        // The chain's last event, which the next one follows.
        AuditNonsense(
            table: "audit_event", columns: ["node", "sequence", "at", "type", "outcome", "detail", "hash"],
            row: "node = 'n' AND sequence = 9", place: ("n", 9)),
        AuditNonsense(
            table: "audit_checkpoint", columns: ["node", "size", "at", "hash", "note"],
            row: "node = 'n' AND size = 8", place: ("n", 8)),
        AuditNonsense(
            table: "audit_cut", columns: ["node", "through", "note"], row: "node = 'n' AND through = 4",
            place: ("n", 4)),
        AuditNonsense(
            table: "audit_forward",
            columns: ["target", "node", "sequence", "checkpoint_size", "cut_through", "updated_at"],
            row: "target = 'siem' AND node = 'n'", place: nil),
        AuditNonsense(
            table: "audit_tally", columns: ["at", "node", "type", "outcome", "reason", "events"],
            row: "node = 'n' AND type = 'login_token.redeemed'", place: nil),
        AuditNonsense(
            table: "audit_tally_progress", columns: ["node", "sequence"], row: "node = 'n'", place: nil),
        AuditNonsense(
            table: "state_sample", columns: ["name", "at", "value"], row: "name = 'web_sessions'", place: nil),
    ]

    /// What SQLite stores in any column; a conversion that the column's type makes of it is as good.
    static let anything = [
        "NULL", "'nonsense'", "''", "'12abc'", "hex(zeroblob(70000))", "x'00ff80'", "x''", "x'6e'", "1.5", "1e300",
        "-1e300", "-1", "0", "9223372036854775807", "-9223372036854775808", "4503599627370497", "4503599627370496",
        "-62167219200001", "253402300800000", "CAST(x'ff6e' AS TEXT)", "CAST(x'6e0062' AS TEXT)",
        "char(8232, 27, 65533, 128512)",
    ]
    static let texts = ["NULL", "'nonsense'", "''", "repeat('x', 140000)", "chr(8232) || chr(27) || chr(128512)"]
    static let numbers = [
        "NULL", "-1", "0", "9223372036854775807", "-9223372036854775808", "4503599627370497", "4503599627370496",
        "-62167219200001", "253402300800000",
    ]

    fileprivate static let all = Set(tables.map(\.table))
}

@Suite struct AuditNonsenseTests {
    private static let day = Duration.seconds(86_400)

    /// A chain of eight events whose first four were cut, everything counted and half of it forwarded.
    private func prepare(_ store: AuditStore) async throws {
        for _ in 0..<2 {
            try await store.live("n", events: 4)
            store.clock.advance(Self.day)
        }
        let storage = try await store.open("n")
        let retention = Self.day * 2 - .seconds(7200)
        #expect(try await storage.purgeAudit(olderThan: retention, at: store.clock.now).removed == 4)
        #expect(try await !storage.advanceTally(limit: 100).isEmpty)
        try await storage.record(StateSample(at: store.clock.now, name: .webSessions, value: 3))
        try await storage.noteForwarded(
            to: "siem", node: "n",
            through: AuditForwardPosition(sequence: 6, notes: AuditNotePosition(checkpoint: 4, cut: 4)),
            at: store.clock.now)
        try await storage.close()
        for table in AuditNonsense.all {
            try store.run(SQLStatement("CREATE TABLE kept_\(table) AS SELECT * FROM \(table)"))
        }
    }

    private func restore(_ store: AuditStore) throws {
        for table in AuditNonsense.all {
            try store.run(SQLStatement("DELETE FROM \(table)"))
            try store.run(SQLStatement("INSERT INTO \(table) SELECT * FROM kept_\(table)"))
        }
    }

    @Test(arguments: AuditStore.engines, AuditNonsense.tables)
    func `whatever stands in a column, the log is read and written`(
        _ engine: AuditStore.Engine, _ nonsense: AuditNonsense
    ) async throws {
        try await AuditStore.with(engine) { store in
            try await prepare(store)
            let reader = try await store.open("reader")
            #expect(try await store.verify(reader).isValid)
            var tried = 0
            for column in nonsense.columns {
                for value in try values(for: column, of: nonsense.table, store) {
                    let change = "UPDATE \(nonsense.table) SET \(column) = \(value) WHERE \(nonsense.row)"
                    // What the column does not take, nobody can put there.
                    guard (try? store.run(SQLStatement(change))) != nil else { continue }
                    tried += 1
                    try await check(nonsense, reader, store, Comment(rawValue: "\(column) = \(value)"))
                    try restore(store)
                }
            }
            #expect(tried >= nonsense.columns.count * 3)
        }
    }

    private func values(for column: String, of table: String, _ store: AuditStore) throws -> [String] {
        guard store.engine == .postgres else { return AuditNonsense.anything }
        let type = try store.run(
            SQLStatement(
                """
                SELECT CAST(data_type AS TEXT) FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name = '\(table)' AND column_name = '\(column)'
                """)
        ).first?.text(0)
        return type == "bigint" ? AuditNonsense.numbers : AuditNonsense.texts
    }

    private func check(
        _ nonsense: AuditNonsense, _ reader: DurableStorage, _ store: AuditStore, _ comment: Comment
    ) async throws {
        let report = try await store.verify(reader)
        if let place = nonsense.place {
            #expect(!report.isValid, comment)
            let isNamed = report.problems.contains { $0.node == place.node && $0.sequence == place.sequence }
            let isStray = report.problems.contains {
                [.unreadable, .checkpointMalformed, .cutMalformed].contains($0.kind)
            }
            #expect(isNamed || isStray, "\(comment) \(report.problems)")
        } else {
            #expect(report.isValid, comment)
        }
        try await checkSearch(reader, store, comment)
        try await checkExports(reader, report, comment)
        _ = try await reader.tallies(from: .earliest, to: .latest)
        _ = try await reader.samples(.webSessions, from: .earliest, to: .latest)
        try await checkForwarding(reader, comment)
        try await checkWriting(store, reader, comment)
    }

    /// Every row is on exactly one page, as an event or as something that cannot be read.
    private func checkSearch(_ reader: DurableStorage, _ store: AuditStore, _ comment: Comment) async throws {
        let count = try #require(try store.run("SELECT count(*) FROM audit_event").first).integer(0)
        for limit in [2, 500] {
            var found: [AuditEntry] = []
            var cursor: AuditCursor?
            var pages = 0
            repeat {
                let page = try await reader.search(AuditFilter(), before: cursor, limit: limit)
                found += page.entries
                cursor = page.next.flatMap { AuditCursor(text: $0.text) }
                #expect(cursor == page.next, comment)
                pages += 1
            } while cursor != nil && pages < 50
            let intact = found.compactMap(\.value)
            #expect(pages < 50 && Set(intact).count == intact.count, comment)
            #expect(intact.count + Set(found.compactMap(\.damage)).count == Int(count), "\(comment) limit \(limit)")
        }
        for text in ["alice", "ÄLICE"] {
            var filter = AuditFilter()
            filter.text = text
            _ = try await reader.search(filter, before: nil, limit: 10)
        }
        var filter = AuditFilter(type: .loginTokenRedeemed)
        filter.network = NetworkPrefix("192.0.2.0/24")
        filter.subject = "alice"
        _ = try await reader.search(filter, before: nil, limit: 10)
    }

    private func checkExports(
        _ reader: DurableStorage, _ report: AuditVerificationReport, _ comment: Comment
    ) async throws {
        var outputs: [AuditExport.Format: [UInt8]] = [:]
        for format in AuditExport.Format.allCases {
            let output = Mutex<[UInt8]>([])
            try await AuditExport(reader).write(matching: AuditFilter(), as: format) { bytes in
                output.withLock { $0 += bytes }
            }
            try await AuditExport(reader).write(matching: AuditFilter(), upTo: .max, as: format) { bytes in
                #expect(!bytes.isEmpty, comment)
            }
            outputs[format] = output.withLock { $0 }
        }
        var lines = AuditExportReader()
        var events = 0
        lines.take((outputs[.jsonLines] ?? [])[...]) { line in
            switch line {
            case .success(.event): events += 1
            case .success(.damaged(let damage)) where damage.part == .event: events += 1
            case .success(.checkpoint), .success(.cut), .success(.damaged): break
            case .failure(let problem): Issue.record("\(comment): \(problem)")
            }
        }
        #expect(lines.finish() == nil, comment)
        let ocsf = (outputs[.ocsf] ?? []).split(separator: 0x0A)
        for line in ocsf {
            let members = try #require(JSONValue.parse(bytes: Array(line))?.object, comment)
            #expect(members["class_uid"]?.integer != nil && members["time"]?.integer != nil, comment)
        }
        #expect(ocsf.count == events, comment)
        let table = CSVReader.records(outputs[.csv] ?? [])
        #expect(table.count == events + 1 && table.allSatisfy { $0 == 18 }, comment)
    }

    private func checkForwarding(_ reader: DurableStorage, _ comment: Comment) async throws {
        let positions = try await reader.forwardedPositions(to: "siem")
        let receiver = CountingReceiver()
        try await AuditForwarder(
            nodes: ["n"], start: .beginning, log: reader, cursors: FixedCursors(positions: positions),
            status: AuditForwardStatus(target: "siem"), time: .system
        ).forward(over: receiver) { false }
        #expect(receiver.count > 0, comment)
    }

    /// The node comes back, writes, counts, forwards and purges as if nothing were.
    private func checkWriting(_ store: AuditStore, _ reader: DurableStorage, _ comment: Comment) async throws {
        let storage = try await store.open("n")
        try await storage.append([AuditStore.event(1, at: store.clock.now)])
        try await storage.append([AuditStore.event(2, at: store.clock.now)])
        let head = try #require(try await storage.chains().first { $0.node == "n" }, comment)
        let last = try #require(try await storage.records(of: "n", in: head.sequence...head.sequence, limit: 1).first)
        #expect(last.event.reason == "r2" && last.isIntact, comment)
        // The first call may only mend what stands in its way.
        _ = try await storage.advanceTally(limit: 100)
        _ = try await storage.advanceTally(limit: 100)
        #expect(try await storage.advanceTally(limit: 100) == [], comment)
        try await storage.noteForwarded(
            to: "siem", node: "n", through: AuditForwardPosition(sequence: head.sequence), at: store.clock.now)
        #expect(try await storage.forwardedPositions(to: "siem")["n"]?.sequence == head.sequence, comment)
        _ = try await storage.purgeAudit(olderThan: Self.day, at: store.clock.now)
        _ = try await storage.adoptCuts(olderThan: Self.day, at: store.clock.now)
        try await storage.record(StateSample(at: store.clock.now, name: .webSessions, value: 4))
        try await storage.close()
        _ = try await AuditComparison(reader, trusting: [store.key.verifierKey]).contradictions(with: [])
    }
}

/// How many fields each record of a table has (RFC 4180).
private enum CSVReader {
    static func records(_ bytes: [UInt8]) -> [Int] {
        var counts: [Int] = []
        var fields = 1
        var isQuoted = false
        var previous: UInt8 = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted: fields += 1
            case 0x0A where !isQuoted && previous == 0x0D:
                counts.append(fields)
                fields = 1
            default: break
            }
            previous = byte
        }
        return counts
    }
}

private final class CountingReceiver: AuditForwardConnection {
    private let items = Mutex(0)

    var count: Int { items.withLock { $0 } }
    var settling: Duration { .zero }

    func deliver(_ items: [AuditForwardItem]) {
        // Each has a line and a message.
        for item in items where !item.json.isEmpty && !SyslogMessage().bytes(of: item).isEmpty {
            self.items.withLock { $0 += 1 }
        }
    }

    func check() {}
    func close() {}
}

private struct FixedCursors: AuditForwardCursors {
    let positions: [String: AuditForwardPosition]

    func forwardedPositions(to target: String) -> [String: AuditForwardPosition] { positions }

    func noteForwarded(to target: String, node: String, through position: AuditForwardPosition, at now: Timestamp) {}
}
