import GRDB

/// A database as text, which version control and people can read.
enum SQLiteDump {
    static func restore(_ dump: String, to path: String) throws {
        let database = try DatabaseQueue(path: path)
        try database.writeWithoutTransaction { try $0.execute(sql: dump) }
        try database.close()
    }
}
