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

        @Option(
            help: """
                When the key begins to sign, such as 5m. Until then it only verifies. Keys of access and ID tokens wait an
                hour at least: apps keep a list of keys for that long.
                """)
        var activateIn: String = "0s"

        func run() async throws {
            guard let delay = DurationText.parse(activateIn), delay <= .seconds(30 * 86_400) else {
                throw CommandFailure("--activate-in must be a duration of at most 30d, such as 5m.")
            }
            let settings = try options.load()
            let now = TimeSource.system.now()
            let publication = max(delay, SigningKeys.publication)
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
                let keys = SigningKeys(store: storage, master: master, time: TimeSource { now })
                // Where no server has started yet: the first keys sign at once, the added ones after them.
                try await keys.load()
                return try await keys.rotate(signingAfter: publication)
            }
            for id in tokenKeys {
                print("Added \(id) for access and ID tokens, published now, signs from \((now + publication).rfc3339).")
            }
            print("Added \(added.id), which signs from \(added.signsFrom.rfc3339). Send SIGHUP to running servers.")
            if !dropped.isEmpty {
                print("Dropped \(dropped.joined(separator: ", ")): none of its tokens can be alive.")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys with their purpose, algorithm, state and times; never prints a secret.",
            discussion: """
                A key is waiting (published, will sign), signing, verifying (what it signed), or retired.
                """)

        @OptionGroup var options: SettingsOptions

        func run() async throws {
            let settings = try options.load()
            let now = TimeSource.system.now()
            print(
                KeyListing(KeyOverview.all(in: try LoginTokenKeyFile.read(settings.loginTokenKeysFile), at: now)).text)
            let location = StorageOptions.Location(settings)
            guard location.hasDatabase else {
                return StandardError.write(
                    "There is no database yet; the first start makes the keys of access and ID tokens.\n")
            }
            let keys = KeyOverview.all(in: try await location.openForReading().signingKeys(), at: now)
            if !keys.isEmpty { print(KeyListing(keys).text) }
        }
    }
}
