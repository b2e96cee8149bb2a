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
            guard let username = Username(registering: username) else {
                throw CommandError("\(username) cannot be a user name.")
            }
            guard name.map(AccountNames.canBeName) ?? true else {
                throw CommandError("--name must be one line of 1 to \(AccountNames.limit) bytes.")
            }
            guard email.map(AccountNames.canBeAddress) ?? true else {
                throw CommandError("--email must be an address such as alice@example.com.")
            }
            try options.requireSettingsForAccounts()
            let password = try PasswordInput.read(prompt: "Password of \(username)")
            let action = why.action()
            let account = Account(
                subject: Account.makeSubject(random: .system), username: username, displayName: name, email: email,
                role: admin ? .admin : nil, createdAt: action.at)
            let added = try await options.withRegisters(making: true) {
                try await $0.users.add(account, password: password, action: action)
            }
            guard added != nil else { throw CommandError("There is an account \(username) already.") }
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
            // Before the database is opened for the change, so that no other command is refused while somebody thinks
            // of a password.
            let password = try PasswordInput.read(prompt: "New password of \(user)")
            let action = why.action()
            let (outcome, passkeys) = try await options.withRegisters { registers in
                let subject = try await UserName(user).requiredAccount(in: registers.storage).subject
                let outcome = try await registers.users.change(
                    subject, UserChange(), password: password, action: action)
                return (outcome, try await registers.storage.passkeys(of: subject).count)
            }
            guard case .changed(let ended) = outcome else { throw UserName(user).noAccount }
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
                _ = try await options.reading { try await UserName(user).requiredAccount(in: $0) }
            } catch SQLiteOpenError.notMigrated, PostgresOpenError.notMigrated {
                // Brought up to date when the database is opened for the change, which looks for the account again.
            }
        }
    }
}

extension UsersCommand {
    struct Role: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give an account the role admin, which opens the console, or take it away.",
            discussion: """
                The last enabled administrator who can sign in keeps it: somebody must be left who can let others \
                in. Taking it away ends what the account had open in the console.

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
            let outcome = try await options.withRegisters { registers in
                let subject = try await UserName(user).requiredAccount(in: registers.storage).subject
                return try await registers.users.change(
                    subject, UserChange(role: change), password: nil, action: action)
            }
            switch outcome {
            case .changed: StandardOutput.say("\(user) has the role \(role) now.")
            case .unchanged: StandardOutput.say("\(user) has the role \(role) already.")
            case .noAccount, .usernameTaken, .changedMeanwhile: throw UserName(user).noAccount
            case .lastAdministrator: throw CommandError.lastAdministrator(user)
            }
        }
    }
}

extension CommandError {
    static func lastAdministrator(_ user: String) -> CommandError {
        CommandError(
            "\(user) is the last administrator who can sign in, so nobody would be left to let others in. Give somebody "
                + "else who can sign in the role first: drawbridge users role NAME admin.")
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

    /// The account that a command is about.
    /// - Throws: ``CommandError``, which says who signs a user without one in, or that nobody is known by the name.
    func requiredAccount(in storage: any BridgeStorage) async throws -> Account {
        if let account = try await account(in: storage) { return account }
        guard let user = try await storage.record(of: Subject(rawValue: text)) else { throw noAccount }
        throw CommandError(
            "\(text) has no account here, so no password, second factor, passkey, claims or role: \(user.issuer) signs "
                + "this user in. drawbridge users disable locks them out here.")
    }

    var noAccount: CommandError {
        CommandError("There is no account \(text): drawbridge users list has the users that are known.")
    }

    /// The subject, also of a user without an account.
    func subject(in storage: any BridgeStorage) async throws -> Subject {
        try await account(in: storage)?.subject ?? Subject(rawValue: text)
    }
}
