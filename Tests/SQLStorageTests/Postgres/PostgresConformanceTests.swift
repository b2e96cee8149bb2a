import Bridge
import StorageConformance
import Testing

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresConformanceTests {
    @Test(arguments: StorageConformance.all)
    func `PostgreSQL keeps the rule`(_ conformance: ConformanceCase<any BridgeStorage>) async throws {
        try await PostgresDatabase.with { database in
            try await conformance.check { try await database.open() }
        }
    }

    @Test func `contract §16.6: of 1,000 trees on two servers nothing below an end stays, nothing beside goes`()
        async throws
    {
        try await PostgresDatabase.with { database in
            try await LineageTrees([try await database.open(), try await database.open()], seed: 2).check(1_000)
        }
    }
}
