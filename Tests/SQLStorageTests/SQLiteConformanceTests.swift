import Bridge
import StorageConformance
import Testing

@Suite struct SQLiteConformanceTests {
    private static let cases =
        LoginTokenStoreConformance.cases + WebSessionStoreConformance.cases + SubjectStoreConformance.cases
        + ClientStoreConformance.cases + SigningKeyStoreConformance.cases + AuditLogConformance.cases
        + AdminConformance.cases + AuditForwardConformance.cases
        + AuthorizationCodeStoreConformance.cases + AppSessionStoreConformance.cases + WebhookStoreConformance.cases
        + RefreshTokenStoreConformance.cases
        + AccountStoreConformance.cases + AuthorizationStoreConformance.cases + ReplacedSessionConformance.cases
        + DeviceSecretStoreConformance.cases
        + SessionRefreshStoreConformance.cases + SettingStoreConformance.cases

    @Test(arguments: cases)
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
