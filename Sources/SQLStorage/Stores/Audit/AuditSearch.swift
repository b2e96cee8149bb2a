import Bridge

/// A search of the audit log, newest first.
///
/// What an index finds is asked for directly. Any other filter is tried on a window of the newest events, then on the
/// one before it, until the page is full or the patience ends: a rare word among ten million events then takes several
/// pages, some of them short, and no page takes long.
struct AuditSearch {
    /// Events that one window holds.
    var window = 2000
    /// How long further windows are opened.
    var patience = Duration.milliseconds(15)

    private let filter: AuditFilter
    /// Rows without a time that can be compared that a search gives; verification names them all.
    private static let untimedLimit = 100

    /// Found by an index.
    private var selective = SQLConditions()
    /// Tried on each event.
    private var residual: [SQLConditions.Part] = []

    /// As ``selective``, without the times.
    private var timeless = SQLConditions()

    init(_ filter: AuditFilter, dialect: SQLDialect) {
        self.filter = filter
        timeless.add("at > ?", .integer(.max))
        addIndexed()
        addTried(dialect)
    }

    /// - Parameters:
    ///   - cursor: where the previous page ended.
    ///   - limit: events on the page.
    func page(before cursor: AuditCursor?, limit: Int, in session: any SQLSession) throws -> AuditPage {
        let started = ContinuousClock.now
        var found = cursor == nil ? try untimed(limit: limit, in: session) : []
        var cursor = cursor
        while true {
            let end = residual.isEmpty ? nil : try windowEnd(before: cursor, in: session)
            found += try rows(before: cursor, downTo: end, limit: limit + 1 - found.count, in: session)
            if found.count > limit {
                let page = Array(found.prefix(limit))
                return AuditPage(entries: page.map(\.entry), next: Self.end(of: page))
            }
            let entries = found.map(\.entry)
            guard let end else { return AuditPage(entries: entries, next: nil) }
            guard ContinuousClock.now - started < patience else { return AuditPage(entries: entries, next: end) }
            cursor = end
        }
    }

    /// A row that was found.
    private struct Found {
        let entry: AuditEntry
        /// `nil` when no cursor can name it.
        let place: AuditCursor?
        /// The nearest place behind it that a cursor can name.
        let nearest: AuditCursor
    }

    /// Where the next page begins: behind the last row that can be named, so that what stands behind that comes again
    /// rather than not at all.
    private static func end(of page: [Found]) -> AuditCursor? {
        page.last { $0.place != nil }?.place ?? page.last?.nearest
    }

    /// The statement for a page's events; `EXPLAIN` is asked about it in tests.
    func statement(
        before cursor: AuditCursor?, downTo end: AuditCursor? = nil, limit: Int
    ) -> (SQLStatement, [SQLValue]) {
        var conditions = selective
        for part in residual { conditions.add(part) }
        conditions.add(place: "<", cursor)
        conditions.add(place: ">=", end)
        // SQLite has text and bytes behind every number, where a cursor cannot name them.
        if cursor == nil, filter.to == nil { conditions.add("at <= ?", .integer(.max)) }
        // A network is compared here: SQL knows only how its addresses begin.
        let limit = filter.network == nil ? limit : window
        return conditions.query("SELECT \(AuditSQL.columns) FROM audit_event", Self.order, limit: limit)
    }

    private func rows(
        before cursor: AuditCursor?, downTo end: AuditCursor?, limit: Int, in session: any SQLSession
    ) throws -> [Found] {
        let (statement, arguments) = statement(before: cursor, downTo: end, limit: limit)
        let found = try session.run(statement, arguments).map(Self.found)
        guard let network = filter.network else { return found }
        let matching = found.filter { found in
            guard let record = found.entry.value else { return true }
            return record.event.address.flatMap { NetworkAddress($0) }.map(network.contains) ?? false
        }
        return Array(matching.prefix(limit))
    }

    /// Rows whose time is none that can be compared; they belong to no span of time.
    private func untimed(limit: Int, in session: any SQLSession) throws -> [Found] {
        guard filter.from == nil, filter.to == nil else { return [] }
        var conditions = timeless
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

    private mutating func addIndexed() {
        if let from = filter.from { selective.add("at >= ?", SQLValue(from)) }
        if let to = filter.to { selective.add("at < ?", SQLValue(to)) }
        addIndexed("subject = ?", SQLValue(filter.subject))
        addIndexed("address = ?", SQLValue(filter.address))
        addIndexed("session_id = ?", SQLValue(filter.sessionID))
        addIndexed("token_id = ?", SQLValue(filter.tokenID))
        if let type = filter.type?.rawValue, !AuditSQL.frequentTypes.contains(type) {
            addIndexed("type = ?", .text(type))
            selective.add(SQLConditions.Part(text: AuditSQL.isRareType, value: nil))
        }
        if let id = filter.requestID, let at = RequestID.time(of: id) {
            // An answer may take a while, and clocks differ a little.
            selective.add("at >= ?", SQLValue(at - .seconds(60)))
            selective.add("at < ?", SQLValue(at + .seconds(600)))
        }
    }

    private mutating func addIndexed(_ text: String, _ value: SQLValue) {
        selective.add(text, value)
        timeless.add(text, value)
    }

    private mutating func addTried(_ dialect: SQLDialect) {
        func add(_ text: String, _ value: SQLValue) {
            if value != .null { residual.append(SQLConditions.Part(text: text, value: value)) }
        }
        add("request_id = ?", SQLValue(filter.requestID))
        if let type = filter.type?.rawValue, AuditSQL.frequentTypes.contains(type) { add("type = ?", .text(type)) }
        add("outcome = ?", SQLValue(filter.outcome?.rawValue))
        add("reason = ?", SQLValue(filter.reason))
        add("(client_id = ? OR target_client_id = ?)", SQLValue(filter.clientID))
        if let network = filter.network { add("address LIKE ?", .text((network.textPrefix ?? "%:") + "%")) }
        if let text = filter.text {
            // Both engines' own lower() knows the case of ASCII letters, and takes a tenth of the time.
            let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
            let searched = isASCII ? "lower(\(Self.searchedText))" : dialect.lowercase(Self.searchedText)
            add("\(searched) LIKE ? ESCAPE '\\'", .text(Self.pattern(text)))
        }
    }

    // The columns stand on lines of their own, so that no match runs from one into the next.
    private static let searchedText: String = {
        let columns = ["subject", "client_id", "target_client_id", "reason", "address", "user_agent"]
        let lines = columns.map { "coalesce(\($0), '')" }.joined(separator: " || '\n' || ")
        return "type || '\n' || \(lines)"
    }()

    private static func pattern(_ text: String) -> String {
        var pattern = "%"
        for character in text.lowercased() {
            if character == "%" || character == "_" || character == "\\" { pattern.append("\\") }
            pattern.append(character)
        }
        return pattern + "%"
    }
}
