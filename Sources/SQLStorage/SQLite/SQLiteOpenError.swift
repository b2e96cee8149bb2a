/// Why a database file could not be opened, in words for the operator who named it.
package enum SQLiteOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    case directoryMissing(String)
    /// Anything else that keeps the file from being opened for reading and writing.
    case cannotOpen(path: String, reason: String)
    case notADatabase(String)
    /// A newer version has changed the database's tables.
    case newerSchema(path: String, found: Int64, known: Int64)
    /// The tables were never made, or by an older version, and this process may not change them.
    case notMigrated(String)
    case nodeInUse(String)
    case badNodeName(String)

    package var description: String {
        switch self {
        case .directoryMissing(let path): "the directory \(path) does not exist"
        case .cannotOpen(let path, let reason): "\(path) cannot be opened: \(reason)"
        case .notADatabase(let path): "\(path) is not an SQLite database, or is damaged"
        case .newerSchema(let path, let found, let known):
            "\(path) was written by a newer version (its tables are at version \(found), this program knows up to "
                + "\(known)); run the newer program, or restore a backup"
        case .notMigrated(let path): "\(path) has not been set up by this version; start the server once"
        case .nodeInUse(let node): "another process writes this database as the node \(node.debugDescription)"
        case .badNodeName(let node):
            "\(node.debugDescription) is not a node name: use 1 to 64 letters, digits, dots, dashes and underscores"
        }
    }
}
