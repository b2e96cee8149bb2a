import Bridge
import OAuth2
import StorageConformance
import Testing

@testable import SQLStorage

/// What a rotation finds that has waited for its device.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresDeviceRotationTests {
    @Test func `a secret that another node has dropped meanwhile is unknown, and not taken for stolen`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "n")
            try await storage.addUser("alice", at: Visit.now)
            let session = AppSession(
                id: "app-a", subject: "alice", clientID: "app", scope: Scope(tokens: ["openid"]), opening: .authorize,
                authentication: Authentication(), createdAt: Visit.now, expiresAt: Visit.now + .seconds(3600))
            let opened = try await storage.open(session, refreshToken: nil, events: [])
            #expect(opened == .opened)
            let device = DeviceSecret(
                id: "device", subject: "alice", clientID: "app", sessionID: "app-a", name: nil, createdAt: Visit.now,
                expiresAt: Visit.now + .seconds(3600))
            _ = try await storage.issueDeviceSecret(
                device, digest: "first", limit: DeviceSecretLimit(count: 3, behavior: .revokeOldest),
                event: .sample(.deviceSecretIssued), displaced: .sample(.limit), rejected: nil)
            let other = PostgresSession(
                address: database.address, applicationName: "other", timeouts: .command, logger: .silent)
            try other.connect()
            try other.begin()
            _ = try other.run("UPDATE device_secret SET use_count = use_count WHERE id = 'device'")
            async let rotated = storage.rotateDeviceSecret(
                digest: "first", to: "next", at: Visit.now, overlap: .seconds(30),
                event: .sample(.deviceSecretRotated), replayed: .sample(.replayed))
            try await database.untilSomebodyWaits(for: "device_secret SET")
            _ = try other.run("DELETE FROM device_secret_digest WHERE digest = 'first'")
            try other.commit()
            let outcome = try await rotated
            #expect(outcome == .refused(.unknown))
            #expect(try await storage.deviceSecret(id: "device")?.revokedAt == nil)
        }
    }
}
