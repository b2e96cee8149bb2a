import Bridge
import OAuth2

/// Reads a row whose values may be anything, and remembers the first that is not what it should be.
struct AuditColumns {
    private let values: [SQLValue]
    /// The first column that cannot be read; `nil` while there is none.
    private(set) var unreadable: String?

    /// Bytes of a node's name: more than a host's.
    private static let maximumNode = 1024
    /// Bytes of something that is not a node's name, when it has to be named.
    private static let shownLength = 64

    init(_ row: SQLRow) { values = row.values }

    mutating func note(_ field: String) { unreadable = unreadable ?? field }

    /// The node's name, or what shows of it.
    mutating func node(_ column: Int) -> String {
        if let name = Self.node(values[column]) { return name }
        note("node")
        return Self.shown(values[column])
    }

    /// A number that can be part of a chain; what else is a number comes back as near as possible, anything else as 0.
    mutating func sequence(_ column: Int, _ name: String) -> Int64 {
        switch values[column] {
        case .integer(let number):
            if !AuditRecord.sequences.contains(number) { note(name) }
            return number
        case .foreign(.real(let number)):
            note(name)
            return Int64(exactly: number.rounded(.down)) ?? 0
        case .null, .text, .foreign:
            note(name)
            return 0
        }
    }

    /// `nil`, noted, for what is not an instant that a calendar has.
    mutating func instant(_ column: Int) -> Timestamp? {
        if case .integer(let number) = values[column] {
            let instant = Timestamp(milliseconds: number)
            if instant.isWritable { return instant }
        }
        note("at")
        return nil
    }

    /// Empty when it cannot be read.
    mutating func text(_ column: Int, _ name: String) -> String {
        if case .text(let text) = values[column], text.utf8.count <= AuditRecord.maximumTextLength { return text }
        note(name)
        return ""
    }

    mutating func optionalText(_ column: Int, _ name: String) -> String? {
        if case .null = values[column] { return nil }
        return text(column, name)
    }

    /// The hash that an event claims; `nil`, noted, for what cannot be one.
    mutating func hash(_ column: Int) -> String? {
        guard case .text(let text) = values[column], text.utf8.count <= AuditRecord.maximumTextLength else {
            note("hash")
            return nil
        }
        return text
    }

    /// - Returns: `nil` for what cannot be a node's name.
    static func node(_ value: SQLValue) -> String? {
        guard case .text(let text) = value, (1...maximumNode).contains(text.utf8.count) else { return nil }
        return text
    }

    static func shown(_ value: SQLValue) -> String {
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .text(let text): String(decoding: Array(text.utf8.prefix(shownLength)), as: UTF8.self)
        case .foreign(.real(let number)): String(number)
        case .foreign(.blob(let bytes)), .foreign(.bytes(let bytes)):
            String(decoding: bytes.prefix(shownLength).filter { $0 != 0 }, as: UTF8.self)
        }
    }
}
