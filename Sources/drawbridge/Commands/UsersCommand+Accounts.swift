import ArgumentParser
import Bridge
import SQLStorage

extension UsersCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an account; its password comes from the terminal or the standard input.",
            discussion: """
                Examples:
                  drawbridge users add --config drawbridge.yaml --name "Alice Liddell" alice
                  drawbridge users add --config drawbridge.yaml --admin ops < password.txt
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var why: ReasonOption
        @Argument(help: "The name to sign in with.") var username: String
        @Option(help: "The name that pages show.") var name: String?
        @Option(help: "An e-mail address.") var email: String?
        @Flag(help: "May open the console.") var admin = false

        func run() async throws {
            guard let username = Username(username) else { throw CommandError("\(username) cannot be a user name.") }
            try options.requireSettingsForAccounts()
            let password = try PasswordInput.read(prompt: "Password of \(username)")
            let hash = try PasswordHash(password, cost: .standard, random: .system)
            let action = why.action()
            let account = Account(
                subject: Account.makeSubject(random: .system), username: username, displayName: name, email: email,
                passwordHash: hash, role: admin ? .admin : nil, createdAt: action.at)
            let event = action.event(
                .userCreated, subject: account.subject, facts: account.role.map { ["role": $0.rawValue] } ?? [:])
            let outcome = try await options.withStorage(making: true) {
                try await $0.addAccount(account, issuer: Account.issuer, link: nil, event: event)
            }
            guard outcome == .added else { throw CommandError("There is an account \(username) already.") }
            StandardOutput.say("Added \(username) with subject \(account.subject).")
        }
    }

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set an account's password and end everything that was signed in with the old one.",
            discussion: """
                Passkeys stay: users passkeys removes them.

                Examples:
                  drawbridge users password --config drawbridge.yaml alice
                  drawbridge users password --config drawbridge.yaml \\
                      --reason "phone lost" alice < password.txt
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var why: ReasonOption
        @Argument(help: "The user name or the subject.") var user: String

        func run() async throws {
            try await requireAccount()
            // Before the database is opened for the change, so that no other command is refused while somebody thinks of
            // a password.
            let password = try PasswordInput.read(prompt: "New password of \(user)")
            let hash = try PasswordHash(password, cost: .standard, random: .system)
            let action = why.action()
            let (ended, passkeys) = try await options.withStorage { storage in
                guard let account = try await UserName(user).account(in: storage) else { throw noAccount }
                let ended = try await storage.setPassword(
                    hash, of: account.subject, event: action.event(.userPasswordChanged, subject: account.subject),
                    ending: Ending(action))
                return (ended, try await storage.passkeys(of: account.subject).count)
            }
            guard let ended else { throw noAccount }
            StandardOutput.say("Changed the password of \(user); \(ended.sentence)")
            if passkeys > 0 {
                StandardOutput.say(
                    "Passkeys that still sign \(user) in: \(passkeys). "
                        + "`drawbridge users passkeys` lists and removes them.")
            }
        }

        /// Nobody should think of a password for an account that is not there.
        private func requireAccount() async throws {
            do {
                let storage = try await options.openForReading()
                guard try await UserName(user).account(in: storage) != nil else { throw noAccount }
            } catch SQLiteOpenError.notMigrated, PostgresOpenError.notMigrated {
                // Brought up to date when the database is opened for the change, which looks for the account again.
            }
        }

        private var noAccount: CommandError { CommandError("There is no account \(user).") }
    }
}

extension UsersCommand {
    struct Role: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give an account the role admin, which opens the console, or take it away.",
            discussion: """
                The last enabled administrator keeps it: somebody must be left who can let others in. Taking it \
                away ends what the account had open in the console.

                Examples:
                  drawbridge users role --config drawbridge.yaml alice admin
                  drawbridge users role --config drawbridge.yaml alice none
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var why: ReasonOption
        @Argument(help: "The user name or the subject.") var user: String
        @Argument(help: "admin, or none.") var role: String

        func run() async throws {
            let change: UserChange.RoleChange
            switch (role, Account.Role(rawValue: role)) {
            case (_, let role?): change = .give(role)
            case ("none", nil): change = .take
            default: throw CommandError("\(role) is not a role: it is admin, or none.")
            }
            let action = why.action()
            let outcome = try await options.withStorage { storage in
                let subject = try await UserName(user).subject(in: storage)
                return try await storage.changeUser(
                    subject, UserChange(role: change), events: { action.event($0, subject: subject, facts: $1) },
                    ending: Ending(action))
            }
            switch outcome {
            case .changed: StandardOutput.say("\(user) has the role \(role) now.")
            case .unchanged: StandardOutput.say("\(user) has the role \(role) already.")
            case .noAccount, .usernameTaken: throw CommandError("There is no account \(user).")
            case .lastAdministrator: throw CommandError.lastAdministrator(user)
            }
        }
    }
}

extension CommandError {
    static func lastAdministrator(_ user: String) -> CommandError {
        CommandError(
            "\(user) is the last administrator, so nobody would be left to let others in. Give somebody else the role "
                + "first: drawbridge users role NAME admin.")
    }
}

/// What an operator calls a user: the user name, or the subject.
struct UserName {
    let text: String

    init(_ text: String) { self.text = text }

    func account(in storage: any BridgeStorage) async throws -> Account? {
        if let username = Username(text), let account = try await storage.account(named: username) { return account }
        return try await storage.account(of: Subject(rawValue: text))
    }

    /// The subject, also of a user without an account.
    func subject(in storage: any BridgeStorage) async throws -> Subject {
        try await account(in: storage)?.subject ?? Subject(rawValue: text)
    }
}
