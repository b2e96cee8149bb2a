import ArgumentParser
import Bridge
import Foundation
import Logging

/// The signing keys.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, list, rotate and retire the signing keys.",
        discussion: """
            The keys of login tokens, access tokens and ID tokens are in the database, sealed with the master \
            key; all servers share them and take in changes by themselves, within a second. On disk are the \
            master key, and the key that signs the audit log's checkpoints.

            Examples:
              drawbridge keys init --config drawbridge.yaml
              drawbridge keys rotate --config drawbridge.yaml
              drawbridge keys retire --config drawbridge.yaml KID --now \\
                  --reason "laptop stolen"
            """,
        subcommands: [Initialize.self, List.self, Rotate.self, Retire.self])

    struct Initialize: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Make the master key and the audit signing key; refuses to touch what is there.",
            discussion: """
                For several servers, make them once and copy both files to all. The first start of a server \
                makes the keys that sign tokens.
                """)

        @OptionGroup var options: SettingsOptions

        func run() throws {
            let settings = try options.load()
            try StorageFolder.create(settings.storage.directory)
            var made: [String] = []
            if try MasterKeyFile.read(settings.storage.masterKeyPath) == nil {
                try PrivateFile.replace(settings.storage.masterKeyPath, with: Array(MasterKeyFile.make().utf8))
                made.append(settings.storage.masterKeyPath)
            }
            if !FileManager.default.fileExists(atPath: settings.audit.signingKeyPath) {
                _ = try ServerStorage.signingKey(StorageLocation(settings))
                made.append(settings.audit.signingKeyPath)
            }
            guard !made.isEmpty else {
                throw CommandError(
                    "\(settings.storage.masterKeyPath) and \(settings.audit.signingKeyPath) are there already. "
                        + "`drawbridge keys rotate` adds keys that sign tokens.")
            }
            for path in made { StandardOutput.say("Made \(path).") }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys with their purpose, algorithm, state and times; never prints a secret.",
            discussion: """
                A key is waiting (verifiers have it, it will sign), signing, verifying (what it signed), or \
                retired.
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var listing: ListingOptions

        func run() async throws {
            guard try options.hasDatabase() else {
                return StandardError.write("There is no database yet; the first start makes the keys.\n")
            }
            let stored = try await options.openForReading().signingKeys()
            let keys = KeyOverview.all(in: stored.keys, at: TimeSource.system.now())
            guard !keys.isEmpty else {
                return StandardError.write("There are no keys yet; the first start makes them.\n")
            }
            try StandardOutput.write(Listing(keys: keys).text(as: listing.format) + "\n")
        }
    }
}

extension StorageOptions {
    /// The keys, for one command that changes them. Where no server has started yet, the first ones are made.
    /// - Parameter loads: whether those are made, and keys that the master key does not open are an error; otherwise
    ///   all that there are may be worked on.
    func withKeys<Value>(loads: Bool = true, _ body: (SigningKeys) async throws -> Value) async throws -> Value {
        let location = try location()
        let master = try MasterKeyFile.load(location.masterKeyPath)
        return try await ServerStorage.withStorage(at: location) { storage in
            let keys = SigningKeys(
                store: storage, master: master, algorithms: loads ? location.keyAlgorithms : KeyAlgorithm.allCases,
                logger: Logger(label: "drawbridge"))
            if loads { try await ServiceKeys.load(keys, at: location) }
            return try await body(keys)
        }
    }
}
