import Bridge
import CPostgres
import Foundation
import OAuth2

/// What the server answered to one statement.
struct PostgresResult {
    let rows: [SQLRow]
    /// What the server says it did, such as `COMMIT` or `INSERT 0 1`.
    let commandTag: String

    /// How many rows the statement wrote or gave: what the command tag ends with.
    var changes: Int {
        var count = 0
        for byte in commandTag.utf8 { count = ASCII.isDigit(byte) ? count * 10 + Int(byte - UInt8(ascii: "0")) : 0 }
        return count
    }

    /// - Parameter result: one that is not an error.
    init(_ result: OpaquePointer) throws {
        commandTag = PQcmdStatus(result).map { String(cString: $0) } ?? ""
        let rowCount = PQntuples(result)
        guard rowCount > 0 else {
            rows = []
            return
        }
        var columns = (0..<PQnfields(result)).map { PostgresColumn(result, $0) }
        var rows: [SQLRow] = []
        rows.reserveCapacity(Int(rowCount))
        for row in 0..<rowCount {
            var values: [SQLValue] = []
            values.reserveCapacity(columns.count)
            for column in columns.indices { values.append(try columns[column].value(row)) }
            rows.append(SQLRow(values: values))
        }
        self.rows = rows
    }
}

/// Reads one column of a result, row by row.
struct PostgresColumn {
    private enum Kind { case integer, text, nothing, other }

    private let result: OpaquePointer
    private let column: CInt
    private let kind: Kind
    /// The last text that was made, and the bytes that it was made of, which live as long as the result: rows often say
    /// the same as the one before, and looking is cheaper than making it again.
    private var last: (bytes: UnsafePointer<CChar>, length: Int, value: SQLValue)?

    /// Texts up to this many bytes need no memory of their own.
    private static let smallText = 15
    // Object ids of PostgreSQL's built-in types, which never change.
    private static let integerTypes: Set<Oid> = [20, 21, 23]
    private static let textTypes: Set<Oid> = [25, 1043]
    /// The "value" of a function that returns nothing.
    private static let voidType: Oid = 2278

    init(_ result: OpaquePointer, _ column: CInt) {
        self.result = result
        self.column = column
        switch PQftype(result, column) {
        case let type where Self.integerTypes.contains(type): kind = .integer
        case let type where Self.textTypes.contains(type): kind = .text
        case Self.voidType: kind = .nothing
        default: kind = .other
        }
    }

    /// - Throws: ``StorageError`` for a value that is neither text nor an integer.
    mutating func value(_ row: CInt) throws -> SQLValue {
        guard kind != .nothing, PQgetisnull(result, row, column) == 0, let bytes = PQgetvalue(result, row, column)
        else { return .null }
        let length = Int(PQgetlength(result, row, column))
        switch kind {
        case .text: return text(UnsafePointer(bytes), length)
        case .integer:
            if let number = Self.integer(UnsafePointer(bytes), length) { return .integer(number) }
            fallthrough
        default: throw StorageError.corrupt("column \(column) is neither text nor an integer")
        }
    }

    private mutating func text(_ bytes: UnsafePointer<CChar>, _ length: Int) -> SQLValue {
        if let last, last.length == length, memcmp(last.bytes, bytes, length) == 0 { return last.value }
        let text = UnsafeRawBufferPointer(start: bytes, count: length)
        let value = SQLValue.text(String(decoding: text, as: UTF8.self))
        if length > Self.smallText { last = (bytes, length, value) }
        return value
    }

    private static func integer(_ bytes: UnsafePointer<CChar>, _ length: Int) -> Int64? {
        Int64(String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self))
    }
}
