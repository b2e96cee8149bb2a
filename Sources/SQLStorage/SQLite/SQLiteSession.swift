import Bridge
import GRDB

/// A connection to SQLite.
struct SQLiteSession: SQLSession {
    let database: Database

    func begin() throws { _ = try run("BEGIN IMMEDIATE") }

    func rollback() {
        // Some failures close the transaction by themselves.
        if database.isInsideTransaction { _ = try? run("ROLLBACK") }
    }

    func change(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> Int {
        _ = try run(statement, arguments)
        return database.changesCount
    }

    func run(_ statement: SQLStatement, _ arguments: [SQLValue]) throws -> [SQLRow] {
        guard arguments.count == statement.argumentOrder.count else {
            throw SQLFailure(kind: .refused, text: "\(arguments.count) arguments for \(statement.text)")
        }
        do {
            let prepared =
                statement.isRecurring
                ? try database.cachedStatement(sql: statement.text)
                : try database.makeStatement(sql: statement.text)
            prepared.setUncheckedArguments(StatementArguments(try values(arguments, for: statement)))
            let cursor = RowValuesCursor(prepared)
            var rows: [SQLRow] = []
            while let values = try cursor.next() { rows.append(SQLRow(values: values)) }
            return rows
        } catch let error as DatabaseError {
            throw SQLFailure(error)
        }
    }

    private func values(_ arguments: [SQLValue], for statement: SQLStatement) throws -> [DatabaseValue] {
        var values: [DatabaseValue] = []
        values.reserveCapacity(arguments.count)
        if statement.isInOrder {
            for argument in arguments { values.append(try value(argument)) }
        } else {
            for index in statement.argumentOrder { values.append(try value(arguments[index])) }
        }
        return values
    }

    private func value(_ argument: SQLValue) throws -> DatabaseValue {
        switch argument {
        case .null: return .null
        case .integer(let number): return number.databaseValue
        case .text(let text):
            // SQLite would keep what stands before the zero byte: `alice\0x` would become `alice`.
            guard !text.utf8.contains(0) else {
                throw SQLFailure(kind: .refused, text: "text with a zero byte cannot be stored")
            }
            return text.databaseValue
        }
    }
}

/// The rows of a statement as plain values, without the dictionary of column names that GRDB's own rows build.
private final class RowValuesCursor: DatabaseCursor {
    typealias Element = [SQLValue]

    let _statement: Statement
    var _isDone = false
    private let columns: Range<CInt>

    init(_ statement: Statement) {
        _statement = statement
        columns = 0..<CInt(statement.columnCount)
    }

    func _element(sqliteStatement: SQLiteStatement) throws -> [SQLValue] {
        try columns.map { column in
            switch DatabaseValue(sqliteStatement: sqliteStatement, index: column).storage {
            case .null: .null
            case .int64(let number): .integer(number)
            case .string(let text): .text(text)
            case .double, .blob: throw StorageError.corrupt("column \(column) is neither text nor an integer")
            }
        }
    }
}
