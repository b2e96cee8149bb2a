import ArgumentParser
import Bridge
import OAuth2

extension UsersCommand {
    /// Passkeys, as an operator sees them and takes them away.
    struct PasskeysCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "passkeys",
            abstract: "List or remove an account's passkeys.",
            discussion: """
                Users add and remove them at /account/passkeys. Removing one ends no session: \
                users disable does that, or the console.

                Examples:
                  drawbridge users passkeys list --config drawbridge.yaml alice
                  drawbridge users passkeys remove --config drawbridge.yaml \\
                      --reason "phone lost" alice
                """,
            subcommands: [ListThem.self, Remove.self])

        struct ListThem: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "list", abstract: "List an account's passkeys, the oldest first.",
                discussion: """
                    Example:
                      drawbridge users passkeys list --config drawbridge.yaml alice
                    """)

            @OptionGroup var options: StorageOptions
            @OptionGroup var listing: ListingOptions
            @Argument(help: "The user name or the subject.") var user: String

            func run() async throws {
                let passkeys = try await options.reading { storage in
                    let account = try await UserName(user).requiredAccount(in: storage)
                    return try await storage.passkeys(of: account.subject)
                }
                try StandardOutput.write(Listing(passkeys: passkeys).text(as: listing.format) + "\n")
            }
        }

        struct Remove: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Remove one passkey, or all; what was signed in with them goes on.",
                discussion: """
                    Examples:
                      drawbridge users passkeys remove --config drawbridge.yaml \\
                          --passkey PASSKEY alice
                      drawbridge users passkeys remove --config drawbridge.yaml \\
                          --reason "phone lost" alice
                    """)

            @OptionGroup var target: SecondFactorTarget
            // Its name may begin with a dash.
            @Option(parsing: .unconditional, help: "The passkey, as list prints it; all of them without.")
            var passkey: String?

            func run() async throws {
                let account = try await target.change { registers, account, action in
                    let marks =
                        if let passkey { [passkey] } else {
                            try await registers.storage.passkeys(of: account.subject).map(\.mark)
                        }
                    var isRemoved = false
                    for mark in marks {
                        if try await registers.users.removePasskey(mark, of: account.subject, action: action) {
                            isRemoved = true
                        }
                    }
                    return isRemoved
                }
                guard account != nil else { throw CommandError("\(target.user) has no such passkey.") }
                StandardOutput.say(
                    "Removed \(passkey.map { "the passkey \($0)" } ?? "the passkeys") of \(target.user).")
            }
        }
    }
}

extension Listing {
    fileprivate init(passkeys: [Passkey]) {
        self.init(
            columns: ["passkey", "name", "host", "algorithm", "created", "last_used"],
            rows: passkeys.map { passkey in
                [
                    passkey.mark, passkey.name, passkey.relyingParty, passkey.algorithm.rawValue,
                    passkey.createdAt.rfc3339, passkey.lastUsedAt?.rfc3339,
                ]
            })
    }
}
