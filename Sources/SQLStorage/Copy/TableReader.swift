/// Reads a table from its first key to its last, a part at a time.
struct TableReader {
    private let table: CopiedTable
    private let session: any SQLSession
    private let partSize: Int
    private var lastKey: [SQLValue]?
    private var isAtEnd = false

    init(_ table: CopiedTable, from session: any SQLSession, partSize: Int) {
        self.table = table
        self.session = session
        self.partSize = partSize
    }

    /// The next rows; none at the end.
    mutating func next() throws -> [SQLRow] {
        guard !isAtEnd else { return [] }
        let limit = [SQLValue.integer(Int64(partSize))]
        let rows =
            if let lastKey {
                try session.run(table.nextRows, lastKey + limit)
            } else {
                try session.run(table.firstRows, limit)
            }
        isAtEnd = rows.count < partSize
        lastKey = rows.last.map { Array($0.values.prefix(table.keyLength)) }
        return rows
    }
}
