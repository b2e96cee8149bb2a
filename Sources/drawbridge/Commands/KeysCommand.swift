import ArgumentParser
import Bridge

/// The signing keys of login tokens.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, rotate and list the signing keys.",
        discussion: """
            Login tokens are signed with keys of a file. The keys of access tokens and ID tokens are in the database,
            sealed with the master key; a server takes in new ones by itself.

            A running server rereads the file on SIGHUP. With several servers, rotate with --activate-in, copy the file
            to all of them and send each a SIGHUP before the key begins to sign.

            Examples:
              drawbridge keys init --config drawbridge.yaml
              drawbridge keys rotate --config drawbridge.yaml --activate-in 5m && systemctl reload drawbridge
            """,
        subcommands: [Initialize.self, Rotate.self, List.self])

    struct Initialize: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init", abstract: "Make the key file; refuses to touch one that is there.")

        @OptionGroup var options: SettingsOptions

        func run() throws {
            let settings = try options.load()
            let path = settings.loginTokenKeysFile
            var made: [String] = []
            try StorageFolder.create(settings.dataDirectory)
            if try MasterKeyFile.read(settings.masterKeyPath) == nil {
                try PrivateFile.replace(settings.masterKeyPath, with: Array(MasterKeyFile.make().utf8))
                made.append(settings.masterKeyPath)
            }
            do {
                _ = try PrivateFile.read(path)
            } catch PrivateFileError.missing {
                try LoginTokenKeyFile.initial(at: TimeSource.system.now(), random: .system).write(path)
                made.append(path)
            }
            guard !made.isEmpty else {
                throw CommandFailure("\(path) is there already; `drawbridge keys rotate` adds a key.")
            }
            for path in made { print("Made \(path).") }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a key. Older keys verify until the last token they signed has expired.")

        @OptionGroup var options: SettingsOptions

        @Option(help: "When the key begins to sign, such as 5m. Until then it only verifies.")
        var activateIn: String = "0s"

        func run() async throws {
            guard let delay = DurationText.parse(activateIn), delay <= .seconds(30 * 86_400) else {
                throw CommandFailure("--activate-in must be a duration of at most 30d, such as 5m.")
            }
            let settings = try options.load()
            let now = TimeSource.system.now()
            var file = try LoginTokenKeyFile.read(settings.loginTokenKeysFile)
            let (added, dropped) = file.rotate(
                at: now, activation: now + delay, tokenLifetime: LoginTokenSettings.maximumLifetime, random: .system)
            try file.write(settings.loginTokenKeysFile)
            let master = try MasterKeyFile.read(settings.masterKeyPath).flatMap { MasterKey($0.expose()) }
            let tokenKeys = try await ServerStorage.withStorage(at: StorageOptions.Location(settings)) { storage in
                try await storage.append([
                    AuditEvent(at: now, type: .keyRotated, outcome: .success, detail: KeyEvent.detail(added, dropped))
                ])
                guard let master else { return [String]() }
                return try await SigningKeys(store: storage, master: master)
                    .rotate(signingAfter: max(delay, SigningKeys.publication))
            }
            for id in tokenKeys { print("Added \(id) for access and ID tokens, published now, signs in an hour.") }
            print("Added \(added.id), which signs from \(added.signsFrom.rfc3339). Send SIGHUP to running servers.")
            if !dropped.isEmpty {
                print("Dropped \(dropped.joined(separator: ", ")): none of its tokens can be alive.")
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the keys; never prints a secret.")

        @OptionGroup var options: SettingsOptions

        func run() throws {
            let settings = try options.load()
            let file = try LoginTokenKeyFile.read(settings.loginTokenKeysFile)
            print(LoginTokenKeyListing(file, at: TimeSource.system.now()).text)
        }
    }
}
