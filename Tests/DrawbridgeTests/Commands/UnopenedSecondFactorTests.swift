import ArgumentParser
import Bridge
import Foundation
import Testing

@testable import drawbridge

/// Second factors beside another master key than theirs (docs/operations.md, The master key has leaked).
@Suite struct UnopenedSecondFactorTests: CommandLineFixture {
    let folder: TemporaryFolder
    let config: String

    private var masterKey: String { folder.path + "/data/master-key" }
    /// What is told of the user that ``prepare()`` makes.
    private var text: String { "\(masterKey) does not open second factors (1): those of alice. " }

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.file("drawbridge.yaml", "public_origin: http://127.0.0.1:1\ndata_directory: data\n")
    }

    /// Keys, and an account whose second factor does not open.
    private func prepare() async throws {
        try await prepare("keys", "init")
        try await prepare("keys", "rotate")
        let now = Timestamp(seconds: 1_795_356_000)
        let account = Account(
            subject: "sub-alice", username: Username("alice"),
            passwordHash: try PasswordHash(Secret("correct horse"), cost: .light, random: .system),
            secondFactor: SecondFactor(sealedSecret: "of another master key"), createdAt: now)
        let event = AuditEvent(at: now, type: .userCreated, outcome: .success, subject: account.subject)
        let added = try await StorageOptions.parse(["--config", config]).withStorage {
            try await $0.addAccount(account, issuer: Account.issuer, link: nil, event: event)
        }
        try #require(added == .added)
    }

    @Test func `whose second factor the master key does not open is noted by check-config`() async throws {
        try await prepare()
        let ran = await run("check-config", "--online")
        #expect(ran.status == 0)
        #expect(ran.lines.contains { $0.hasPrefix("note  second factors: \(text)") }, "\(ran.output)")
    }

    @Test func `whose second factor the master key does not open is warned of by a restore`() async throws {
        try await prepare()
        try await prepare("backup", folder.path + "/backup")
        let restored = await run("restore", folder.path + "/backup")
        #expect(restored.status == 0, "\(restored.reason)")
        #expect(restored.errors.hasPrefix("warning: The master key \(text)"), "\(restored.errors)")
    }

    @Test func `a second factor is set up under the database's master key or not at all`() async throws {
        try await prepare()
        try FileManager.default.removeItem(atPath: masterKey)
        try await prepare("keys", "init")
        let refused = await run("users", "second-factor", "enrol", "--replace", "alice")
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(refused.reason.hasPrefix("The master key \(masterKey) does not open the key "), "\(refused.reason)")
        try await prepare("keys", "retire", "--all", "--now")
        try await prepare("users", "second-factor", "enrol", "--replace", "alice")
        let ran = await run("check-config", "--online")
        #expect(!ran.output.contains("second factors"), "\(ran.output)")
    }
}
