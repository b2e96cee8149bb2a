import Bridge

/// Conditions of a `WHERE`, put together piece by piece.
struct SQLConditions {
    /// One condition. Each `?` stands for the one value.
    struct Part {
        let text: String
        let value: SQLValue?
    }

    private var texts: [String] = []
    private var arguments: [SQLValue] = []

    mutating func add(_ part: Part) {
        var text = part.text
        if let value = part.value {
            arguments.append(value)
            text = text.replacing("?", with: "$\(arguments.count)")
        }
        texts.append(text)
    }

    /// Adds a condition, unless its value is absent.
    mutating func add(_ text: String, _ value: SQLValue) {
        if value != .null { add(Part(text: text, value: value)) }
    }

    /// Compares the place in the log's order.
    mutating func add(place comparison: String, _ cursor: AuditCursor?) {
        guard let cursor else { return }
        let first = arguments.count + 1
        arguments += [SQLValue(cursor.at), .text(cursor.node), .integer(cursor.sequence)]
        texts.append("(at, node, sequence) \(comparison) ($\(first), $\(first + 1), $\(first + 2))")
    }

    /// The whole query.
    func query(_ selection: String, _ order: String, limit: Int, offset: Int = 0) -> (SQLStatement, [SQLValue]) {
        let condition = texts.isEmpty ? "" : " WHERE " + texts.joined(separator: " AND ")
        var arguments = arguments + [.integer(Int64(limit))]
        var text = "\(selection)\(condition) \(order) LIMIT $\(arguments.count)"
        if offset > 0 {
            arguments.append(.integer(Int64(offset)))
            text += " OFFSET $\(arguments.count)"
        }
        return (SQLStatement(text, isRecurring: false), arguments)
    }
}

extension AuditCursor {
    /// The place of a record.
    init(of record: AuditRecord) {
        self.init(at: record.event.at, node: record.node, sequence: record.sequence)
    }
}
