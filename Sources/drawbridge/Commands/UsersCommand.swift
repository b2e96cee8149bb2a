import ArgumentParser
import Bridge

/// Users, as far as they were seen here.
struct UsersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "List, add, disable and enable users, set passwords, roles and second factors, remove passkeys.",
        discussion: """
            A user comes into being as an account (users add), or with the first token of a trusted issuer that \
            names them. Disabling ends everything that they are signed in to, apps and devices too; running \
            servers refuse it within a second.

            Examples:
              drawbridge users add --config drawbridge.yaml alice
              drawbridge users password --config drawbridge.yaml alice < password.txt
              drawbridge users claims --config drawbridge.yaml alice claims.json
              drawbridge users role --config drawbridge.yaml alice admin
              drawbridge users second-factor enrol --config drawbridge.yaml alice
              drawbridge users list --config drawbridge.yaml
              drawbridge users disable --config drawbridge.yaml alice
            """,
        subcommands: [
            List.self, Add.self, Password.self, Claims.self, Role.self, Disable.self, Enable.self,
            SecondFactorCommand.self, PasskeysCommand.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List users with their names and state.",
            discussion: """
                Only accounts of this service have names, roles and second factors; a - stands for none.

                Example:
                  drawbridge users list --config drawbridge.yaml --format json
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var listing: ListingOptions

        func run() async throws {
            let users = try await options.reading { storage in
                var users: [UserOverview] = []
                while true {
                    let page = try await storage.users(after: users.last?.subject, limit: 500)
                    guard !page.isEmpty else { return users }
                    users += page
                }
            }
            try StandardOutput.write(Listing(users: users).text(as: listing.format) + "\n")
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Disable a user and end all that they are signed in to.",
            discussion: """
                Example:
                  drawbridge users disable --config drawbridge.yaml \\
                      --reason "has left the company" alice
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var why: ReasonOption
        @Argument(help: "The user name, or the subject as users list prints it.") var subject: String

        func run() async throws {
            let ended = try await UserSwitch(subject: subject, disables: true, action: why.action()).apply(options)
            StandardOutput.say("Disabled \(subject); \(ended.sentence)")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Enable a user again.",
            discussion: """
                Example:
                  drawbridge users enable --config drawbridge.yaml alice
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var why: ReasonOption
        @Argument(help: "The user name, or the subject as users list prints it.") var subject: String

        func run() async throws {
            _ = try await UserSwitch(subject: subject, disables: false, action: why.action()).apply(options)
            StandardOutput.say("Enabled \(subject).")
        }
    }
}

extension Ended {
    /// How many sessions ended, as a command says it.
    var sentence: String { sessions.count == 1 ? "1 session ended." : "\(sessions.count) sessions ended." }
}

/// Disables or enables one user.
private struct UserSwitch {
    let subject: String
    let disables: Bool
    let action: AdminAction

    func apply(_ options: StorageOptions) async throws -> Ended {
        try await options.withRegisters { registers in
            let user = try await UserName(subject).subject(in: registers.storage)
            let outcome = try await registers.users.change(
                user, UserChange(isDisabled: disables), password: nil, action: action)
            switch outcome {
            case .changed(let ended): return ended
            case .unchanged, .noAccount, .usernameTaken, .changedMeanwhile:
                throw try await refusal(of: user, in: registers.storage)
            case .lastAdministrator: throw CommandError.lastAdministrator(subject)
            }
        }
    }

    private func refusal(of user: Subject, in storage: any BridgeStorage) async throws -> CommandError {
        guard try await storage.record(of: user) == nil else {
            return CommandError("\(subject) is \(disables ? "disabled" : "enabled") already.")
        }
        // The users of an issuer have its prefix, which is easily left out: login:alice.
        guard subject.utf8.count <= Self.longestSought, let similar = try await similarUser(in: storage) else {
            return CommandError("\(subject) is unknown here: drawbridge users list has those that are known.")
        }
        return CommandError("\(subject) is unknown here: did you mean \(similar.rawValue)?")
    }

    /// In bytes; more than any user is called, and far fewer than SQLite takes for a pattern (50,000).
    private static let longestSought = 1024

    /// Not looked for among all of many users: it is a hint.
    private func similarUser(in storage: any BridgeStorage) async throws -> Subject? {
        var cursor: Subject?
        for _ in 0..<5 {
            let page = try await storage.users(matching: ":\(subject)", after: cursor, limit: 100)
            let similar = page.users.first { $0.subject.rawValue.hasSuffix(":\(subject)") }
            if similar != nil || page.next == nil { return similar?.subject }
            cursor = page.next
        }
        return nil
    }
}
