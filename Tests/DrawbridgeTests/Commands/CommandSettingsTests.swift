import ArgumentParser
import Bridge
import Foundation
import Testing

@testable import drawbridge

/// Where commands take their settings and their database from.
@Suite struct CommandSettingsTests {
    private let folder: TemporaryFolder
    private let config: String

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.commandSettings()
    }

    @Test func `settings that are refused end a command with status 78`() throws {
        let bad = try folder.file("bad.yaml", "public_origin: nonsense\n")
        let error = #expect(throws: ExitCode.self) {
            try KeysCommand.Initialize.parse(["--config", bad]).run()
        }
        #expect(error?.rawValue == 78)
    }

    @Test func `check-config fails on what serve would refuse, and accepts the rest`() async throws {
        let bad = try folder.file("bad.yaml", "public_origin: nonsense\n")
        func status(_ words: String...) async -> Int32 { await RanCommand(["check-config"] + words).status }
        #expect(await status("--config", bad) == 1)
        #expect(await status("--config", config) == 0)
        #expect(await status("--config", config, "--node", "west") == 0)
        #expect(await status("--config", config, "--nod", "x") == 1)
    }

    @Test func `a data folder stands for itself, and a database is named well or not at all`() throws {
        let location = try StorageOptions.parse(["--data", folder.path]).location()
        #expect(location.databasePath.hasPrefix(folder.path))
        #expect(location.databasePath.hasSuffix("/drawbridge.sqlite"))
        #expect(location.keyName == "localhost/drawbridge")
        #expect(throws: CommandError.self) {
            try StorageOptions.parse(["--data", folder.path, "--database", "nonsense"]).location()
        }
    }

    @Test func `a demo's clients are not shadowed by those of its database`() throws {
        let options = try StorageOptions.parse(["--data", folder.path])
        #expect(try options.holder(of: DemoClients.web) == "A demo")
        #expect(try options.holder(of: ClientID(rawValue: "shop")) == nil)
    }
}
