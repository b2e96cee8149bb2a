import Bridge
import OAuth2
import Testing

@testable import SQLStorage

/// Signing keys as the first version kept them, on either engine.
enum FirstVersionKeys {
    private static let now = Timestamp(seconds: 1_795_244_400)

    /// The tables as they were, with a key that has followed another.
    static func fill(_ session: any SQLSession, _ dialect: SQLDialect) throws {
        let steps = Migration.all.filter { $0.version < Migration.sharedKeys.version }
        try Migrator(dialect: dialect, migrations: steps).migrate(session, at: now)
        for (id, retiresAt) in [("old", SQLValue(now + .seconds(90_000))), ("young", .null)] {
            _ = try session.change(
                """
                INSERT INTO signing_key (id, algorithm, sealed_key, public_key, created_at, signs_from, retires_at)
                VALUES ($1, 'ES256', 'sealed', '{}', $2, $2, $3)
                """, [.text(id), SQLValue(now), retiresAt])
        }
        _ = try session.run("INSERT INTO first_signing_key (algorithm, key_id) VALUES ('ES256', 'old')")
        _ = try session.run("INSERT INTO demo_material (name, content) VALUES ('login-token-keys.json', 'secret')")
    }

    /// The same after the step to keys that nodes share.
    static func check(_ storage: DurableStorage) async throws {
        let stored = try await storage.signingKeys()
        func key(_ id: String, until end: Timestamp?) -> SealedSigningKey {
            SealedSigningKey(
                id: id, algorithm: .es256, sealedKey: "sealed", publicKey: .object([:]), createdAt: now,
                signsFrom: now, retiresAt: end)
        }
        #expect(stored.number == 0)
        #expect(stored.keys == [key("old", until: now + .seconds(90_000)), key("young", until: nil)])
        var withdrawn = key("old", until: now + .seconds(90_000))
        withdrawn.withdrawnAt = now
        #expect(try await storage.changeSigningKeys(SigningKeyChange(saved: [withdrawn]), seenAs: 0, events: []))
        #expect(try await storage.signingKeys().keys.first == withdrawn)
        let secrets = try await storage.read { try $0.run("SELECT name FROM demo_material") }
        #expect(secrets == [])
    }
}
