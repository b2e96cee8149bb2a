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
              drawbridge keys init --config drawbridge.yaml --into keys
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

                --into makes them for other machines. Whether the rest of the settings can work here is not \
                asked then: of them it needs public_origin, which the audit signing key is named after.

                Examples:
                  drawbridge keys init --config drawbridge.yaml
                  drawbridge keys init --config drawbridge.yaml --into keys
                """)

        @OptionGroup var options: SettingsOptions

        @Option(help: "Make both in this folder, as master-key and audit-signing-key.")
        var into: String?

        func run() throws {
            let place = try place()
            // Those that are made into a folder are for other machines.
            if into == nil { try StorageFolder.refuseRoot(in: place.folder, masterKey: place.masterKey) }
            try StorageFolder.create(place.folder)
            var made: [String] = []
            // What is there has to be a master key: a file that only looks like one is told now.
            if try MasterKeyFile.read(place.masterKey) == nil,
                try PrivateFile.create(place.masterKey, with: Array(MasterKeyFile.make().utf8))
            {
                made.append(place.masterKey)
            }
            if !FileManager.default.fileExists(atPath: place.signingKey) {
                _ = try AuditSigningKeyFile.loadOrMake(place.signingKey, name: place.keyName)
                made.append(place.signingKey)
            }
            guard !made.isEmpty else {
                throw CommandError(
                    "\(place.masterKey) and \(place.signingKey) are there already. "
                        + "`drawbridge keys rotate` adds keys that sign tokens.")
            }
            for path in made { StandardOutput.say("Made \(path).") }
        }

        private func place() throws -> (folder: String, masterKey: String, signingKey: String, keyName: String) {
            guard let into else {
                let settings = try options.load()
                return (
                    settings.storage.directory, settings.storage.masterKeyPath, settings.audit.signingKeyPath,
                    StorageLocation(settings).keyName
                )
            }
            let folder = URL(filePath: into).standardizedFileURL.path(percentEncoded: false)
            let reader = SettingsReader(RawSettings.read(options.inputs()))
            guard let settings = DrawbridgeSettings(reading: reader) else {
                throw SettingsRefused(problems: reader.problems).exit()
            }
            return (
                folder, "\(folder)/\(FileName.masterKey)", "\(folder)/\(FileName.auditSigningKey)",
                StorageLocation(settings).keyName
            )
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys with their purpose, algorithm, state and times; never prints a secret.",
            discussion: """
                A key is waiting (verifiers have it, it will sign), signing, verifying (what it signed), or \
                retired.

                Example:
                  drawbridge keys list --config drawbridge.yaml
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var listing: ListingOptions

        func run() async throws {
            if try options.isBeforeFirstStart() {
                return try say(none: "There is no database yet; the first start makes the keys.")
            }
            let stored = try await options.reading { try await $0.signingKeys() }
            let keys = KeyOverview.all(in: stored.keys, at: TimeSource.system.now())
            guard !keys.isEmpty else {
                return try say(none: "There are no keys yet; the first start makes them.")
            }
            try StandardOutput.write(Listing(keys: keys).text(as: listing.format) + "\n")
        }

        /// To a program no keys are a list, too.
        private func say(none words: String) throws {
            if listing.format == .json { try StandardOutput.answer(Listing(keys: []).text(as: .json)) }
            StandardError.write("\(words)\n")
        }
    }
}

extension StorageOptions {
    /// The keys, for one command that changes them. Where no server has started yet, the first ones are made.
    /// - Parameters:
    ///   - loads: whether those are made, and keys that the master key does not open are an error; otherwise all that
    ///     there are may be worked on.
    ///   - body: gets the keys, and a question: which other nodes write to their database now. Where it is embedded,
    ///     that takes each node's lock for a moment, so it is for those who need the answer.
    func withKeys<Value>(
        loads: Bool = true, _ body: (_ keys: SigningKeys, _ nodes: () async throws -> [String]) async throws -> Value
    ) async throws -> Value {
        let location = try location()
        if !loads { try requireDatabase(at: location) }
        let master = try MasterKeyFile.load(location.masterKeyPath)
        return try await withStorage(making: loads) { storage in
            let keys = SigningKeys(
                store: storage, master: master, algorithms: loads ? location.keyAlgorithms : KeyAlgorithm.allCases,
                record: RetiredKeyFile(path: location.retiredKeysPath), time: .system,
                logger: Logger(label: "drawbridge"))
            if loads {
                // Here too: one that is behind would take it that no key signs yet, and make some.
                try await keys.requireRightClock()
                try await ServiceKeys.load(keys, at: location)
            }
            return try await body(keys) { try await location.livingNodes(in: storage) }
        }
    }
}
