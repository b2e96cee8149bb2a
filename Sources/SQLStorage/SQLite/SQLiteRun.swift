import Bridge
import Foundation
import GRDB
import GRDBSQLite

/// One run of a prepared statement, from its arguments to its rows, by SQLite's C interface.
///
/// GRDB prepares and caches the statement, but its own binding makes an existential and looks up a key path for every
/// argument: with the three dozen arguments of a redemption that cost more than SQLite's inserts.
struct SQLiteRun {
    let statement: SQLiteStatement

    /// - Parameter arguments: in the order in which the statement first names its parameters.
    /// - Throws: ``SQLError``.
    func rows(_ arguments: [SQLValue]) throws -> [SQLRow] {
        var length = 0
        for argument in arguments {
            switch argument {
            case .text(let text): length += text.utf8.count
            case .foreign(.blob(let bytes)), .foreign(.bytes(let bytes)): length += bytes.count
            case .null, .integer, .foreign(.real): break
            }
        }
        // One buffer that outlives the steps, so that SQLite need not copy every text.
        return try withUnsafeTemporaryAllocation(byteCount: max(1, length), alignment: 1) { buffer in
            defer {
                sqlite3_reset(statement)
                sqlite3_clear_bindings(statement)
            }
            // A null pointer would bind NULL in place of an empty text.
            guard let start = buffer.baseAddress else { throw SQLError(kind: .unavailable, text: "no memory") }
            try bind(arguments, at: start)
            return try step()
        }
    }

    private func bind(_ arguments: [SQLValue], at start: UnsafeMutableRawPointer) throws {
        var place = start
        var index: CInt = 0
        for argument in arguments {
            index += 1
            let code: CInt
            switch argument {
            case .null: code = sqlite3_bind_null(statement, index)
            case .integer(let number): code = sqlite3_bind_int64(statement, index, number)
            case .text(let text):
                let count = Self.copy(text, to: place)
                // SQLite would keep what comes before the zero byte: `alice\0x` would become `alice`.
                guard memchr(place, 0, count) == nil else {
                    throw SQLError(kind: .refused, text: "text with a zero byte cannot be stored")
                }
                code = sqlite3_bind_text(
                    statement, index, place.assumingMemoryBound(to: CChar.self), CInt(count), nil)
                place += count
            case .foreign(let value): code = bind(value, at: &place, index)
            }
            guard code == SQLITE_OK else { throw failure() }
        }
    }

    /// Gives back what was read, to find its row again.
    private func bind(_ value: SQLForeignValue, at place: inout UnsafeMutableRawPointer, _ index: CInt) -> CInt {
        switch value {
        case .real(let number): return sqlite3_bind_double(statement, index, number)
        case .blob(let bytes):
            bytes.withUnsafeBytes {
                place.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(place), byteCount: $0.count)
            }
            defer { place += bytes.count }
            return sqlite3_bind_blob(statement, index, place, CInt(bytes.count), nil)
        case .bytes(let bytes):
            bytes.withUnsafeBytes {
                place.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(place), byteCount: $0.count)
            }
            defer { place += bytes.count }
            return sqlite3_bind_text(
                statement, index, place.assumingMemoryBound(to: CChar.self), CInt(bytes.count), nil)
        }
    }

    /// - Returns: how many bytes the text has.
    private static func copy(_ text: String, to place: UnsafeMutableRawPointer) -> Int {
        var text = text
        return text.withUTF8 { bytes in
            if let start = bytes.baseAddress { place.copyMemory(from: start, byteCount: bytes.count) }
            return bytes.count
        }
    }

    private func step() throws -> [SQLRow] {
        let columns = sqlite3_column_count(statement)
        var rows: [SQLRow] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(SQLRow(values: try (0..<columns).map(value)))
            case SQLITE_DONE: return rows
            default: throw failure()
            }
        }
    }

    private func value(_ column: CInt) throws -> SQLValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
        case SQLITE_TEXT:
            guard let text = sqlite3_column_text(statement, column) else {
                throw SQLError(kind: .unavailable, text: "SQLite has no memory for a text")
            }
            let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, column)))
            guard memchr(text, 0, bytes.count) == nil, let text = String(validating: bytes, as: UTF8.self) else {
                return .foreign(.bytes(Array(bytes)))
            }
            return .text(text)
        case SQLITE_FLOAT: return .foreign(.real(sqlite3_column_double(statement, column)))
        default:
            // No pointer for a blob without bytes.
            guard let blob = sqlite3_column_blob(statement, column) else { return .foreign(.blob([])) }
            let count = Int(sqlite3_column_bytes(statement, column))
            return .foreign(.blob(Array(UnsafeRawBufferPointer(start: blob, count: count))))
        }
    }

    private func failure() -> SQLError {
        let connection = sqlite3_db_handle(statement)
        return SQLError(
            DatabaseError(
                resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
                message: sqlite3_errmsg(connection).map { String(cString: $0) }))
    }
}
