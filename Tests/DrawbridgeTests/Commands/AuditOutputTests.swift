import Bridge
import Foundation
import Testing

@testable import drawbridge

/// The commands that read the record, over one of three events.
@Suite struct AuditOutputTests: CommandLineFixture {
    let folder: TemporaryFolder
    let config: String

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.commandSettings()
    }

    private func add(_ ids: String...) async throws {
        for id in ids {
            let ran = await run("clients", "add", "-", input: #"{"client_id":"\#(id)","client_type":"native"}"#)
            try #require(ran.status == 0, "\(ran.reason)")
        }
    }

    private func prepare() async throws {
        try #require(await run("migrate").status == 0)
        try await add("one", "two", "three")
    }

    private static func clients(_ ran: RanCommand) -> [String] {
        ran.lines.compactMap { line in
            line.split(separator: " ").first { $0.hasPrefix("client=") }.map { String($0.dropFirst(7)) }
        }
    }

    @Test func `a search has the newest first, a tail the newest last`() async throws {
        try await prepare()
        #expect(Self.clients(await run("audit", "search", "--type", "client.created")) == ["three", "two", "one"])
        #expect(Self.clients(await run("audit", "tail", "-n", "2")) == ["two", "three"])
        #expect(Self.clients(await run("audit", "search", "--client", "two")) == ["two"])
    }

    @Test func `a search that found more says so, but not to other programs`() async throws {
        try await prepare()
        let ran = await run("audit", "search", "--limit", "1", "--format", "jsonl")
        #expect(ran.lines.count == 1)
        #expect(ran.errors == "There are more; narrow the search, or use audit export.\n")
        #expect(await run("audit", "search", "--limit", "100").errors.isEmpty)
    }

    @Test func `an export of some events has those, under CSV's header`() async throws {
        try await prepare()
        let ran = await run("audit", "export", "--format", "csv", "--client", "two")
        #expect(ran.output.hasPrefix(AuditCSV.header))
        #expect(ran.output.contains("two") && !ran.output.contains("three"))
    }

    @Test func `a whole export verifies with the public key alone, and not once it was changed`() async throws {
        try await prepare()
        let exported = await run("audit", "export").output
        let export = try folder.file("audit.jsonl", exported)
        let key = try folder.file("audit.pub", await run("audit", "public-key").output)
        let whole = await RanCommand(["audit", "verify", "--export", export, "--public-key", key])
        #expect(whole.status == 0)
        #expect(whole.output.contains(#""valid":true"#))
        _ = try folder.file("audit.jsonl", exported.replacing("\"two\"", with: "\"2wo\""))
        let changed = await RanCommand(["audit", "verify", "--export", export, "--public-key", key])
        #expect(changed.status == 1)
        #expect(changed.output.contains(#""valid":false"#))
        let empty = try folder.file("empty.jsonl", "")
        let nothing = await RanCommand(["audit", "verify", "--export", empty, "--public-key", key])
        #expect(nothing.status == 1)
        #expect(nothing.reason == "\(empty) holds no events: there is nothing to verify.")
        let trusted = try folder.file("none.pub", "no key\n")
        #expect(
            await RanCommand(["audit", "verify", "--export", export, "--public-key", trusted]).reason
                == "\(trusted) holds no key, or a line that is not one.")
    }

    @Test func `an export that cannot be read twice is refused, and says nothing of the log`() async throws {
        try await prepare()
        let key = try folder.file("audit.pub", await run("audit", "public-key").output)
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        for path in ["/dev/null", pipe] {
            let ran = await RanCommand(["audit", "verify", "--export", path, "--public-key", key])
            #expect(ran.status == 1 && ran.output.isEmpty)
            #expect(
                ran.reason
                    == "Cannot verify \(path): it is a pipe or a device, and it is read more than once: write it to a "
                    + "file first.")
        }
    }

    @Test func `a database is verified against what was kept elsewhere`() async throws {
        try await prepare()
        #expect(await run("audit", "verify").status == 0)
        let kept = try folder.file("kept.jsonl", await run("audit", "export").output)
        #expect(await RanCommand(["audit", "verify", "--config", config, "--checkpoint", kept]).status == 0)
        let none = try folder.file("none.txt", "nothing\n")
        let refused = await RanCommand(["audit", "verify", "--config", config, "--checkpoint", none])
        #expect(refused.status == 1)
        #expect(refused.reason.hasSuffix("no signed note."))
        let torn = try folder.file("torn.jsonl", #"{"checkpoint":{"note":7}}"# + "\n")
        let failed = await RanCommand(["audit", "verify", "--config", config, "--checkpoint", torn, kept])
        #expect(failed.status == 1)
        #expect(failed.output.contains(#""kind":"unreadable","line":1,"file":"\#(torn)""#))
        #expect(failed.output.contains(#""problem_count":1,"#))
        #expect(
            await RanCommand(["audit", "verify", "--config", config, "--checkpoint", "/nowhere/x"]).reason
                == "Cannot read /nowhere/x: no such file or directory.")
    }

    @Test func `a log that cannot be compared with the notes beside the key is not called whole`() async throws {
        let keys = folder.path + "/keys"
        try FileManager.default.createDirectory(
            atPath: keys, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let apart = try folder.file(
            "apart.yaml",
            "public_origin: https://www.example.com\ndata_directory: data\n"
                + "audit: {signing_key_file: keys/audit-signing-key}\n")
        try await RanCommand.prepare(["migrate", "--config", apart])
        let key = try folder.file(
            "audit.pub", await RanCommand(["audit", "public-key", "--config", apart]).output)
        let verify = ["audit", "verify", "--config", apart, "--public-key", key]
        try await RanCommand.prepare(verify)
        // A folder that is closed to an account says nothing to it of what is inside; nor does this, to root as well.
        try FileManager.default.moveItem(atPath: keys, toPath: keys + "-elsewhere")
        _ = try folder.file("keys", "")
        let ran = await RanCommand(verify)
        #expect(ran.status == 1 && ran.output.isEmpty)
        #expect(ran.reason.contains("\(keys)/audit-checkpoints"), "\(ran.reason)")
    }

    @Test func `a damaged line of the notes beside the key is named, until the log is accepted`() async throws {
        try await prepare()
        let path = folder.path + "/data/audit-checkpoints"
        let notes = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        _ = try folder.file("data/audit-checkpoints", notes.replacing("time ", with: "tyme "))
        let damaged = await run("audit", "verify")
        #expect(damaged.status == 1)
        #expect(damaged.output.contains(#""kind":"unreadable","line":1,"file":"\#(path)""#), "\(damaged.output)")
        #expect(await run("audit", "accept", "--reason", "a damaged disk").status == 0)
        #expect(await run("audit", "verify").status == 0)
    }

    @Test func `a log that contradicts nothing needs no accepting`() async throws {
        try await prepare()
        let ran = await run("audit", "accept", "--reason", "to be sure")
        #expect(ran.output == "The log contradicts nothing; there is nothing to accept.\n")
        #expect(await run("audit", "search", "--type", "audit.accepted").output.isEmpty)
    }

    @Test func `a restore brings the backup back, ends every session and keeps its reason`() async throws {
        try #require(await run("keys", "init").status == 0)
        try await prepare()
        let backup = folder.path + "/backup"
        let made = await run("backup", backup)
        #expect(made.lines.first?.hasSuffix("to \(backup).") == true)
        let mode = try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        #expect(!FileManager.default.fileExists(atPath: backup + "/master-key"))
        #expect(
            await run("backup", backup).reason
                == "\(backup) is not an empty folder; each backup has one of its own.")
        try await add("later")
        let restored = await run("restore", backup, "--reason", "tried it")
        #expect(restored.status == 0, "\(restored.reason)")
        #expect(restored.lines.contains("Every session ended."))
        #expect(await run("clients", "list").lines.count == 1 + 3)
        #expect(await run("audit", "verify").status == 0)
        #expect(await run("audit", "tail").output.contains("tried it"))
    }

    @Test func `a restore makes no audit signing key unless it is told to`() async throws {
        try #require(await run("keys", "init").status == 0)
        try await prepare()
        let backup = folder.path + "/backup"
        try #require(await run("backup", backup).status == 0)
        let (data, kept) = (folder.path + "/data", folder.path + "/kept")
        let before = try folder.file("audit.pub", await run("audit", "public-key").output)
        try FileManager.default.moveItem(atPath: data, toPath: kept)
        let refused = await run("restore", backup)
        #expect(refused.status == 1)
        #expect(refused.reason.contains("data/audit-signing-key, and the audit log is signed."))
        #expect(!FileManager.default.fileExists(atPath: data))
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: kept + "/audit-signing-key", toPath: data + "/audit-signing-key")
        let restored = await run("restore", backup)
        #expect(restored.status == 0, "\(restored.reason)")
        #expect(await run("audit", "verify", "--public-key", before).status == 0)
        try FileManager.default.removeItem(atPath: data + "/audit-signing-key")
        #expect(await run("restore", "--in-place").status == 1)
        let anew = await run("restore", "--in-place", "--new-audit-key")
        #expect(anew.status == 0, "\(anew.reason)")
        #expect(anew.output.contains("Made the audit signing key "))
        let both = try await run("audit", "public-key").output + String(contentsOfFile: before, encoding: .utf8)
        let trusted = try folder.file("both.pub", both)
        #expect(await run("audit", "verify", "--public-key", trusted).status == 0)
    }

    @Test func `what is no backup, or was changed since, is not restored`() async throws {
        try await prepare()
        let empty = folder.path + "/empty"
        #expect(await run("restore", empty).reason.hasPrefix("\(empty) is not a backup"))
        let backup = folder.path + "/backup"
        try #require(await run("backup", backup).status == 0)
        let database = try #require(FileHandle(forWritingAtPath: backup + "/drawbridge.sqlite"))
        try database.seekToEnd()
        try database.write(contentsOf: Data([0]))
        try database.close()
        let refused = await run("restore", backup)
        #expect(refused.status == 1)
        #expect(refused.reason.hasSuffix("is not what was backed up: its digest is another."))
        #expect(await run("clients", "list").lines.count == 1 + 3)
    }

    @Test func `a database that was restored by other means is told so, in place`() async throws {
        #expect(await run("restore", "--in-place").reason.hasPrefix("There is no database at "))
        #expect(await run("backup", folder.path + "/backup").reason.hasPrefix("There is no database at "))
        try await prepare()
        let told = await run("restore", "--in-place", "--keep-sessions")
        #expect(told.status == 0, "\(told.reason)")
        #expect(told.lines.contains("Done. Login tokens of before are not accepted any more."))
        #expect(!told.output.contains("Every session ended."))
    }
}
