import Bridge
import CPostgres

/// What the server answered to one statement.
struct PostgresResult {
    let rows: [SQLRow]
    /// What the server says it did, such as `COMMIT` or `INSERT 0 1`.
    let commandTag: String

    /// How many rows the statement wrote or gave: what the command tag ends with.
    var changes: Int { commandTag.split(separator: " ").last.flatMap { Int($0) } ?? 0 }

    // Object ids of PostgreSQL's built-in types, which never change.
    private static let integerTypes: Set<Oid> = [20, 21, 23]
    private static let textTypes: Set<Oid> = [25, 1043]
    /// The "value" of a function that returns nothing.
    private static let voidType: Oid = 2278

    /// - Parameter result: one that is not an error.
    init(_ result: OpaquePointer) throws {
        commandTag = PQcmdStatus(result).map { String(cString: $0) } ?? ""
        let rowCount = PQntuples(result)
        guard rowCount > 0 else {
            rows = []
            return
        }
        let types = (0..<PQnfields(result)).map { PQftype(result, $0) }
        var rows: [SQLRow] = []
        rows.reserveCapacity(Int(rowCount))
        for row in 0..<rowCount {
            var values: [SQLValue] = []
            values.reserveCapacity(types.count)
            for (column, type) in types.enumerated() {
                values.append(try Self.value(result, row: row, column: CInt(column), type: type))
            }
            rows.append(SQLRow(values: values))
        }
        self.rows = rows
    }

    private static func value(_ result: OpaquePointer, row: CInt, column: CInt, type: Oid) throws -> SQLValue {
        guard PQgetisnull(result, row, column) == 0, type != voidType, let bytes = PQgetvalue(result, row, column)
        else { return .null }
        let text = String(cString: bytes)
        if textTypes.contains(type) { return .text(text) }
        guard integerTypes.contains(type), let number = Int64(text) else {
            throw StorageError.corrupt("column \(column) is neither text nor an integer")
        }
        return .integer(number)
    }
}
