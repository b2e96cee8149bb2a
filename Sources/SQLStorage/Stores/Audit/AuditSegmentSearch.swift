import Bridge

/// What of the audit log no segment covers: the end of each chain, and what is part of no chain.
struct AuditOpenRanges {
    /// Each node, as it is in the table, with the last sequence that is covered.
    private let ends: [(node: SQLValue, through: Int64)]
    /// The last covered sequence by the bytes of the node's name: two names that read alike are two nodes.
    private let through: [[UInt8]: Int64]

    /// - Parameter limit: the most events that a search should try one by one.
    /// - Returns: `nil` when there are more.
    init?(_ session: any SQLSession, limit: Int64) throws {
        let nodes = try DurableStorage.nodes(session)
        let answers = try session.runAll(nodes.map { SQLCall(AuditSegmentSQL.end, [$0]) })
        var through: [[UInt8]: Int64] = [:]
        ends = zip(nodes, answers).map { node, answer in
            guard case .text(let name) = node, case .integer(let number)? = answer.rows.first?.values[0] else {
                return (node, 0)
            }
            through[Array(name.utf8)] = max(0, number)
            return (node, max(0, number))
        }
        self.through = through
        let counts = try session.runAll(
            ends.map { SQLCall(AuditSegmentSQL.countOpen, [$0.node, .integer($0.through), .integer(limit + 1)]) })
        let count = try counts.reduce(0) { try $0 + ($1.rows.first?.integer(0) ?? 0) }
        guard count <= limit else { return nil }
    }

    /// Conditions that each find a part of it by the table's key.
    var parts: [[SQLConditions.Part]] {
        ends.flatMap { node, through in
            [("sequence > ?", through), ("sequence < ?", 1)].map { text, number in
                [
                    SQLConditions.Part(text: "node = ?", value: node),
                    SQLConditions.Part(text: text, value: .integer(number)),
                ]
            }
        }
    }

    /// The last sequence of a node that is none of the open ones.
    func end(of node: SQLValue) -> Int64 {
        guard case .text(let name) = node else { return 0 }
        return through[Array(name.utf8)] ?? 0
    }
}

/// A search for a value that the index of sealed segments knows: in what no segment covers, then in the segments in the
/// order of their newest event.
struct AuditSegmentSearch {
    let search: AuditSearch
    let key: (field: AuditField, value: String)
    let open: AuditOpenRanges
    let session: any SQLSession

    /// Segments that are looked up together: at first few, because the newest often have a page's events.
    private static let together = 4...64
    /// Events that are asked for by their sequences; in a segment with more, all are tried.
    private static let namedLimit = 256

    /// - Parameters:
    ///   - first: what comes before everything else on the page.
    ///   - end: when a page is given although it is not full.
    func page(
        after first: [AuditSearch.Found], before cursor: AuditCursor?, limit: Int, until end: ContinuousClock.Instant
    ) throws -> AuditPage {
        let wanted = limit + 1 - first.count
        guard wanted > 0 else { return AuditSearch.full(first, limit) }
        var found = try openEvents(before: cursor, wanted)
        var segments = Segments(self, before: cursor)
        while let segment = try segments.next() {
            // All that follow are older.
            if found.count == wanted, segment.newest < found[wanted - 1].nearest.at.milliseconds { break }
            // Not with a page that ends where the one before it did.
            if search.time.uptime() > end, segment.newest + 1 < cursor?.at.milliseconds ?? .max {
                let page = first + found.filter { $0.nearest.at.milliseconds > segment.newest }
                let next = AuditCursor(at: Timestamp(milliseconds: segment.newest + 1), node: "", sequence: .min)
                return AuditPage(entries: page.map(\.entry), next: next)
            }
            found = Self.newest(found + (try events(in: segment, before: cursor, wanted)), wanted)
        }
        let all = first + found
        return all.count > limit ? AuditSearch.full(all, limit) : AuditPage(entries: all.map(\.entry), next: nil)
    }

    private func openEvents(before cursor: AuditCursor?, _ wanted: Int) throws -> [AuditSearch.Found] {
        let calls = open.parts.map { call(for: $0, before: cursor, wanted) }
        return Self.newest(try session.runAll(calls).flatMap { search.matching($0.rows) }, wanted)
    }

    private func events(in segment: Segments.Segment, before cursor: AuditCursor?, _ wanted: Int) throws -> [AuditSearch
        .Found]
    {
        let end = open.end(of: segment.node)
        let sequences = segment.sequences.filter { $0 <= end }
        guard let first = sequences.min(), let last = sequences.max() else { return [] }
        var parts = [SQLConditions.Part(text: "node = ?", value: segment.node)]
        if sequences.count <= Self.namedLimit {
            let names = sequences.map(String.init).joined(separator: ", ")
            parts.append(SQLConditions.Part(text: "sequence IN (\(names))", value: nil))
        } else {
            parts.append(SQLConditions.Part(text: "sequence >= ?", value: .integer(first)))
            parts.append(SQLConditions.Part(text: "sequence <= ?", value: .integer(last)))
        }
        let call = call(for: parts, before: cursor, wanted)
        return search.matching(try session.run(call.statement, call.arguments))
    }

    /// Reads events by the table's key. The sign keeps engines from going through all times in order instead.
    func call(for parts: [SQLConditions.Part], before cursor: AuditCursor?, _ wanted: Int) -> SQLCall {
        var conditions = search.conditions(before: cursor)
        for part in parts { conditions.add(part) }
        // A network is compared afterwards, so the first that SQL finds may not be those.
        let limit = search.filter.network == nil ? wanted : Int(search.openLimit)
        let (statement, arguments) = conditions.query(
            "SELECT \(AuditSQL.columns) FROM audit_event", "ORDER BY +at DESC, node DESC, sequence DESC", limit: limit)
        return SQLCall(statement, arguments)
    }

    private static func newest(_ found: [AuditSearch.Found], _ wanted: Int) -> [AuditSearch.Found] {
        Array(found.sorted(by: isNewer).prefix(wanted))
    }

    /// As the engines order rows: what no cursor can name comes first of its time.
    private static func isNewer(_ one: AuditSearch.Found, _ other: AuditSearch.Found) -> Bool {
        if one.nearest.at != other.nearest.at { return one.nearest.at > other.nearest.at }
        guard let one = one.place else { return other.place != nil }
        guard let other = other.place else { return false }
        if one.node != other.node { return other.node.utf8.lexicographicallyPrecedes(one.node.utf8) }
        return one.sequence > other.sequence
    }

    /// The segments that may hold what is looked for.
    private struct Segments {
        struct Segment {
            let node: SQLValue
            /// Milliseconds of its newest event.
            let newest: Int64
            /// The sequences of events that may match.
            let sequences: [Int64]
        }

        private let search: AuditSegmentSearch
        private let place: AuditSegmentIndex.Place
        private let times: [SQLValue]
        private var fetched: [SQLRow] = []
        private var last: [SQLValue] = [.integer(.max), .text(""), .integer(0)]
        private var size = AuditSegmentSearch.together.lowerBound
        private var isAtEnd = false

        init(_ search: AuditSegmentSearch, before cursor: AuditCursor?) {
            self.search = search
            place = AuditSegmentIndex.Place(of: search.key.value)
            let filter = search.search.filter
            times = [
                SQLValue(filter.from ?? Timestamp(milliseconds: .min)),
                SQLValue(min(cursor?.at ?? Timestamp(milliseconds: .max), filter.to ?? Timestamp(milliseconds: .max))),
            ]
        }

        mutating func next() throws -> Segment? {
            while true {
                if fetched.isEmpty { try fetch() }
                guard let row = fetched.first else { return nil }
                fetched.removeFirst()
                // Not written by us, if not; the events are still found by their times.
                guard case (.integer(let first), .integer(let newest)) = (row.values[1], row.values[2]) else {
                    continue
                }
                var sequences: [Int64] = []
                if case .text(let entries) = row.values[3] {
                    sequences = AuditSegmentIndex.sequences(of: place.tag, in: entries, first: first)
                }
                return Segment(node: row.values[0], newest: min(newest, .max - 1), sequences: sequences)
            }
        }

        private mutating func fetch() throws {
            guard !isAtEnd else { return }
            fetched = try search.session.run(
                AuditSegmentSQL.pieces,
                [.integer(search.key.field.rawValue), .integer(place.bucket)] + times + last + [.integer(Int64(size))])
            isAtEnd = fetched.count < size
            size = min(size * 4, AuditSegmentSearch.together.upperBound)
            if let row = fetched.last { last = [row.values[2], row.values[0], row.values[1]] }
        }
    }
}
