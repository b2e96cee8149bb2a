import Bridge

/// A row of a result; reading is strict, because a value of another kind means that the database was tampered with or
/// belongs to something else.
struct SQLRow: Hashable, Sendable {
    let values: [SQLValue]

    func text(_ column: Int) throws -> String {
        guard let text = try optionalText(column) else { throw unexpected(column, "text") }
        return text
    }

    func optionalText(_ column: Int) throws -> String? {
        switch values[column] {
        case .text(let text): text
        case .null: nil
        case .integer, .foreign: throw unexpected(column, "text")
        }
    }

    func integer(_ column: Int) throws -> Int64 {
        guard let number = try optionalInteger(column) else { throw unexpected(column, "an integer") }
        return number
    }

    func optionalInteger(_ column: Int) throws -> Int64? {
        switch values[column] {
        case .integer(let number): number
        case .null: nil
        case .text, .foreign: throw unexpected(column, "an integer")
        }
    }

    /// A number of things, which the database's own arithmetic keeps small: never negative, and there is room to count on.
    func count(_ column: Int) throws -> Int { Int(min(max(0, try integer(column)), 1_000_000_000)) }

    private func unexpected(_ column: Int, _ wanted: String) -> StorageError {
        .corrupt("column \(column) of the result is not \(wanted)", because: .damage)
    }
}

extension SQLRow {
    func timestamp(_ column: Int) throws -> Timestamp { Timestamp(milliseconds: try integer(column)) }

    func optionalTimestamp(_ column: Int) throws -> Timestamp? {
        try optionalInteger(column).map(Timestamp.init(milliseconds:))
    }

    func identifier<ID: Identifier>(_ column: Int, as type: ID.Type = ID.self) throws -> ID {
        ID(rawValue: try text(column))
    }

    func optionalIdentifier<ID: Identifier>(_ column: Int, as type: ID.Type = ID.self) throws -> ID? {
        try optionalText(column).map(ID.init(rawValue:))
    }

    /// One word of a closed set. Another version may know more of them.
    func word<Word: RawRepresentable<String>>(_ column: Int, as type: Word.Type = Word.self) throws -> Word {
        guard let word = Word(rawValue: try text(column)) else {
            throw StorageError.corrupt("column \(column) of the result is no \(Word.self) that it knows")
        }
        return word
    }
}
