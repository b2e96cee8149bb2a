import Bridge

/// A search of the audit log, newest first.
///
/// What the index of sealed segments finds is asked for there, and tried on the events that no segment covers yet. Any
/// other filter is tried on a window of the newest events, then on the one before it. Both go on until the page is full
/// or the patience ends: a rare word among ten million events then takes several pages, some of them short, and no page
/// takes long. So it is with every filter while too much is not sealed yet.
struct AuditSearch {
    /// Events that one window holds.
    var window = 2000
    /// How long further windows are opened.
    var patience = Duration.milliseconds(15)

    /// Events without a segment that a search by its index tries one by one.
    var openLimit: Int64 = 4 * AuditSegment.size

    let filter: AuditFilter
    let time: TimeSource
    /// Rows without a time that can be compared that a search gives; verification names them all.
    private static let untimedLimit = 100

    /// The times, by which all events stand in an index.
    private(set) var selective = SQLConditions()
    /// Tried on each event.
    private(set) var residual: [SQLConditions.Part] = []
    /// What is looked up in the segments' indexes.
    private(set) var key: (field: AuditField, value: String)?

    init(_ filter: AuditFilter, dialect: SQLDialect, time: TimeSource = .system) {
        self.filter = filter
        self.time = time
        addTimes()
        addIndexed()
        addTried(dialect)
    }

    /// - Parameters:
    ///   - cursor: where the previous page ended.
    ///   - limit: events on the page.
    func page(before cursor: AuditCursor?, limit: Int, in session: any SQLSession) throws -> AuditPage {
        let started = time.uptime()
        var found = cursor == nil ? try untimed(limit: limit, in: session) : []
        if let key, let open = try AuditOpenRanges(session, limit: openLimit) {
            return try AuditSegmentSearch(search: self, key: key, open: open, session: session)
                .page(after: found, before: cursor, limit: limit, until: started + patience)
        }
        var cursor = cursor
        while true {
            let end = residual.isEmpty ? nil : try windowEnd(before: cursor, in: session)
            found += try rows(before: cursor, downTo: end, limit: limit + 1 - found.count, in: session)
            if found.count > limit { return Self.full(found, limit) }
            let entries = found.map(\.entry)
            guard let end else { return AuditPage(entries: entries, next: nil) }
            guard time.uptime() - started < patience else { return AuditPage(entries: entries, next: end) }
            cursor = end
        }
    }

    /// A row that was found.
    struct Found {
        let entry: AuditEntry
        /// `nil` when no cursor can name it.
        let place: AuditCursor?
        /// The nearest place after it that a cursor can name.
        let nearest: AuditCursor
    }

    /// - Parameter found: more than the page holds.
    static func full(_ found: [Found], _ limit: Int) -> AuditPage {
        let page = Array(found.prefix(limit))
        return AuditPage(entries: page.map(\.entry), next: end(of: page))
    }

    /// Where the next page begins: after the last row that can be named, so that what follows it comes again
    /// rather than not at all.
    private static func end(of page: [Found]) -> AuditCursor? {
        page.last { $0.place != nil }?.place ?? page.last?.nearest
    }

    /// The statement for a page's events; `EXPLAIN` is asked about it in tests.
    func statement(
        before cursor: AuditCursor?, downTo end: AuditCursor? = nil, limit: Int
    ) -> (SQLStatement, [SQLValue]) {
        var conditions = conditions(before: cursor)
        conditions.add(place: ">=", end)
        // A network is compared here: SQL knows only how its addresses begin.
        let limit = filter.network == nil ? limit : window
        return conditions.query("SELECT \(AuditSQL.columns) FROM audit_event", Self.order, limit: limit)
    }

    /// What every event of a page before the cursor fulfils, as far as SQL can say it.
    func conditions(before cursor: AuditCursor?) -> SQLConditions {
        var conditions = selective
        for part in residual { conditions.add(part) }
        conditions.add(place: "<", cursor)
        // SQLite sorts text and bytes after every number, where a cursor cannot name them.
        if cursor == nil, filter.to == nil { conditions.add("at <= ?", .integer(.max)) }
        return conditions
    }

    private func rows(
        before cursor: AuditCursor?, downTo end: AuditCursor?, limit: Int, in session: any SQLSession
    ) throws -> [Found] {
        let (statement, arguments) = statement(before: cursor, downTo: end, limit: limit)
        return Array(matching(try session.run(statement, arguments)).prefix(limit))
    }

    /// The rows of a result that match in what SQL cannot compare, too.
    func matching(_ rows: [SQLRow]) -> [Found] {
        let found = rows.map(Self.found)
        guard let network = filter.network else { return found }
        return found.filter { found in
            guard let record = found.entry.value else { return true }
            return record.event.address.flatMap { NetworkAddress($0) }.map(network.contains) ?? false
        }
    }

    /// Rows whose time cannot be compared; they belong to no span of time.
    private func untimed(limit: Int, in session: any SQLSession) throws -> [Found] {
        guard filter.from == nil, filter.to == nil else { return [] }
        var conditions = SQLConditions()
        conditions.add("at > ?", .integer(.max))
        for part in residual { conditions.add(part) }
        let (statement, arguments) = conditions.query(
            "SELECT \(AuditSQL.columns) FROM audit_event", Self.order, limit: min(limit, Self.untimedLimit))
        return try session.run(statement, arguments).map(Self.found)
    }

    private static func found(_ row: SQLRow) -> Found {
        let (place, nearest) = places(node: row.values[0], sequence: row.values[1], at: row.values[2])
        return Found(entry: AuditEntry(row: row), place: place, nearest: nearest)
    }

    private static func places(
        node: SQLValue, sequence: SQLValue, at: SQLValue
    ) -> (exact: AuditCursor?, nearest: AuditCursor) {
        let milliseconds: Int64 =
            switch at {
            case .integer(let number): number
            case .foreign(.real(let number)): Int64(exactly: number.rounded(.down)) ?? .max
            case .null, .text, .foreign: .max
            }
        let instant = Timestamp(milliseconds: milliseconds)
        guard let node = AuditColumns.node(node), case (.integer(let sequence), .integer) = (sequence, at) else {
            return (nil, AuditCursor(at: instant, node: "", sequence: .min))
        }
        let place = AuditCursor(at: instant, node: node, sequence: sequence)
        return (place, place)
    }

    /// The last place of the next window; `nil` when less than a window is left.
    private func windowEnd(before cursor: AuditCursor?, in session: any SQLSession) throws -> AuditCursor? {
        var conditions = selective
        conditions.add(place: "<", cursor)
        if cursor == nil, filter.to == nil { conditions.add("at <= ?", .integer(.max)) }
        let (statement, arguments) = conditions.query(
            "SELECT node, sequence, at FROM audit_event", Self.order, limit: 1, offset: window - 1)
        return try session.run(statement, arguments).first.map { row in
            Self.places(node: row.values[0], sequence: row.values[1], at: row.values[2]).nearest
        }
    }

    private static let order = "ORDER BY at DESC, node DESC, sequence DESC"

    private mutating func addTimes() {
        if let from = filter.from { selective.add("at >= ?", SQLValue(from)) }
        if let to = filter.to { selective.add("at < ?", SQLValue(to)) }
        if let id = filter.requestID, let at = RequestID.time(of: id) {
            // An answer may take a while, and clocks differ a little.
            selective.add("at >= ?", SQLValue(at - .seconds(60)))
            selective.add("at < ?", SQLValue(at + .seconds(600)))
        }
    }

    private mutating func addIndexed() {
        for field in AuditField.allCases {
            guard let value = filter.value(of: field) else { continue }
            residual.append(SQLConditions.Part(text: "\(field.column) = ?", value: .text(value)))
            if key == nil, let value = field.indexed(value) { key = (field, value) }
        }
    }

    private mutating func addTried(_ dialect: SQLDialect) {
        func add(_ text: String, _ value: SQLValue) {
            if value != .null { residual.append(SQLConditions.Part(text: text, value: value)) }
        }
        add("request_id = ?", SQLValue(filter.requestID))
        add("outcome = ?", SQLValue(filter.outcome?.rawValue))
        add("reason = ?", SQLValue(filter.reason))
        add("(client_id = ? OR target_client_id = ?)", SQLValue(filter.clientID))
        if let network = filter.network { add("address LIKE ?", .text((network.textPrefix ?? "%:") + "%")) }
        if let text = filter.text {
            let searched = dialect.lowercased(Self.searchedText, toFind: text)
            add("\(searched) LIKE ? ESCAPE '!'", .text(LikePattern.containing(text.lowercasedForSearch)))
        }
    }

    // The columns stand on lines of their own, so that no match runs from one into the next.
    private static let searchedText: String = {
        let columns = ["subject", "client_id", "target_client_id", "reason", "address", "user_agent", "detail"]
        let lines = columns.map { "coalesce(\($0), '')" }.joined(separator: " || '\n' || ")
        return "type || '\n' || \(lines)"
    }()
}

extension AuditFilter {
    fileprivate func value(of field: AuditField) -> String? {
        switch field {
        case .token: tokenID?.rawValue
        case .session: sessionID?.rawValue
        case .subject: subject?.rawValue
        case .type: type?.rawValue
        case .address: address
        }
    }
}
