import ArgumentParser
import Bridge
import Foundation
import Testing

@testable import drawbridge

/// Restores where the keys in their places are not those of the backup.
@Suite struct RestoreKeysTests: CommandLineFixture {
    let folder: TemporaryFolder
    let config: String
    private let backup: String

    private var data: String { folder.path + "/data" }

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.commandSettings()
        backup = folder.path + "/backup"
    }

    /// Keys, a database whose log is signed, and its backup.
    private func prepare() async throws {
        for words in [["keys", "init"], ["keys", "rotate"], ["backup", backup]] { try await prepare(words) }
    }

    /// Puts another one in a key's place.
    private func replace(_ name: String) async throws {
        try FileManager.default.removeItem(atPath: "\(data)/\(name)")
        try #require(await run("keys", "init").status == 0)
    }

    private func isClear() throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: data).allSatisfy { !$0.contains(".restoring") }
    }

    @Test func `a backup whose log another key signed is refused, and nothing is changed`() async throws {
        try await prepare()
        try await replace("audit-signing-key")
        let before = FileManager.default.contents(atPath: "\(data)/drawbridge.sqlite")
        let refused = await run("restore", backup)
        #expect(refused.status == 1)
        #expect(
            refused.reason.hasPrefix("The audit log is signed by another key than \(data)/audit-signing-key, last at "))
        #expect(refused.reason.contains("--public-key") && refused.reason.contains("--new-audit-key"))
        #expect(FileManager.default.contents(atPath: "\(data)/drawbridge.sqlite") == before)
        #expect(try isClear())
    }

    @Test func `on a new machine whose audit key was made there a restore is refused`() async throws {
        try await prepare()
        let master = try #require(FileManager.default.contents(atPath: "\(data)/master-key"))
        try FileManager.default.removeItem(atPath: data)
        try #require(await run("keys", "init").status == 0)
        try PrivateFile.replace("\(data)/master-key", with: Array(master))
        #expect(await run("restore", backup).status == 1)
        #expect(!FileManager.default.fileExists(atPath: "\(data)/drawbridge.sqlite"))
    }

    @Test func `a log that an earlier key signed is restored where that is named`() async throws {
        try await prepare()
        let earlier = try folder.file("earlier.pub", await run("audit", "public-key").output)
        try await replace("audit-signing-key")
        let other = try folder.file("other.pub", await run("audit", "public-key").output)
        #expect(await run("restore", backup, "--public-key", other).status == 1)
        let restored = await run("restore", backup, "--public-key", earlier)
        #expect(restored.status == 0, "\(restored.reason)")
        #expect(!restored.output.contains("Made the audit signing key"))
        let both = try String(contentsOfFile: earlier, encoding: .utf8) + String(contentsOfFile: other, encoding: .utf8)
        let trusted = try folder.file("both.pub", both)
        #expect(await run("audit", "verify", "--public-key", trusted).status == 0)
    }

    @Test func `a log whose key is lost goes on with the key that is there, where that is said`() async throws {
        try await prepare()
        try await replace("audit-signing-key")
        let key = await run("audit", "public-key").output
        #expect(await run("restore", "--in-place").status == 1)
        let restored = await run("restore", "--in-place", "--new-audit-key")
        #expect(restored.status == 0, "\(restored.reason)")
        #expect(await run("audit", "public-key").output == key)
    }

    @Test func `a log that nobody has signed yet takes any key`() async throws {
        for words in [["keys", "init"], ["migrate"]] {
            try await prepare(words)
        }
        try #require(await run("backup", backup).status == 0)
        let location = try StorageOptions.parse(["--config", config]).location()
        try #require(try await location.newestCheckpoint() == nil)
        try await replace("audit-signing-key")
        #expect(await run("restore", backup).status == 0)
    }

    @Test func `a master key that does not open the backup's keys is warned of, with what to do`() async throws {
        try await prepare()
        let good = await run("restore", backup)
        #expect(good.status == 0 && good.errors.isEmpty)
        try await replace("master-key")
        let restored = await run("restore", backup)
        #expect(restored.status == 0, "\(restored.reason)")
        #expect(restored.errors.hasPrefix("warning: The master key \(data)/master-key does not open the key "))
        #expect(restored.errors.contains("drawbridge keys retire --all --now"))
    }

    @Test func `keys that were retired since need no master key`() async throws {
        try await prepare()
        try await replace("master-key")
        try #require(await run("keys", "retire", "--all", "--now").status == 0)
        let restored = await run("restore", backup)
        #expect(restored.status == 0 && restored.errors.isEmpty, "\(restored.reason)\(restored.errors)")
    }
}
