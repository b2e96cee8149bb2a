import ArgumentParser
import Bridge
import OAuth2

/// Apps and websites that live in the database.
struct ClientsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients",
        abstract: "List, show, add and remove the apps and websites of the database; make client secrets.",
        discussion: """
            Clients of the settings file are not changed here, and take precedence over one of the same id in \
            the database. Running servers know a change within a second. clients secret makes the \
            client_secret_digest that a website of the settings file needs.

            Examples:
              drawbridge clients list --config drawbridge.yaml
              drawbridge clients add --config drawbridge.yaml shop.json
              echo '{"client_id": "shop", "client_type": "web",
                "return_paths": ["/cart"], "default_return_path": "/cart"}' \\
                | drawbridge clients add --config drawbridge.yaml -
              drawbridge clients secret
            """,
        subcommands: [List.self, Show.self, Add.self, Remove.self, SecretCommand.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List ids, kinds and names of the database's clients.",
            discussion: """
                Example:
                  drawbridge clients list --config drawbridge.yaml
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var listing: ListingOptions

        func run() async throws {
            let clients = try await options.reading { try await $0.clients() }
            let list = Listing(
                columns: ["client_id", "client_type", "client_name"],
                rows: clients.map { [$0.id.rawValue, $0.kind.rawValue, $0.name] })
            try StandardOutput.write(list.text(as: listing.format) + "\n")
            if let note = options.noteOnFixedClients { StandardError.write(note + "\n") }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a client's document as JSON.",
            discussion: """
                Example:
                  drawbridge clients show --config drawbridge.yaml shop > shop.json
                """)

        @OptionGroup var options: StorageOptions
        @Argument(help: "The client_id.") var id: String

        func run() async throws {
            let clients = try await options.reading { try await $0.clients() }
            guard let client = clients.first(where: { $0.id.rawValue == id }) else {
                throw CommandError.noClient(
                    id,
                    note: options.noteOnFixedClient(
                        ClientID(rawValue: id), advice: "drawbridge check-config lists it"))
            }
            try StandardOutput.answer(try ClientSettingText.json(client))
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a client from a JSON document.",
            discussion: """
                Examples:
                  drawbridge clients add --config drawbridge.yaml shop.json
                  drawbridge clients add --config drawbridge.yaml --replace \\
                      --reason "moved to shop.example.com" shop.json
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var why: ReasonOption
        @Flag(help: "Replace a client of the same id, which must be there.") var replace = false
        @Argument(help: "The file, or - for standard input.") var path: String

        func run() async throws {
            var client = try Self.client(try InputFile(path).text())
            if let holder = try options.holder(of: client.id) {
                throw CommandError(
                    "\(holder) has a client \(client.id) of its own, which stands before one of the database.")
            }
            let secret = Self.secret(for: client)
            if let secret { client.secretDigest = secret.digest }
            let action = why.action()
            guard try await save(client, action: action) else {
                throw CommandError(
                    replace
                        ? "There is no client \(client.id) to replace."
                        : "There is a client \(client.id) already; --replace replaces it.")
            }
            StandardOutput.say("\(replace ? "Replaced" : "Added") \(client.id). Running servers know within a second.")
            guard let secret else { return }
            try StandardOutput.show(
                "client_secret, shown this once: \(secret.expose())\n",
                unseen: "\(client.id) has a new client_secret all the same, and nobody has seen it: call this again "
                    + "with --replace.")
        }

        private func save(_ client: Client, action: AdminAction) async throws -> Bool {
            do {
                return try await options.withRegisters(making: !replace) { registers in
                    try await replace
                        ? registers.clients.overwrite(with: client, action: action)
                        : registers.clients.add(client, action: action)
                }
            } catch let error as OAuthError where error.code == .conflict {
                throw CommandError("Somebody else keeps changing \(client.id). Try again.")
            }
        }

        private static func client(_ text: String) throws -> Client {
            do {
                return try ClientSettingText.read(yaml: text)
            } catch let error as ClientDocumentError {
                let list = error.problems.map { "\n  - \($0)" }.joined()
                throw CommandError("The client is not accepted:\(list)")
            } catch let error as ClientSettingText.NotAnObject {
                throw CommandError("The document \(error).")
            }
        }

        /// A new secret for a website or machine that proves itself by one, unless its document brings a digest.
        private static func secret(for client: Client) -> OpaqueSecret? {
            switch client.authenticationMethod {
            case .clientSecretBasic, .clientSecretPost:
                client.secretDigest == nil ? OpaqueSecret.make(.clientSecret, random: .system) : nil
            case .none, .privateKeyJWT: nil
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a client.",
            discussion: """
                One of the settings file is removed there.

                Example:
                  drawbridge clients remove --config drawbridge.yaml shop
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var why: ReasonOption
        @Argument(help: "The client_id.") var id: String

        func run() async throws {
            let clientID = ClientID(rawValue: id)
            let isRemoved = try await remove(clientID, action: why.action())
            let note = options.noteOnFixedClient(
                clientID, advice: "delete its lines there and send SIGHUP to each server")
            guard isRemoved else { throw CommandError.noClient(id, note: note) }
            StandardOutput.say("Removed \(id). Running servers know within a second.")
            // Else somebody believes that it is gone.
            if let note { StandardError.write(note + "\n") }
        }

        private func remove(_ clientID: ClientID, action: AdminAction) async throws -> Bool {
            do {
                return try await options.withRegisters { try await $0.clients.remove(clientID, action: action) }
            } catch let error as OAuthError where error.code == .conflict {
                throw CommandError(
                    "\(id) is the website that apps open by default, so no server would start without it. Change "
                        + "default_web_client in the settings first.")
            }
        }
    }
}

extension CommandError {
    fileprivate static func noClient(_ id: String, note: String?) -> CommandError {
        let sentences = ["There is no client \(id) in the database.", note].compactMap(\.self)
        return CommandError(sentences.joined(separator: " "))
    }
}
