/// Why a PostgreSQL database could not be opened, in words for the operator who named it.
package enum PostgresOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    case badAddress(String)
    /// The server is away or refuses, or a migration failed.
    case cannotOpen(database: String, reason: String)
    /// A newer version has changed the database's tables.
    case newerSchema(database: String, found: Int64, known: Int64)
    /// The tables were never made, or by an older version, and this process may not change them.
    case notMigrated(String)
    case nodeInUse(String)

    package var description: String {
        switch self {
        case .badAddress(let reason): "the database address cannot be read: \(reason)"
        case .cannotOpen(let database, let reason): "the database \(database) cannot be opened: \(reason)"
        case .newerSchema(let database, let found, let known):
            "the database \(database) was written by a newer version (its tables are at version \(found), this program "
                + "knows up to \(known)); run the newer program, or restore a backup"
        case .notMigrated(let database):
            "the database \(database) has not been set up by this version; start the server once"
        case .nodeInUse(let node):
            "another process writes this database as the node \(node.debugDescription); each process needs a name of "
                + "its own"
        }
    }
}
