import Bridge
import StorageConformance
import Testing

@testable import SQLStorage

@Suite struct SQLStatementTests {
    @Test(arguments: [
        ("SELECT 1", []),
        ("SELECT $1, $2", [0, 1]),
        ("DELETE FROM t WHERE a < $2 AND b = $1", [1, 0]),
        ("VALUES ($2,$2,$1,$2)", [1, 0]),
        ("SELECT $10$3$1", [9, 2, 0]),
    ])
    func `arguments are ordered by first appearance`(_ text: String, _ order: [Int]) {
        #expect(SQLStatement(text).argumentOrder == order)
    }

    @Test func `the second parameter may stand before the first`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let left = try await storage.write { transaction in
                try transaction.run("CREATE TABLE t (a BIGINT, b TEXT)")
                for (number, text) in [(1, "x"), (1, "y"), (5, "x")] {
                    try transaction.run("INSERT INTO t VALUES ($1, $2)", [.integer(Int64(number)), .text(text)])
                }
                let deleted = try transaction.run(
                    "DELETE FROM t WHERE a < $2 AND b = $1 RETURNING a", [.text("x"), .integer(5)])
                #expect(deleted == [SQLRow(values: [.integer(1)])])
                return try transaction.run("SELECT a, b FROM t ORDER BY a, b")
            }
            #expect(left.map(\.values) == [[.integer(1), .text("y")], [.integer(5), .text("x")]])
        }
    }

    @Test func `a wrong number of arguments is refused`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            await #expect(throws: StorageError.self) {
                try await storage.write { try $0.run("SELECT $1, $2", [.integer(1)]) }
            }
        }
    }

    // SQLite would store `alice` for `alice\0mallory`.
    @Test func `text with a zero byte is refused, not cut`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            await #expect(throws: StorageError.self) {
                try await storage.addUser("alice\0mallory", at: Timestamp(milliseconds: 0))
            }
            #expect(try await storage.standing(of: "alice") == .unknown)
        }
    }

    @Test func `an error's text names no argument`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let error = await #expect(throws: StorageError.self) {
                try await storage.write { transaction in
                    for _ in 1...2 {
                        try transaction.run("INSERT INTO heartbeat VALUES ($1, $2)", [.text("marker"), .integer(1)])
                    }
                }
            }
            #expect(error.map { !String(reflecting: $0).contains("marker") && !"\($0)".contains("marker") } == true)
        }
    }
}
