import Bridge
import CPostgres

/// What the server answered to one statement.
struct PostgresResult {
    let rows: [SQLRow]
    /// What the server says it did, such as `COMMIT` or `INSERT 0 1`.
    let commandTag: String

    /// How many rows the statement wrote or gave: what the command tag ends with.
    var changes: Int { commandTag.split(separator: " ").last.flatMap { Int($0) } ?? 0 }

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
