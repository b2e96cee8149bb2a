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
    /// Found by an index.
    private var selective = SQLConditions()
    /// Tried on each event.
    private var residual: [SQLConditions.Part] = []

    init(_ filter: AuditFilter, dialect: SQLDialect) {
        self.filter = filter
        if let from = filter.from { selective.add("at >= ?", SQLValue(from)) }
        if let to = filter.to { selective.add("at < ?", SQLValue(to)) }
        addIndexed()
        addTried(dialect)
    }

    /// - Parameters:
    ///   - cursor: where the previous page ended.
    ///   - limit: events on the page.
    func page(before cursor: AuditCursor?, limit: Int, in session: any SQLSession) throws -> AuditPage {
        let started = ContinuousClock.now
        var found: [AuditRecord] = []
        var cursor = cursor
        while true {
            let end = residual.isEmpty ? nil : try windowEnd(before: cursor, in: session)
            found += try records(before: cursor, downTo: end, limit: limit + 1 - found.count, in: session)
            if found.count > limit {
                let records = Array(found.prefix(limit))
                return AuditPage(records: records, next: records.last.map(AuditCursor.init(of:)))
            }
            guard let end else { return AuditPage(records: found, next: nil) }
            guard ContinuousClock.now - started < patience else { return AuditPage(records: found, next: end) }
            cursor = end
        }
    }

    /// The statement for a page's events; `EXPLAIN` is asked about it in tests.
    func statement(
        before cursor: AuditCursor?, downTo end: AuditCursor? = nil, limit: Int
    ) -> (SQLStatement, [SQLValue]) {
        var conditions = selective
        for part in residual { conditions.add(part) }
        conditions.add(place: "<", cursor)
        conditions.add(place: ">=", end)
        // A network is compared here: SQL knows only how its addresses begin.
        let limit = filter.network == nil ? limit : window
        return conditions.query("SELECT \(AuditSQL.columns) FROM audit_event", Self.order, limit: limit)
    }

    private func records(
        before cursor: AuditCursor?, downTo end: AuditCursor?, limit: Int, in session: any SQLSession
    ) throws -> [AuditRecord] {
        let (statement, arguments) = statement(before: cursor, downTo: end, limit: limit)
        let records = try session.run(statement, arguments).map(AuditRecord.init(row:))
        guard let network = filter.network else { return records }
        let matching = records.filter { record in
            record.event.address.flatMap { NetworkAddress($0) }.map(network.contains) ?? false
        }
        return Array(matching.prefix(limit))
    }

    /// The last place of the next window; `nil` when less than a window is left.
    private func windowEnd(before cursor: AuditCursor?, in session: any SQLSession) throws -> AuditCursor? {
        var conditions = selective
        conditions.add(place: "<", cursor)
        let (statement, arguments) = conditions.query(
            "SELECT at, node, sequence FROM audit_event", Self.order, limit: 1, offset: window - 1)
        return try session.run(statement, arguments).first.map { row in
            AuditCursor(at: try row.timestamp(0), node: try row.text(1), sequence: try row.integer(2))
        }
    }

    private static let order = "ORDER BY at DESC, node DESC, sequence DESC"

    private mutating func addIndexed() {
        selective.add("subject = ?", SQLValue(filter.subject))
        selective.add("address = ?", SQLValue(filter.address))
        selective.add("session_id = ?", SQLValue(filter.sessionID))
        selective.add("token_id = ?", SQLValue(filter.tokenID))
        if let type = filter.type?.rawValue, !AuditSQL.frequentTypes.contains(type) {
            selective.add("type = ?", .text(type))
            selective.add(SQLConditions.Part(text: AuditSQL.isRareType, value: nil))
        }
        if let id = filter.requestID, let at = RequestID.time(of: id) {
            // An answer may take a while, and clocks differ a little.
            selective.add("at >= ?", SQLValue(at - .seconds(60)))
            selective.add("at < ?", SQLValue(at + .seconds(600)))
        }
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
