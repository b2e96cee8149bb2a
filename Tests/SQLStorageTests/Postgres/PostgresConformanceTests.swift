import Bridge
import StorageConformance
import Testing

@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresConformanceTests {
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
