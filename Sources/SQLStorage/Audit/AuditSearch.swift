import Bridge

/// A search of the audit log as one statement.
struct AuditSearch {
    let statement: SQLStatement
    let arguments: [SQLValue]

    /// - Parameter limit: how many rows; one more than the page tells whether there is another.
    init(_ filter: AuditFilter, before cursor: AuditCursor?, limit: Int, dialect: SQLDialect) {
        var conditions: [String] = []
        var arguments: [SQLValue] = []
        func bind(_ value: SQLValue) -> String {
            arguments.append(value)
            return "$\(arguments.count)"
        }
        func equal(_ column: String, _ value: SQLValue) {
            if value != .null { conditions.append("\(column) = \(bind(value))") }
        }
        if let from = filter.from { conditions.append("at >= \(bind(SQLValue(from)))") }
        if let to = filter.to { conditions.append("at < \(bind(SQLValue(to)))") }
        equal("type", SQLValue(filter.type?.rawValue))
        equal("outcome", SQLValue(filter.outcome?.rawValue))
        equal("reason", SQLValue(filter.reason))
        equal("subject", SQLValue(filter.subject))
        if let client = filter.clientID {
            let parameter = bind(SQLValue(client))
            conditions.append("(client_id = \(parameter) OR target_client_id = \(parameter))")
        }
        equal("session_id", SQLValue(filter.sessionID))
        equal("token_id", SQLValue(filter.tokenID))
        equal("address", SQLValue(filter.address))
        equal("request_id", SQLValue(filter.requestID))
        if let text = filter.text {
            conditions.append("\(Self.searchedText(dialect)) LIKE \(bind(.text(Self.pattern(text)))) ESCAPE '\\'")
        }
        if let cursor {
            let place = [SQLValue(cursor.at), .text(cursor.node), .integer(cursor.sequence)].map(bind)
            conditions.append("(at, node, sequence) < (\(place.joined(separator: ", ")))")
        }
        let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        let order = " ORDER BY at DESC, node DESC, sequence DESC LIMIT \(bind(.integer(Int64(limit))))"
        statement = SQLStatement(
            "SELECT \(AuditSQL.columns) FROM audit_event" + condition + order, isRecurring: false)
        self.arguments = arguments
    }

    // The columns stand on lines of their own, so that no match runs from one into the next.
    private static func searchedText(_ dialect: SQLDialect) -> String {
        let columns = ["subject", "client_id", "target_client_id", "reason", "address", "user_agent"]
        let lines = columns.map { "coalesce(\($0), '')" }.joined(separator: " || '\n' || ")
        return dialect.lowercase("type || '\n' || \(lines)")
    }

    private static func pattern(_ text: String) -> String {
        var pattern = "%"
        for character in text.lowercased() {
            if character == "%" || character == "_" || character == "\\" { pattern.append("\\") }
            pattern.append(character)
        }
        return pattern + "%"
    }
}
