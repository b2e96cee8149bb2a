import ArgumentParser
import Bridge
import Foundation
import OAuth2
import Testing

@testable import drawbridge

/// What an operator reads, on which stream, and with which status the command ends.
@Suite struct CommandOutputTests: CommandLineFixture {
    let folder: TemporaryFolder
    let config: String

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.commandSettings(
            """
            clients:
              - {client_id: fixed, client_type: web, return_paths: [/cart], default_return_path: /cart}
            """)
    }

    private func client(_ id: String, _ more: String = "") throws -> String {
        try folder.file("\(id).json", #"{"client_id":"\#(id)","client_type":"web","client_name":"Shop"\#(more)}"#)
    }

    private func signingKeys() async throws -> [SealedSigningKey] {
        try await StorageOptions.parse(["--config", config]).reading { try await $0.signingKeys().keys }
    }

    @Test func `a client's secret is shown once, and neither its list nor its document has it`() async throws {
        try await prepare("migrate")
        let added = await run("clients", "add", try client("shop"))
        #expect(added.lines.first == "Added shop. Running servers know within a second.")
        let secret = try #require(added.lines.last?.split(separator: " ").last.map(String.init))
        #expect(OpaqueSecret(secret, kind: .clientSecret) != nil)
        #expect(
            await run("clients", "list").output
                == "CLIENT ID  CLIENT TYPE  CLIENT NAME\nshop       web          Shop\n")
        let shown = await run("clients", "show", "shop")
        #expect(shown.output.contains(#""client_id":"shop""#) || shown.output.contains(#""client_id" : "shop""#))
        #expect(!shown.output.contains(secret))
    }

    @Test func `a client's document may come on the standard input`() async throws {
        try await prepare("migrate")
        let added = await run("clients", "add", "-", input: #"{"client_id":"app","client_type":"native"}"#)
        #expect(added.output == "Added app. Running servers know within a second.\n", "an app has no secret")
    }

    @Test func `what is not there is told on the error stream alone, with status 1`() async throws {
        try await prepare("migrate")
        let shown = await run("clients", "show", "nosuch")
        #expect(shown.status == 1)
        #expect(shown.output.isEmpty)
        #expect(shown.reason == "There is no client nosuch in the database.")
        let added = await run("clients", "add", "/nowhere/x.json")
        #expect(added.reason == "Cannot read /nowhere/x.json: no such file or directory.")
    }

    @Test(arguments: [
        ["clients", "add"], ["restore"], ["restore", "/backup", "--in-place"], ["keys", "retire"],
        ["keys", "rotate", "--reason", "a\nb"], ["explain", "token", "--data", "/tmp/x"],
        ["explain", "self-issued", "--data", "/tmp/x"], ["explain", "token", "--ip", "x"],
        ["explain", "redirect", "--allow", "/a", "--client", "x", "/a"], ["nonsense"],
        ["audit", "export", "--format", "xml"], ["audit", "search", "--data", "/tmp/x", "--type", "nonsense"],
        ["copy", "--from", "x", "--to", "y"],
    ])
    func `misuse ends with the status for it`(_ words: [String]) async {
        let ran = await RanCommand(words)
        #expect(ran.status == 64, "\(ran.reason)")
        #expect(ran.output.isEmpty)
    }

    @Test func `a secret that is made comes with the digest for the settings file`() async throws {
        let made = await RanCommand(["clients", "secret"])
        let words = made.lines.compactMap { $0.split(separator: " ").last.map(String.init) }
        try #require(words.count == 2)
        #expect(OpaqueSecret(words[0], kind: .clientSecret)?.digest == words[1])
    }

    @Test func `a user is added with the password of the standard input, and listed`() async throws {
        try await prepare("migrate")
        let added = await run("users", "add", "alice", "--name", "Alice", input: "correct horse battery\n")
        #expect(added.output.hasPrefix("Added alice with subject "))
        let listed = await run("users", "list")
        #expect(listed.lines.count == 2)
        #expect(listed.lines.last?.split(separator: " ").dropFirst().prefix(2) == ["alice", "-"])
        let again = await run("users", "add", "alice", input: "correct horse battery\n")
        #expect(again.status == 1)
        #expect(again.reason == "There is an account alice already.")
    }

    @Test(arguments: [
        ("short\n", "The password must have at least 8 characters."), ("", "No password came on the standard input."),
    ])
    func `a password that is none adds nobody`(_ input: String, _ reason: String) async throws {
        try await prepare("migrate")
        #expect(await run("users", "add", "alice", input: input).reason == reason)
        #expect(await run("users", "list", "--format", "json").output == "[]\n")
    }

    @Test func `a password is changed for somebody who is there`() async throws {
        try await prepare("migrate")
        #expect(
            await run("users", "password", "alice", input: "another good one\n").reason
                == "There is no account alice: drawbridge users list has the users that are known.")
        try await prepare("users", "add", "alice", input: "correct horse battery\n")
        let changed = await run("users", "password", "alice", input: "another good one\n")
        #expect(changed.output == "Changed the password of alice; 0 sessions ended.\n")
        let account = try await StorageOptions.parse(["--config", config]).reading { storage in
            try await UserName("alice").account(in: storage)
        }
        #expect(try account?.passwordHash?.matches(Secret("another good one")) == true)
    }

    @Test func `claims are kept when every one is known`() async throws {
        try await prepare("migrate")
        try await prepare("users", "add", "alice", input: "correct horse battery\n")
        let good = await run("users", "claims", "alice", "-", input: #"{"given_name":"Alice"}"#)
        #expect(good.output == "alice has 1 claim.\n")
        let unknown = await run("users", "claims", "alice", "-", input: #"{"colour":"red"}"#)
        #expect(unknown.reason == #"-: "colour" is not a claim that can be kept."#)
        #expect(await run("users", "claims", "alice", "-", input: "[]").reason == "- holds no JSON object.")
        #expect(
            await run("users", "claims", "bob", "-", input: "{}").reason
                == "There is no account bob: drawbridge users list has the users that are known.")
    }

    @Test func `keys are listed once there are some, and never with a secret`() async throws {
        let none = await run("keys", "list")
        #expect(none.errors == "There is no database yet; the first start makes the keys.\n")
        #expect(none.output.isEmpty && none.status == 0)
        try await prepare("migrate")
        #expect(await run("keys", "list").errors == "There are no keys yet; the first start makes them.\n")
        try await prepare("keys", "init")
        try await prepare("keys", "rotate")
        let listed = await run("keys", "list")
        #expect(listed.errors.isEmpty)
        #expect(listed.lines.count == 1 + 2 * KeyAlgorithm.allCases.count)
        for key in try await signingKeys() {
            #expect(listed.output.contains(key.id))
            #expect(!listed.output.contains(key.sealedKey))
        }
    }

    @Test func `a key is retired when it is said twice, and no other is`() async throws {
        try await prepare("migrate")
        try await prepare("keys", "init")
        try await prepare("keys", "rotate")
        let keys = try await signingKeys()
        let leaked = try #require(keys.first { $0.algorithm == .es256 }).id
        let asked = await run("keys", "retire", leaked)
        #expect(asked.status == 1)
        #expect(asked.reason == "Nothing was changed. Add --now to retire at once.")
        #expect(asked.output.contains(leaked))
        let done = await run("keys", "retire", "--now", "--reason", "laptop stolen", leaked)
        #expect(done.lines.contains("Retired \(leaked)."))
        let left = try await signingKeys()
        #expect(left.filter { $0.withdrawnAt != nil }.map(\.id) == [leaked])
        let again = await run("keys", "retire", "--now", leaked)
        #expect(again.lines.last == "Nothing to do: it was retired before.")
        #expect(
            await run("keys", "retire", "--now", "nosuch").reason
                == "There is no key nosuch; `drawbridge keys list` shows all.")
    }

    private static let answers: [[String]] = [
        ["clients", "secret"], ["clients", "show", "shop"], ["audit", "public-key"], ["audit", "verify"],
        ["users", "second-factor", "enrol", "alice"], ["check-config"],
        ["explain", "redirect", "--client", "fixed", "/cart"],
        ["explain", "token"],
    ]

    @Test(arguments: answers)
    func `an answer that nobody takes is a failure, with a sentence`(_ words: [String]) async throws {
        try await prepare("migrate")
        try await prepare("keys", "init")
        try await prepare("clients", "add", try client("shop"))
        try await prepare("users", "add", "alice", input: "correct horse battery\n")
        let settings = words == ["clients", "secret"] ? [] : ["--config", config]
        let ran = await RanCommand(words + settings, input: "no.token.here\n", outputIsClosed: true)
        #expect(ran.status == 1)
        #expect((ran.reason + ran.errors).contains("Cannot write to standard output: bad file descriptor."))
    }

    @Test func `recovery codes that nobody takes are a failure`() async throws {
        try await prepare("migrate")
        try await prepare("keys", "init")
        try await prepare("users", "add", "alice", input: "correct horse battery\n")
        try await prepare("users", "second-factor", "enrol", "alice")
        let ran = await run(["users", "second-factor", "recovery-codes", "alice"], outputIsClosed: true)
        #expect(ran.status == 1)
        #expect(
            ran.reason == "Cannot write to standard output: bad file descriptor. alice has new recovery codes all the "
                + "same, and nobody has seen them: call this again.")
    }

    @Test func `what was done stays done although nobody can be told`() async throws {
        let ran = await run(["migrate"], outputIsClosed: true)
        #expect(ran.status == 0)
    }

    @Test func `a settings file that cannot be read is told with the reason alone`() async {
        let missing = await RanCommand(["check-config", "--config", "/no/such.yaml"])
        #expect(missing.errors.contains("cannot be read: no such file or directory"))
        #expect(!missing.errors.contains("Cannot read"), "not said twice")
        #expect(!missing.errors.contains("public_origin"), "what stands in no file cannot be missing from it")
    }

    @Test func `a settings file in another encoding is told as that`() async throws {
        let path = try folder.file("latin.yaml", "")
        try Data([0x61, 0x3A, 0x20, 0xE4, 0xFF]).write(to: URL(filePath: path))
        let ran = await RanCommand(["check-config", "--config", path])
        #expect(ran.errors.contains("cannot be read: it is not text in UTF-8"), "\(ran.errors)")
    }

    @Test func `check-config online says of each thing whether it answers`() async throws {
        let settings = try folder.file(
            "online.yaml",
            """
            public_origin: http://127.0.0.1:1
            data_directory: data
            redis: {url: "redis://127.0.0.1:1"}
            trusted_issuers:
              - {issuer: "http://127.0.0.1:1/issuer", audience: [here], jwks_uri: "http://127.0.0.1:1/jwks", \
            subject_prefix: "x:"}
            """)
        let before = await RanCommand(["check-config", "--online", "--config", settings])
        #expect(before.status == 1)
        let said = before.lines.map(String.init)
        #expect(
            said.contains { $0.hasPrefix("FAIL  master key: There is no master key") },
            "\(before.output)\(before.errors)")
        #expect(said.contains { $0.hasPrefix("note  database: ") && $0.hasSuffix("the first start makes it") })
        #expect(said.contains { $0.hasPrefix("FAIL  redis: ") })
        #expect(said.contains { $0.hasPrefix("FAIL  trusted issuer http://127.0.0.1:1/issuer: nobody listens there") })
        #expect(said.contains("note  origin http://127.0.0.1:1: nobody listens there now; a server or proxy should"))
        try await prepare("keys", "init")
        try await prepare("migrate")
        let after = await run("check-config", "--online", "--public-origin", "http://127.0.0.1:1")
        #expect(after.status == 0, "\(after.output)")
        #expect(after.lines.contains { $0.hasPrefix("ok    database: ") && $0.hasSuffix("drawbridge.sqlite") })
        #expect(after.lines.contains { $0.hasPrefix("ok    audit signing key: ") })
    }

    @Test func `a long command shows how far it is to somebody who watches, and to nobody else`() async throws {
        try await prepare("migrate")
        let watched = await run(["audit", "export"], isWatched: true)
        #expect(watched.errors.hasPrefix("\r") && watched.errors.contains(" lines"))
        #expect(watched.errors.hasSuffix("\r\u{1B}[K"), "and takes it away")
        let unwatched = await run("audit", "export")
        #expect(unwatched.errors.isEmpty)
        #expect(unwatched.output == watched.output)
    }

    @Test func `migrate shows its steps to somebody who watches, and none where there are none`() async throws {
        let first = await run(["migrate"], isWatched: true)
        #expect(first.errors.hasPrefix("\r0 of ") && first.errors.contains(" steps"))
        #expect(first.errors.hasSuffix("\r\u{1B}[K"))
        #expect(first.output == "The database is up to date.\n")
        #expect(await run(["migrate"], isWatched: true).errors.isEmpty)
    }

    @Test func `check-config prints where each value comes from, and warnings beside it`() async throws {
        let ran = await run("check-config", "--login-token-lifetime", "30s")
        #expect(ran.status == 0)
        #expect(ran.errors.hasSuffix("The settings are accepted.\n"))
        let line = try #require(ran.lines.first { $0.hasPrefix("login_token.lifetime: ") })
        #expect(line.contains("30s") && line.contains("--login-token-lifetime"))
        #expect(ran.lines.contains { $0.hasPrefix("clients: fixed (web)") })
        #expect(!ran.output.contains("warning"))
    }

    @Test func `keys for other machines are made once, whatever this one lacks of what those have`() async throws {
        let theirs = try folder.file(
            "theirs.yaml",
            """
            public_origin: https://www.example.com
            data_directory: \(folder.path)/nowhere
            redis: {url: "rediss://redis.example.com:6379", password_file: \(folder.path)/nowhere/password}
            """)
        let keys = folder.path + "/keys"
        let made = await RanCommand(["keys", "init", "--config", theirs, "--into", keys])
        #expect(made.lines.map(String.init) == ["Made \(keys)/master-key.", "Made \(keys)/audit-signing-key."])
        #expect(try FileManager.default.contentsOfDirectory(atPath: keys).count == 2)
        #expect(try MasterKeyFile.read(keys + "/master-key") != nil)
        let first = try PrivateFile.read(keys + "/audit-signing-key")
        #expect(String(decoding: first, as: UTF8.self).contains("www.example.com/drawbridge"))
        let again = await RanCommand(["keys", "init", "--config", theirs, "--into", keys])
        #expect(again.status != 0 && again.reason.contains("are there already"))
        #expect(try PrivateFile.read(keys + "/audit-signing-key") == first)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/nowhere"))
    }

    @Test func `every setting is listed with what it is for, and no file is read for it`() async throws {
        let ran = await RanCommand(["check-config", "--describe", "--config", "/nowhere.yaml"])
        #expect(ran.status == 0 && ran.errors.isEmpty)
        #expect(ran.lines.count == SettingKey.all.count + 2)
        #expect(ran.output.contains(#""name":"public_origin""#) && ran.output.contains(#""required":"true""#))
    }

    private static let refusals: [(words: [String], status: Int32)] = [
        (["check-config"], 1), (["serve"], 78), (["keys", "init"], 78), (["migrate"], 78),
    ]

    @Test(arguments: refusals)
    func `settings that are refused are all told at once, and nothing is made`(
        _ words: [String], _ status: Int32
    ) async throws {
        let bad = try folder.file("bad.yaml", "public_origin: nonsense\ncolour: red\ndata_directory: made\n")
        let ran = await RanCommand(words + ["--config", bad])
        #expect(ran.status == status)
        #expect(ran.errors.contains("public_origin") && ran.errors.contains("colour"))
        #expect(ran.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/made"))
    }

    @Test func `a redirect is explained a line each, for entries, for a client, and from the standard input`()
        async throws
    {
        let taken =
            #"{"passes":true,"reason":null,"rule":"/a","steps":[{"check":"redirect is allowed","#
            + #""outcome":"passed"},{"check":"allowed by","outcome":"/a"},{"check":"lands on","outcome":"/a"}]}"#
        #expect(await RanCommand(["explain", "redirect", "--allow", "/a", "/a"]).output == taken + "\n")
        let fixed = await run("explain", "redirect", "--client", "fixed", "//evil.example")
        #expect(fixed.status == 1, "as of a token that does not pass")
        #expect(await RanCommand(["explain", "redirect", "--allow", "/a", "/a"]).status == 0)
        #expect(fixed.output.hasPrefix(#"{"passes":false,"reason":"malformed","rule":"redirect is allowed","#))
        #expect(fixed.output.hasSuffix(#"{"check":"lands on","outcome":"https://www.example.com/cart"}]}"# + "\n"))
        let several = await RanCommand(
            ["explain", "redirect", "--allow", "/a", "--stdin-base64"], input: "L2E=\nL2I=")
        #expect(several.lines.count == 2)
        #expect(several.lines.first.map(String.init) == taken)
        #expect(several.lines.last?.contains("not_listed") == true)
    }

    @Test func `a refused redirect leads to the first entry's own path where no entry is exact`() async {
        let ran = await RanCommand(["explain", "redirect", "--allow", "/a/*", "--allow", "/b/*", "/c"])
        #expect(ran.status == 1)
        #expect(ran.output.hasSuffix(#"{"check":"lands on","outcome":"/a/"}]}"# + "\n"))
    }

    @Test func `a redirect to a website of the database is explained as the service decides it`() async throws {
        try await prepare("migrate")
        let document = try client("shop", #","return_paths":["/cart/*","/home"],"default_return_path":"/home""#)
        try await prepare("clients", "add", document)
        let ran = await run("explain", "redirect", "--client", "shop", "/cart/7")
        #expect(ran.status == 0)
        #expect(ran.output.contains(#""rule":"/cart/*""#))
        #expect(ran.output.contains(#"{"check":"lands on","outcome":"https://www.example.com/cart/7"}"#))
    }

    @Test func `a redirect that cannot be explained says why`() async throws {
        try await prepare("migrate")
        let unknown = await run("explain", "redirect", "--client", "nosuch", "/a")
        #expect(unknown.status == 1)
        #expect(unknown.output.hasPrefix(#"{"passes":false,"reason":"unknown_client","rule":"client is known","#))
        let input = await RanCommand(["explain", "redirect", "--allow", "/a", "--stdin-base64"], input: "%")
        #expect(input.reason == "A line of standard input is not base64.")
        let list = await RanCommand(["explain", "redirect", "--allow", "//a", "--default", "/a", "/a"])
        #expect(list.reason.hasPrefix("The allow-list is not accepted: \"//a\" is not an entry"))
    }

    @Test func `a token that is not ours is explained, and ends with status 1`() async throws {
        try await prepare("migrate")
        try await prepare("keys", "init")
        try await prepare("keys", "rotate")
        let token = await run("explain", "token", input: "no.token.here\n")
        #expect(token.status == 1)
        #expect(token.output.hasPrefix(#"{"passes":false,"#))
        let exchange = await run("explain", "exchange", "--client", "fixed", input: "no.token.here\nsecret\n")
        #expect(exchange.status == 1)
        #expect(exchange.output.hasPrefix(#"{"passes":false,"#))
        #expect(!exchange.output.contains("no.token.here"))
    }

    @Test func `nothing on the standard input is nothing to explain`() async throws {
        #expect(await run("explain", "token").reason == "There is no token on standard input.")
        #expect(await run("explain", "self-issued").reason == "There is no token on standard input.")
        #expect(
            await run("explain", "exchange", "--client", "fixed").reason
                == "There is no subject token on the first line of standard input.")
    }

    @Test func `a phone's token is not explained where none is taken`() async throws {
        try await prepare("migrate")
        #expect(
            await run("explain", "self-issued", input: "a.b.c\n").reason
                == "self_issued.enabled is false: no such token is taken.")
    }
}
