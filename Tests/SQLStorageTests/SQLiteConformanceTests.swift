import Bridge
import StorageConformance
import Testing

@Suite struct SQLiteConformanceTests {
    @Test(arguments: StorageConformance.all)
    func `SQLite keeps the rule`(_ conformance: ConformanceCase<any BridgeStorage>) async throws {
        try await TemporaryDatabase.with { database in
            try await conformance.check { try database.open() }
        }
    }

    @Test
    func `contract §16.6: of 10,000 trees that are ended while they grow nothing below stays, nothing beside goes`()
        async throws
    {
        try await TemporaryDatabase.with { database in
            try await LineageTrees([try database.open()], seed: 1).check(10_000, together: 100)
        }
    }
}
