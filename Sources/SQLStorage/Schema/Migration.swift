/// One step of the database's tables; never changed once released, only followed by another.
struct Migration: Sendable {
    /// 1, 2, 3… without gaps.
    let version: Int64
    let name: String
    let statements: @Sendable (SQLDialect) -> [SQLStatement]
}

/// The database's tables are of a version that this program does not know.
struct NewerSchemaError: Error {
    let found: Int64
    let known: Int64
}
