package import Bridge
import OAuth2

extension DurableStorage: UserStore {
    package func account(named username: Username) async throws -> Account? {
        try await account(AccountSQL.byUsername, [.text(username.key)])
    }

    package func account(of subject: Subject) async throws -> Account? {
        try await account(AccountSQL.bySubject, [SQLValue(subject)])
    }

    package func account(of subject: Subject, linkMadeAfter start: Timestamp) async throws -> Account? {
        try await account(AccountSQL.bySubjectOfLink, [SQLValue(subject), SQLValue(start)])
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

    package func replacePassword(
        _ hash: PasswordHash, of account: Account, by warrant: PasswordWarrant, event: AuditEvent, ending: Ending
    ) async throws -> ReplacedPassword? {
        let subject = account.subject
        return try await write { [endings, heldWebSession, heldStanding] transaction in
            let row: [SQLValue] = [
                SQLValue(subject), .text(hash.text), SQLValue(ending.at), SQLValue(account.passwordChangedAt),
                SQLValue(warrant.linkMadeAfter),
            ]
            // Account, user, session: the order in which others hold them.
            guard try transaction.changes(AccountSQL.replacePassword, row) else { return nil }
            let standing = [SQLValue(subject), SQLValue(account.everythingEndedAt)]
            guard try transaction.changes(AccountSQL.holdStanding, standing),
                try transaction.holds(warrant.session, by: heldWebSession)
            else { throw Withdrawn(outcome: ReplacedPassword?.none) }
            try transaction.record(event)
            let ended = try transaction.end(.user(subject), ending, by: endings)
            guard let held = try transaction.run(heldStanding, [SQLValue(subject)]).first else {
                throw StorageError.corrupt("an account is nobody's")
            }
            return ReplacedPassword(ended: ended, lastEnd: try held.timestamp(1))
        }
    }

    package func identities(of subject: Subject) async throws -> [UpstreamIdentity] {
        try await read { session in
            try session.run(AccountSQL.identities, [SQLValue(subject)]).map { row in
                UpstreamIdentity(issuer: try row.text(0), subject: try row.text(1))
            }
        }
    }

    package func rehashPassword(from old: PasswordHash, to new: PasswordHash, of subject: Subject) async throws {
        try await write { transaction in
            _ = try transaction.changes(
                AccountSQL.rehash, [SQLValue(subject), .text(old.text), .text(new.text)])
        }
    }

    private func account(_ statement: SQLStatement, _ arguments: [SQLValue]) async throws -> Account? {
        try await look { session in try session.run(statement, arguments).first.map(Account.init(row:)) }
    }
}

extension Account {
    /// `$1…` of ``AccountSQL/insert``.
    var columns: [SQLValue] {
        [
            SQLValue(subject), SQLValue(username?.text), SQLValue(username?.key), SQLValue(displayName),
            SQLValue(email), SQLValue(passwordHash?.text), SQLValue(role?.rawValue),
            SQLValue(secondFactor?.sealedSecret), SQLValue(secondFactor?.lastStep), SQLValue(createdAt),
            SQLValue(passwordChangedAt), SQLValue(claims.text), SQLValue(claimsChangedAt),
        ]
    }

    /// How many columns ``init(row:)`` reads.
    static let columnCount = 15

    /// Reads a row of ``AccountSQL/bySubject`` and its like.
    init(row: SQLRow) throws {
        var factor: SecondFactor?
        if let sealed = try row.optionalText(6) {
            factor = SecondFactor(sealedSecret: sealed, lastStep: try row.optionalInteger(7) ?? 0)
        }
        self.init(
            subject: try row.identifier(0), username: try Self.username(row), displayName: try row.optionalText(2),
            email: try row.optionalText(3), passwordHash: try Self.passwordHash(row),
            role: try row.optionalText(5) == nil ? nil : try row.word(5), secondFactor: factor,
            createdAt: try row.timestamp(8), passwordChangedAt: try row.timestamp(9),
            disabledAt: try row.optionalTimestamp(10), claims: try Self.claims(row),
            claimsChangedAt: try row.optionalTimestamp(12))
        everythingEndedAt = try row.optionalTimestamp(13)
        lastEnd = try row.timestamp(14)
    }

    private static func username(_ row: SQLRow) throws -> Username? {
        guard let text = try row.optionalText(1) else { return nil }
        guard let username = Username(text) else { throw StorageError.corrupt("a stored username is malformed") }
        return username
    }

    private static func claims(_ row: SQLRow) throws -> StandardClaims {
        guard let text = try row.optionalText(11) else { return .none }
        guard let object = JSONValue.parse(text.utf8)?.object, let claims = try? StandardClaims(object) else {
            throw StorageError.corrupt("stored claims are malformed")
        }
        return claims
    }

    private static func passwordHash(_ row: SQLRow) throws -> PasswordHash? {
        guard let text = try row.optionalText(4) else { return nil }
        // Never read as "no password": an account must not change its ways because a row was damaged.
        guard let hash = PasswordHash(text) else { throw StorageError.corrupt("a stored password hash is malformed") }
        return hash
    }
}
