import ArgumentParser
import Bridge

extension KeysCommand {
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add keys. Older ones verify until nothing that they signed is alive; nothing breaks.",
            discussion: """
                A login token key signs as soon as every server has it, after 10 seconds at most. Keys of access \
                and ID tokens are published now and sign an hour later, when every website has fetched them.

                A rotation is no answer to a leak: see `drawbridge keys retire`.

                Example:
                  drawbridge keys rotate --config drawbridge.yaml --activate-in 3h
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var why: ReasonOption

        @Option(help: "Let the new keys wait for longer before they sign, such as 3h; at most 30d.")
        var activateIn: String?

        func run() async throws {
            var delay: Duration?
            if let activateIn {
                guard let span = DurationText.parse(activateIn), span <= .seconds(30 * 86_400) else {
                    throw CommandError("--activate-in must be a duration of at most 30d, such as 3h.")
                }
                delay = span
            }
            let added = try await options.withKeys { keys, _ in
                try await keys.rotate(action: why.action(), signingAfter: delay)
            }
            for key in added {
                StandardOutput.say(
                    key.signsWhenKnown
                        ? "Added \(key.id) for login tokens; it signs when every server has it, in 10 s at most."
                        : key.algorithm == .hs256
                            ? "Added \(key.id) for login tokens; it signs from \(key.signsFrom.rfc3339)."
                            : "Added \(key.id) for access and ID tokens (\(key.algorithm.rawValue)); published now, it "
                                + "signs from \(key.signsFrom.rfc3339).")
            }
        }
    }

    struct Retire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a leaked key at once, on all servers; says what stops working.",
            discussion: """
                Nothing that the key signed is believed any more, within a second and without a restart. Where \
                it was the one that signs, another takes over at once.

                Without --now it says what that would cost and which servers run, and changes nothing.

                --all is for a master key that leaked or is lost. Stop every server first: what is made then opens \
                with the master key here alone, and beside servers that have another one this is refused.

                Examples:
                  drawbridge keys retire --config drawbridge.yaml KID
                  drawbridge keys retire --config drawbridge.yaml KID --now \\
                      --reason "laptop stolen"
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var why: ReasonOption

        @Flag(help: "Do it.") var now = false
        @Flag(
            help:
                "Every key, those included that the master key does not open: for a master key that leaked or is lost.")
        var all = false
        // A key's name may begin with a dash.
        @Argument(parsing: .allUnrecognized, help: "The key, as `drawbridge keys list` names it.")
        var kid: [String] = []

        func validate() throws {
            guard all == kid.isEmpty else { throw ValidationError("Name a key, or give --all.") }
        }

        func run() async throws {
            let masterKeyPath = try options.location().masterKeyPath
            try await options.withKeys(loads: false) { keys, nodes in
                let servers = try await nodes()
                let concerned = try await concerned(in: keys)
                for key in concerned {
                    StandardOutput.say(([KeyWords.line(key)] + Self.cost(of: key)).joined(separator: "\n"))
                }
                if !servers.isEmpty, try await keys.wouldShutOutServers(retiring: all ? nil : Set(kid)) {
                    throw Self.shutsOut(servers, masterKeyPath: masterKeyPath)
                }
                // Asked before: once the keys are retired, nothing may fail that would leave that unsaid.
                let unopened = try await keys.unopenedKeys().map(\.id).filter { id in
                    !concerned.contains { $0.id == id }
                }
                guard now else {
                    if !servers.isEmpty {
                        StandardOutput.say("These servers take it in within a second: \(Self.list(servers)).")
                    }
                    Self.warn(of: unopened, masterKeyPath: masterKeyPath)
                    throw CommandError("Nothing was changed. Add --now to retire at once.")
                }
                guard let done = try await keys.retire(all ? nil : Set(kid), action: why.action()) else {
                    throw Self.unknown(kid)
                }
                for key in done.retired { StandardOutput.say("Retired \(key.id).") }
                for (algorithm, id) in done.signing.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    StandardOutput.say(
                        unopened.contains(id)
                            ? "\(id) is next to sign (\(algorithm.rawValue)), but the master key does not open it."
                            : "\(id) signs now (\(algorithm.rawValue)).")
                }
                if done.retired.isEmpty { StandardOutput.say("Nothing to do: it was retired before.") }
                Self.warn(of: unopened, masterKeyPath: masterKeyPath)
            }
        }

        private func concerned(in keys: SigningKeys) async throws -> [KeyOverview] {
            let found = try await keys.keys().filter { all ? $0.withdrawnAt == nil : kid.contains($0.id) }
            let unknown = kid.filter { id in !found.contains { $0.id == id } }
            guard all || unknown.isEmpty else { throw Self.unknown(unknown) }
            return found
        }

        /// A retirement needs to open no key, so it succeeds where servers can use none of those that stay.
        private static func warn(of unopened: [String], masterKeyPath: String) {
            guard !unopened.isEmpty else { return }
            StandardError.write(
                "warning: The master key \(masterKeyPath) does not open \(unopened.joined(separator: ", ")): sealed "
                    + "with another master key, or damaged. No server with this master key can use them. Put the "
                    + "master key of this database there; if it is lost, stop every server, and "
                    + "`drawbridge keys retire --all --now` makes all signing keys anew.\n")
        }

        /// They keep their master key in memory until they are restarted, and it does not open what another one sealed.
        private static func shutsOut(_ servers: [String], masterKeyPath: String) -> CommandError {
            CommandError(
                "Nothing was changed. The master key \(masterKeyPath) opens none of the keys in force, and servers run "
                    + "that may have the one which does: \(list(servers)). They could not use keys that this one seals. "
                    + "Copy their master key there, or stop them first.")
        }

        private static func list(_ servers: [String]) -> String { servers.joined(separator: ", ") }

        private static func cost(of key: KeyOverview) -> [String] { key.consequences.map { "  - \($0.sentence)" } }

        static let optionNames = ["all", "config", "data", "database", "now", "reason", "secrets-directory"].map {
            "--\($0)"
        }

        /// An option that is misspelt is taken for a key's name, which may begin with two dashes as well.
        private static func unknown(_ names: [String]) -> any Error {
            guard let option = names.first(where: { $0.hasPrefix("--") })?.prefix(while: { $0 != "=" }) else {
                let list = names.map(\.printable).joined(separator: ", ")
                return CommandError("There is no key \(list); `drawbridge keys list` shows all.")
            }
            let hint = NearestName.hint(for: String(option), among: optionNames)
            return ValidationError("\(String(option).printable) is not a known option\(hint.isEmpty ? "." : hint)")
        }
    }
}
