import Bridge
import Testing

@testable import SQLStorage

@Suite(.enabled(if: PostgresServer.isWanted)) struct PostgresDemoMaterialTests {
    @Test func `of demos that start at the same time all get what the first put there`() async throws {
        try await PostgresDatabase.with { database in
            let address = database.address
            let settled = try await withThrowingTaskGroup(of: [String: String].self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await PostgresDemoMaterial.settle(
                            ["key": "k\(number)", "secret": "s\(number)"], in: address,
                            at: Timestamp(milliseconds: 0))
                    }
                }
                return try await group.reduce(into: [[String: String]]()) { $0.append($1) }
            }
            #expect(Set(settled).count == 1)
            #expect(settled.first?.keys.sorted() == ["key", "secret"])
            let value = try await PostgresDemoMaterial.value("key", in: address)
            #expect(value == settled.first?["key"])
        }
    }

    @Test func `a value that nobody offered is none`() async throws {
        try await PostgresDatabase.with { database in
            _ = try await PostgresDemoMaterial.settle([:], in: database.address, at: Timestamp(milliseconds: 0))
            #expect(try await PostgresDemoMaterial.value("key", in: database.address) == nil)
        }
    }

    @Test func `a database that somebody uses is others' until a demo's value is there, an empty one is nobody's`()
        async throws
    {
        try await PostgresDatabase.with { database in
            let address = database.address
            func isOthers() async throws -> Bool { try await PostgresDemoMaterial.isOthers(address, lacking: "seed") }
            #expect(try await !isOthers(), "no tables")
            _ = try await database.open()
            #expect(try await !isOthers(), "empty tables")
            let session = try database.session()
            _ = try session.run("INSERT INTO client (client_id, document, updated_at) VALUES ('shop', '{}', 1)")
            #expect(try await isOthers())
            _ = try await PostgresDemoMaterial.settle(
                ["other": "value"], in: address, at: Timestamp(milliseconds: 0))
            #expect(try await isOthers(), "another value")
            _ = try await PostgresDemoMaterial.settle(["seed": "value"], in: address, at: Timestamp(milliseconds: 0))
            #expect(try await !isOthers())
            _ = try session.run("DROP TABLE demo_material")
            #expect(try await isOthers(), "as older versions left it")
        }
    }
}
