import GRDB

extension SQLFailure {
    /// Takes over the code and SQLite's own message; `DatabaseError`'s description could bring arguments along.
    init(_ error: DatabaseError) {
        let kind: Kind =
            switch error.resultCode {
            case .SQLITE_CONSTRAINT, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE: .refused
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT: .corrupt
            default: .unavailable
            }
        self.init(kind: kind, text: "SQLite \(error.extendedResultCode): \(error.message ?? "no message")")
    }
}
