package import Bridge

extension DurableStorage: AccountStore {
    package func account(named username: Username) async throws -> Account? {
        try await account(AccountSQL.byUsername, [.text(username.key)])
    }

    package func account(of subject: Subject) async throws -> Account? {
        try await account(AccountSQL.bySubject, [SQLValue(subject)])
    }

    package func hasAccounts() async throws -> Bool {
        try await read { session in try !session.run(AccountSQL.any).isEmpty }
    }

    package func account(linkedTo identity: UpstreamIdentity) async throws -> Account? {
        try await account(AccountSQL.byIdentity, [.text(identity.issuer), .text(identity.subject)])
    }

    package func addAccount(
        _ account: Account, issuer: String, link: UpstreamIdentity?, event: AuditEvent
    ) async throws -> AccountAdding {
        try await write { transaction in
            let user: [SQLValue] = [SQLValue(account.subject), .text(issuer), SQLValue(account.createdAt)]
            _ = try transaction.run(SubjectSQL.insert, user)
            guard try transaction.changes(AccountSQL.insert, account.columns) else {
                let isSubject = try !transaction.run(AccountSQL.subjectExists, [SQLValue(account.subject)]).isEmpty
                throw Withdrawn(outcome: isSubject ? AccountAdding.subjectTaken : .usernameTaken)
            }
            if let link {
                let row: [SQLValue] = [
                    .text(link.issuer), .text(link.subject), SQLValue(account.subject), SQLValue(account.createdAt),
                ]
                guard try transaction.changes(AccountSQL.link, row) else {
                    throw Withdrawn(outcome: AccountAdding.subjectTaken)
                }
            }
            try transaction.record(event)
            return .added
        }
    }

    package func setPassword(
        _ hash: PasswordHash, of subject: Subject, event: AuditEvent, ending: Ending
    ) async throws -> Ended? {
        try await write { [endings] transaction in
            try transaction.setPassword(hash, of: subject, event: event, ending, by: endings)
        }
    }

    package func rehashPassword(from old: PasswordHash, to new: PasswordHash, of subject: Subject) async throws {
        try await write { transaction in
            _ = try transaction.changes(
                AccountSQL.rehash, [SQLValue(subject), .text(old.text), .text(new.text)])
        }
    }

    private func account(_ statement: SQLStatement, _ arguments: [SQLValue]) async throws -> Account? {
        try await read { session in try session.run(statement, arguments).first.map(Account.init(row:)) }
    }
}
