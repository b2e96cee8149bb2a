import Foundation
import Testing

@testable import drawbridge

/// What commands say where no database is, as for one that a secret names and the command was not given.
@Suite struct MissingDatabaseTests: CommandLineFixture {
    let folder: TemporaryFolder
    let config: String

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.commandSettings()
    }

    @Test func `where there is a master key and no database, a command asks for the secret that names one`()
        async throws
    {
        try await prepare("keys", "init")
        let hint = " The first start makes it, or drawbridge migrate. Where a secret names the database, the command "
        for words in [["keys", "list"], ["restore", "--in-place"], ["backup", folder.path + "/backup"]] {
            let ran = await run(words)
            #expect(ran.status == 1, "\(words)")
            #expect(
                ran.reason == "There is no database at \(folder.path)/data/drawbridge.sqlite.\(hint)"
                    + "needs it as well (DRAWBRIDGE_DATABASE or --secrets-directory).", "\(words)")
        }
    }

    @Test func `a folder that is named and has no database is the wrong one`() async {
        let mistyped = await RanCommand(["keys", "list", "--data", folder.path + "/dat"])
        #expect(mistyped.status == 1)
        #expect(mistyped.reason == "There is no database at \(folder.path)/dat/drawbridge.sqlite.")
    }

    @Test func `before the first start there are no keys to list`() async {
        let ran = await run("keys", "list")
        #expect(ran.status == 0)
        #expect(ran.errors == "There is no database yet; the first start makes the keys.\n")
    }

    @Test func `to a program no keys are an empty list, before the first start and before the first keys`() async {
        let words = ["keys", "list", "--format", "json"]
        #expect(await run(words).output == "[]\n")
        #expect(await run("migrate").status == 0)
        #expect(await run(words).output == "[]\n")
    }
}
