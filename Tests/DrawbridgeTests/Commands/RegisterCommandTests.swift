import ArgumentParser
import Bridge
import Testing

@testable import drawbridge

/// Commands that change users and clients, by the rules that hold for the console.
@Suite struct RegisterCommandTests: CommandLineFixture {
    let folder: TemporaryFolder
    let config: String

    init() throws {
        folder = try TemporaryFolder()
        config = try Self.settings(in: folder, passes: 1)
    }

    private static func settings(in folder: TemporaryFolder, passes: Int) throws -> String {
        try folder.commandSettings("password: {memory_log2: 15, passes: \(passes)}\n")
    }

    private func reading<Value>(_ body: (any BridgeStorage) async throws -> Value) async throws -> Value {
        try await StorageOptions.parse(["--config", config]).reading(body)
    }

    private func stored(_ user: String) async throws -> Account? {
        try await reading { try await UserName(user).account(in: $0) }
    }

    private func passwordCost(of user: String) async throws -> PasswordCost? {
        try await stored(user)?.passwordHash?.cost
    }

    @Test func `a password is hashed at the cost that the settings say`() async throws {
        try await prepare("migrate")
        let cost = try #require(PasswordCost(logarithm: 15, parallelism: 1))
        try await prepare("users", "add", "alice", input: "correct horse battery\n")
        #expect(try await passwordCost(of: "alice") == cost)
        let dearer = try #require(PasswordCost(logarithm: 15, parallelism: 2))
        _ = try Self.settings(in: folder, passes: 2)
        try await prepare("users", "password", "alice", input: "another good one\n")
        #expect(try await passwordCost(of: "alice") == dearer)
    }

    @Test func `a secret that nobody could see is told as in force, with what makes another one`() async throws {
        try await prepare("migrate")
        try await prepare("keys", "init")
        try await prepare("users", "add", "alice", input: "correct horse battery\n")
        let document = #"{"client_id":"s9","client_type":"web","token_endpoint_auth_method":"client_secret_basic"}"#
        for (words, told) in [
            (["clients", "add", "-"], "s9 has a new client_secret all the same"),
            (["users", "second-factor", "enrol", "alice"], "alice has a new second factor all the same"),
        ] {
            let ran = await run(words, input: document, outputIsClosed: true)
            #expect(ran.status == 1)
            #expect(
                ran.reason == "Cannot write to standard output: bad file descriptor. \(told), and nobody has seen it: "
                    + "call this again with --replace.", "\(ran.reason)")
            #expect(await run(words + ["--replace"], input: document).status == 0)
        }
    }

    @Test func `a password or a client that is not UTF-8 is refused rather than repaired`() async throws {
        try await prepare("migrate")
        try await prepare("users", "add", "zoe", input: "correct horse battery\n")
        func latin(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
        let password = latin("Pa\u{DF}w\u{F6}rter-lang\n")
        let document = latin(#"{"client_id":"shop","client_type":"web","client_name":"Caf\#u{E9}"}"#)
        let refused = [
            (["users", "add", "alice"], password), (["users", "password", "zoe"], password),
            (["clients", "add", "-"], document),
        ]
        for (words, bytes) in refused {
            let ran = await run(words, bytes: bytes)
            #expect(ran.status == 1, "\(words)")
            #expect(ran.reason == "Cannot read the standard input: it is not text in UTF-8.")
        }
        #expect(try await stored("alice") == nil)
        let clients = try await reading { try await $0.clients() }
        #expect(clients.isEmpty)
    }

    @Test(arguments: [("--name", "two\nlines"), ("--email", "not an address"), ("--email", "a@b@c")])
    func `a name that is no line and an address that is none are refused`(option: String, value: String) async throws {
        try await prepare("migrate")
        let ran = await run("users", "add", option, value, "alice", input: "correct horse battery\n")
        #expect(ran.status == 1 && ran.reason.hasPrefix("\(option) must be "))
    }

    @Test func `a client that is replaced by what was shown of it is no change`() async throws {
        try await prepare("migrate")
        try await prepare("clients", "add", "-", input: #"{"client_id":"shop","client_type":"web"}"#)
        let shown = await run("clients", "show", "shop")
        let replaced = await run("clients", "add", "--replace", "-", input: shown.output)
        #expect(replaced.output == "Replaced shop. Running servers know within a second.\n")
        var filter = AuditFilter()
        filter.type = .clientChanged
        let changes = try await reading { try await $0.search(filter, before: nil, limit: 10).records }
        #expect(changes.isEmpty)
    }

    @Test(arguments: [[], ["--replace"]])
    func `an account without a password gets no second factor, whatever it had`(_ flags: [String]) async throws {
        try await prepare("migrate")
        try await prepare("keys", "init")
        let now = Timestamp(seconds: 1_795_356_000)
        let account = Account(
            subject: Account.makeSubject(random: .system), username: Username("bob"), createdAt: now)
        let event = AuditEvent(at: now, type: .userCreated, outcome: .success, subject: account.subject)
        let added = try await StorageOptions.parse(["--config", config]).withStorage {
            try await $0.addAccount(account, issuer: Account.issuer, link: nil, event: event)
        }
        try #require(added == .added)
        let ran = await run(["users", "second-factor", "enrol", "bob"] + flags)
        #expect(ran.status == 1)
        #expect(ran.output.isEmpty)
        #expect(ran.reason == "bob has no password here, so there is no first factor.")
        #expect(try await stored(account.subject.rawValue)?.secondFactor == nil)
    }
}
