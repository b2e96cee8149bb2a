import ArgumentParser
import Bridge
import Foundation
import Logging
import Testing

@testable import drawbridge

/// `keys retire` while a server runs on the embedded database, which has its master key in memory.
@Suite struct RetireBesideServersTests: CommandLineFixture {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let folder: TemporaryFolder
    let config: String

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.commandSettings()
    }

    /// Runs `body` while the database is a server's.
    private func whileServing(_ body: () async throws -> Void) async throws {
        for words in [["keys", "init"], ["keys", "rotate"]] { try await prepare(words) }
        let settings = try DrawbridgeSettings.load(SettingsInputs(filePath: config))
        let storage = try await ServerStorage.open(settings, watch: AuditWatch(), logger: Self.logger)
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        try await storage.close()
        try result.get()
    }

    private func replaceMasterKey() async throws {
        try FileManager.default.removeItem(atPath: "\(folder.path)/data/master-key")
        try await prepare("keys", "init")
    }

    private func keys() async throws -> [SealedSigningKey] {
        try await StorageOptions.parse(["--config", config]).reading { try await $0.signingKeys().keys }
    }

    @Test(arguments: [["--all", "--now"], ["--all"]])
    func `all keys under another master key are refused while a server runs, and nothing is changed`(
        words: [String]
    ) async throws {
        try await whileServing {
            let before = try await keys()
            try await replaceMasterKey()
            let refused = await run(["keys", "retire"] + words)
            #expect(refused.status == 1)
            let key = "\(folder.path)/data/master-key"
            #expect(refused.reason.hasPrefix("Nothing was changed. The master key \(key) opens none of the keys"))
            #expect(refused.reason.contains(": main. "))
            #expect(try await keys() == before)
        }
        let allowed = await run("keys", "retire", "--all", "--now")
        #expect(allowed.status == 0, "\(allowed.reason)")
    }

    @Test(arguments: [[], ["--now"]])
    func `an option that is misspelt is told as one, and not as a key that is missing`(words: [String]) async throws {
        for words in [["keys", "init"], ["keys", "rotate"]] {
            try await prepare(words)
        }
        let key = try #require(try await keys().first).id
        let line = ["keys", "retire", "--config", config, key] + words
        for option in [["--resaon", "laptop stolen"], ["--resaon=laptop stolen"]] {
            let ran = await RanCommand(line + option)
            #expect(ran.status == 64)
            #expect(ran.reason == "--resaon is not a known option, did you mean --reason?", "\(ran.reason)")
        }
        #expect(await RanCommand(line + ["--x"]).reason == "--x is not a known option.")
        #expect(try await keys().allSatisfy { $0.withdrawnAt == nil })
    }

    @Test func `the dry run names the servers that take it in, and with their master key it is done`() async throws {
        try await whileServing {
            let preview = await run("keys", "retire", "--all")
            #expect(preview.reason == "Nothing was changed. Add --now to retire at once.")
            #expect(preview.output.contains("These servers take it in within a second: main."))
            #expect(await run("keys", "retire", "--all", "--now").status == 0)
        }
        let alone = await run("keys", "retire", "--all")
        #expect(!alone.output.contains("These servers"))
    }

    @Test func `a master key that does not fit is told with the other servers before any retirement`() throws {
        let told = MasterKeyFileError(path: "/data/master-key", problem: .mismatch(keyID: "k")).description
        let copy = try #require(told.range(of: "another server of it has the file"))
        let stop = try #require(told.range(of: "stop every server first"))
        let retire = try #require(told.range(of: "drawbridge keys retire --all --now"))
        #expect(copy.lowerBound < stop.lowerBound && stop.lowerBound < retire.lowerBound)
    }
}
