import ArgumentParser
import Bridge
import Foundation
import Testing

@testable import drawbridge

/// Commands that change a database, run in process on one of the test's own.
@Suite struct DatabaseCommandTests: CommandLineFixture {
    let folder: TemporaryFolder
    let config: String

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.commandSettings("clients: [{client_id: fixed, client_type: native}]\n")
    }

    private func options() throws -> StorageOptions { try StorageOptions.parse(["--config", config]) }

    private func run<Command: AsyncParsableCommand>(_ command: Command.Type, _ words: String...) async throws {
        var command = try command.parse(["--config", config] + words)
        try await command.run()
    }

    /// Why the command fails; `nil` when it does not.
    private func failure<Command: AsyncParsableCommand>(_ command: Command.Type, _ words: String...) async throws
        -> String?
    {
        var command = try command.parse(["--config", config] + words)
        do {
            try await command.run()
            return nil
        } catch let failure as CommandError {
            return failure.description
        }
    }

    private func migrate() async throws { try await run(MigrateCommand.self) }

    private func clients() async throws -> [Client] { try await options().reading { try await $0.clients() } }

    private func signingKeys() async throws -> [SealedSigningKey] {
        try await options().reading { try await $0.signingKeys().keys }
    }

    private func found(by filter: AuditFilter) async throws -> [AuditRecord] {
        try await options().reading { try await $0.search(filter, before: nil, limit: 50).records }
    }

    private func addAccount(_ name: String, role: Account.Role?) async throws {
        try await options().withStorage { try await Account.addSample(named: name, role: role, to: $0) }
    }

    private func addUserOfIssuer(_ name: String) async throws {
        try await options().withStorage { storage in
            let now = Timestamp(seconds: 1_795_356_000)
            _ = try await storage.recordIssue(
                IssuedLoginToken(
                    id: TokenID(rawValue: "first"), subject: Subject(rawValue: name),
                    clientID: ClientID(rawValue: "app"), issuedAt: now, expiresAt: now),
                scope: nil, namedFirstBy: "https://login.example.com", idempotency: nil,
                event: AuditEvent(at: now, type: .loginTokenIssued, outcome: .success))
        }
    }

    private func account(_ name: String) async throws -> Account? {
        try await options().reading { try await UserName(name).account(in: $0) }
    }

    @Test func `who looks in the database for a client of the settings file is told where it is`() async throws {
        try await migrate()
        let list = await run("clients", "list")
        #expect(list.output == "CLIENT ID  CLIENT TYPE  CLIENT NAME\n")
        #expect(
            list.errors
                == "The settings file has clients of its own, which are not in the database: drawbridge check-config "
                + "lists them.\n")
        #expect(
            await run("clients", "show", "fixed").reason
                == "There is no client fixed in the database. The settings file has one of this id: drawbridge "
                + "check-config lists it.")
        #expect(await run("clients", "show", "other").reason == "There is no client other in the database.")
        #expect(await run("check-config").output.contains("fixed (native)"))
    }

    @Test func `who removes a client of the settings file is told to do it there`() async throws {
        try await migrate()
        #expect(
            try await failure(ClientsCommand.Remove.self, "fixed")
                == "There is no client fixed in the database. The settings file has one of this id: delete its lines "
                + "there and send SIGHUP to each server.")
    }

    @Test func `who removes a client of the database is told of one of the same id in the settings file`()
        async throws
    {
        try await migrate()
        let shop = try folder.file("shop.json", #"{"client_id":"shop","client_type":"web"}"#)
        try await run(ClientsCommand.Add.self, shop)
        let named = "public_origin: https://www.example.com\ndata_directory: data\n"
        _ = try folder.file("drawbridge.yaml", named + "clients: [{client_id: shop, client_type: web}]\n")
        let removed = await run("clients", "remove", "shop")
        #expect(removed.output == "Removed shop. Running servers know within a second.\n")
        #expect(
            removed.errors
                == "The settings file has one of this id: delete its lines there and send SIGHUP to each server.\n")
        #expect(try await clients().isEmpty)
    }

    @Test func `migrate makes the folder and the database`() async throws {
        #expect(try !options().hasDatabase())
        try await migrate()
        #expect(try options().hasDatabase())
        #expect(FileManager.default.fileExists(atPath: folder.path + "/data/drawbridge.sqlite"))
    }

    @Test func `keys init makes both keys, and says so when there is nothing to make`() throws {
        try KeysCommand.Initialize.parse(["--config", config]).run()
        #expect(try MasterKeyFile.read(folder.path + "/data/master-key") != nil)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/data/audit-signing-key"))
        let failure = #expect(throws: CommandError.self) {
            try KeysCommand.Initialize.parse(["--config", config]).run()
        }
        #expect(failure?.description.contains("are there already") == true)
    }

    @Test func `keys init keeps a key that is there`() throws {
        try KeysCommand.Initialize.parse(["--config", config]).run()
        let master = try MasterKeyFile.read(folder.path + "/data/master-key")?.expose()
        try FileManager.default.removeItem(atPath: folder.path + "/data/audit-signing-key")
        try KeysCommand.Initialize.parse(["--config", config]).run()
        #expect(try MasterKeyFile.read(folder.path + "/data/master-key")?.expose() == master)
    }

    @Test func `a rotation adds a key of every algorithm, and waits no longer than 30 days`() async throws {
        try KeysCommand.Initialize.parse(["--config", config]).run()
        try await run(KeysCommand.Rotate.self)
        let keys = try await signingKeys()
        for algorithm in KeyAlgorithm.allCases { #expect(keys.filter { $0.algorithm == algorithm }.count == 2) }
        #expect(try await failure(KeysCommand.Rotate.self, "--activate-in", "31d")?.contains("at most 30d") == true)
        #expect(try await signingKeys().count == keys.count)
    }

    @Test func `a client is added once, replaced when it is there, and removed`() async throws {
        try await migrate()
        let shop = try folder.file("shop.json", #"{"client_id":"shop","client_type":"web","client_name":"Shop"}"#)
        #expect(try await failure(ClientsCommand.Add.self, "--replace", shop) == "There is no client shop to replace.")
        try await run(ClientsCommand.Add.self, shop)
        #expect(try await clients().map(\.name) == ["Shop"])
        #expect(
            try await failure(ClientsCommand.Add.self, shop)
                == "There is a client shop already; --replace replaces it.")
        _ = try folder.file("shop.json", #"{"client_id":"shop","client_type":"web","client_name":"Store"}"#)
        try await run(ClientsCommand.Add.self, "--replace", shop)
        #expect(try await clients().map(\.name) == ["Store"])
        try await run(ClientsCommand.Remove.self, "shop")
        #expect(try await clients().isEmpty)
        #expect(try await failure(ClientsCommand.Remove.self, "shop") == "There is no client shop in the database.")
    }

    @Test func `the website that apps open by default is not removed, unless the settings file has it`() async throws {
        try await migrate()
        let shop = try folder.file("shop.json", #"{"client_id":"shop","client_type":"web"}"#)
        try await run(ClientsCommand.Add.self, shop)
        let named = "public_origin: https://www.example.com\ndata_directory: data\ndefault_web_client: shop\n"
        _ = try folder.file("drawbridge.yaml", named)
        #expect(
            try await failure(ClientsCommand.Remove.self, "shop")
                == "shop is the website that apps open by default, so no server would start without it. Change "
                + "default_web_client in the settings first.")
        #expect(try await clients().map(\.id) == ["shop"])
        _ = try folder.file("drawbridge.yaml", named + "clients: [{client_id: shop, client_type: web}]\n")
        try await run(ClientsCommand.Remove.self, "shop")
        #expect(try await clients().isEmpty)
    }

    @Test func `a client of the settings file is not shadowed by one of the database`() async throws {
        try await migrate()
        let file = try folder.file("fixed.json", #"{"client_id":"fixed","client_type":"native"}"#)
        #expect(
            try await failure(ClientsCommand.Add.self, file)
                == "The settings file has a client fixed of its own, which stands before one of the database.")
        #expect(try await clients().isEmpty)
    }

    @Test func `every fault of a client's document is told, and nothing is added`() async throws {
        try await migrate()
        let file = try folder.file(
            "bad.json", #"{"client_id":"bad","client_type":"web","colour":"red","session_lifetime":1}"#)
        let failure = try #require(try await self.failure(ClientsCommand.Add.self, file))
        #expect(failure.contains("colour"))
        #expect(failure.contains("session_lifetime"))
        let text = try folder.file("text.json", "nothing")
        #expect(
            try await self.failure(ClientsCommand.Add.self, text)
                == "The document must be an object with a client's fields.")
        #expect(try await clients().isEmpty)
    }

    @Test func `the last administrator keeps the role`() async throws {
        try await migrate()
        try await addAccount("alice", role: .admin)
        #expect(
            try await failure(UsersCommand.Role.self, "alice", "none")?.contains("is the last administrator") == true)
        #expect(
            try await failure(UsersCommand.Disable.self, "alice")?.contains("is the last administrator") == true)
        #expect(try await account("alice")?.role == .admin)
        try await addAccount("bob", role: nil)
        try await run(UsersCommand.Role.self, "bob", "admin")
        try await run(UsersCommand.Role.self, "alice", "none")
        #expect(try await account("alice")?.role == nil)
        #expect(try await account("bob")?.role == .admin)
    }

    @Test func `a second factor is set up once, replaced when asked to, and removed once`() async throws {
        typealias Command = UsersCommand.SecondFactorCommand
        try await migrate()
        try KeysCommand.Initialize.parse(["--config", config]).run()
        try await addAccount("alice", role: nil)
        #expect(try await failure(Command.Remove.self, "alice") == "alice has no second factor.")
        #expect(try await failure(Command.RecoveryCodes.self, "alice") == "alice has no second factor.")
        try await run(Command.Enrol.self, "alice")
        let first = try #require(try await account("alice")?.secondFactor)
        #expect(
            try await failure(Command.Enrol.self, "alice")
                == "alice has a second factor; --replace takes its place.")
        try await run(Command.Enrol.self, "--replace", "alice")
        #expect(try await account("alice")?.secondFactor?.sealedSecret != first.sealedSecret)
        try await run(Command.RecoveryCodes.self, "--reason", "phone lost", "alice")
        try await run(Command.Remove.self, "alice")
        #expect(try await account("alice")?.secondFactor == nil)
        #expect(
            try await failure(Command.Remove.self, "bob")
                == "There is no account bob: drawbridge users list has the users that are known.")
    }

    @Test(arguments: ["drawbridge.sqlite", "x"])
    func `a copy looks for locks and master key beside its source, by a relative path too`(source: String) {
        let path = CopyCommand.absolute(source)
        #expect(path == "\(FileManager.default.currentDirectoryPath)/\(source)")
        #expect(StorageFolder.parent(of: path) == FileManager.default.currentDirectoryPath)
        #expect(CopyCommand.absolute("/data/drawbridge.sqlite") == "/data/drawbridge.sqlite")
    }

    @Test(arguments: [("/data/x", "/data"), ("/x", "/"), ("data/x", "data"), ("x", ".")])
    func `every path is in a folder`(path: String, folder: String) {
        #expect(StorageFolder.parent(of: path) == folder)
    }

    @Test func `a copy says what it cannot read or reach, and that it takes a path`() async throws {
        func failure(_ from: String, _ to: String) async throws -> String? {
            let command = try CopyCommand.parse(["--from", from, "--to", to])
            do {
                try await command.run()
                return nil
            } catch let failure as CommandError {
                return failure.description
            } catch let failure as ValidationError {
                return failure.message
            } catch {
                return CommandFailure(error)?.description
            }
        }
        #expect(try await failure("/tmp/x", "postgres://h/d")?.hasPrefix("--from must be sqlite:") == true)
        #expect(try await failure("sqlite:", "postgres://h/d")?.hasPrefix("--from must be sqlite:") == true)
        #expect(
            try await failure("sqlite:\(folder.path)/none/drawbridge.sqlite", "postgres://h/d")
                == "The directory \(folder.path)/none does not exist.")
        #expect(try await failure("sqlite:\(folder.path)/drawbridge.sqlite", "mysql://h/d") != nil)
    }

    @Test func `what is no role, or nobody's, is told`() async throws {
        try await migrate()
        #expect(
            try await failure(UsersCommand.Role.self, "alice", "none")
                == "There is no account alice: drawbridge users list has the users that are known.")
        #expect(
            try await failure(UsersCommand.Role.self, "alice", "king") == "king is not a role: it is admin, or none.")
    }

    @Test func `a user is disabled and enabled once each`() async throws {
        try await migrate()
        try await addAccount("alice", role: nil)
        try await run(UsersCommand.Disable.self, "alice")
        #expect(
            try await failure(UsersCommand.Disable.self, "alice") == "alice is disabled already.")
        try await run(UsersCommand.Enable.self, "alice")
        #expect(try await failure(UsersCommand.Enable.self, "alice") == "alice is enabled already.")
        #expect(
            try await failure(UsersCommand.Disable.self, "bob")
                == "bob is unknown here: drawbridge users list has those that are known.")
    }

    @Test func `a user of an issuer who is named without its prefix is asked for with it`() async throws {
        try await migrate()
        try await addUserOfIssuer("login:bob")
        let expected = "bob is unknown here: did you mean login:bob?"
        #expect(try await failure(UsersCommand.Disable.self, "bob") == expected)
        #expect(try await failure(UsersCommand.Enable.self, "bob") == expected)
    }

    @Test(arguments: [
        ["password"], ["role", "admin"], ["claims", "-"], ["passkeys", "list"], ["passkeys", "remove"],
        ["second-factor", "enrol"], ["second-factor", "remove"], ["second-factor", "recovery-codes"],
    ])
    func `who changes what an issuer's user has no account for is told who signs that user in`(
        words: [String]
    ) async throws {
        try await migrate()
        try await addUserOfIssuer("login:bob")
        var line = ["users"] + words
        // After the commands' names, before what else they take.
        line.insert("login:bob", at: ["role", "claims"].contains(words[0]) ? 2 : line.count)
        let ran = await run(line, input: "{}")
        #expect(ran.status == 1 && ran.output.isEmpty)
        #expect(
            ran.reason
                == "login:bob has no account here, so no password, second factor, passkey, claims or role: "
                + "https://login.example.com signs this user in. drawbridge users disable locks them out here.")
    }

    @Test func `each command's change is in the audit log, in a chain of the command's own`() async throws {
        try await migrate()
        let shop = try folder.file("shop.json", #"{"client_id":"shop","client_type":"web"}"#)
        try await run(ClientsCommand.Add.self, shop)
        var filter = AuditFilter()
        filter.type = .clientCreated
        let found = try await found(by: filter)
        #expect(found.map(\.event.clientID) == [ClientID(rawValue: "shop")])
        #expect(found.map(\.node) == ["main-cli"])
    }

    @Test func `every change of an account or a client names who made it, and a new account's role`() async throws {
        try await migrate()
        let shop = try folder.file("shop.json", #"{"client_id":"shop","client_type":"web"}"#)
        let renamed = try folder.file("new.json", #"{"client_id":"shop","client_type":"web","client_name":"Shop"}"#)
        let claims = try folder.file("claims.json", #"{"locale":"en"}"#)
        let password = "correct horse battery\n"
        let commands: [(words: [String], input: String)] = [
            (["users", "add", "zoe", "--admin"], password), (["users", "add", "alice"], password),
            (["users", "password", "alice"], password), (["users", "claims", "alice", claims], ""),
            (["users", "disable", "alice"], ""), (["users", "enable", "alice"], ""), (["clients", "add", shop], ""),
            (["clients", "add", "--replace", renamed], ""), (["clients", "remove", "shop"], ""),
        ]
        for (words, input) in commands {
            let ran = await run(words, input: input)
            #expect(ran.status == 0, "\(words): \(ran.errors)\(ran.reason)")
        }
        let found = try await found(by: AuditFilter())
            .filter { $0.event.type.rawValue.hasPrefix("user.") || $0.event.type.rawValue.hasPrefix("client.") }
        let actor = "\"actor\":\"login:\(ProcessInfo.processInfo.userName)\""
        let told = found.reversed().map { "\($0.event.type.rawValue) \($0.event.detail ?? "")" }
        let types = [
            "user.created", "user.password_changed", "user.claims_changed", "user.disabled", "user.enabled",
            "client.created",
        ]
        let first = "user.created {\(actor),\"role\":\"admin\"}"
        let changed = "client.changed {\(actor),\"fields\":[\"client_name\",\"client_secret\"]}"
        let further = types.map { "\($0) {\(actor)\($0 == "user.claims_changed" ? ",\"fields\":[\"locale\"]" : "")}" }
        #expect(told == [first] + further + [changed, "client.deleted {\(actor)}"])
        #expect(found.allSatisfy { $0.event.reason == "administrator" })
    }

    @Test func `every command that changes something keeps the reason that it was given`() async throws {
        try await migrate()
        let shop = try folder.file("shop.json", #"{"client_id":"shop","client_type":"web"}"#)
        let claims = try folder.file("claims.json", #"{"locale":"en"}"#)
        let password = "correct horse battery\n"
        let commands: [(words: [String], input: String)] = [
            (["users", "add", "alice"], password), (["users", "password", "alice"], password),
            (["users", "claims", "alice", claims], ""), (["users", "role", "alice", "admin"], ""),
            (["users", "add", "zoe", "--admin"], password), (["users", "disable", "alice"], ""),
            (["users", "enable", "alice"], ""), (["clients", "add", shop], ""),
            (["clients", "add", "--replace", shop], ""), (["clients", "remove", "shop"], ""),
        ]
        for (index, command) in commands.enumerated() {
            let words = command.words + ["--reason", "reason \(index)"]
            let ran = await run(words, input: command.input)
            #expect(ran.status == 0, "\(words): \(ran.errors)\(ran.reason)")
            let empty = await run(command.words + ["--reason", ""], input: command.input)
            #expect(empty.status == 64)
        }
        let found = try await found(by: AuditFilter())
            .filter { $0.event.type.rawValue.hasPrefix("user.") || $0.event.type.rawValue.hasPrefix("client.") }
        #expect(found.reversed().map(\.event.reason) == commands.indices.map { "reason \($0)" })
    }
}
