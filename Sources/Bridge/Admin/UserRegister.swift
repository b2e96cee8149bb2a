import OAuth2

/// Users as an administrator changes them.
package final class UserRegister: Sendable {
    /// The stores that hold a user's account, sessions and credentials.
    package typealias Storage = UserStore & GrantStore & SessionStore & LinkedKeyStore & PasskeyStore

    private let storage: any Storage
    private let endings: SessionEndings
    private let time: TimeSource
    private let passwords: PasswordHasher?
    private let takesAccounts: Bool
    private let onChange: @Sendable (Subject) -> Void

    /// - Parameters:
    ///   - passwords: `nil` for an instance that does not sign users in itself.
    ///   - takesAccounts: whether a start with these settings and an account would succeed: a trusted issuer may be one
    ///     that could name accounts (contract §1.3).
    ///   - onChange: called with a user who may have changed, so that no cache answers by what was true before.
    package init(
        storage: any Storage, endings: SessionEndings, passwords: PasswordHasher?,
        takesAccounts: Bool = true, onChange: @escaping @Sendable (Subject) -> Void = { _ in },
        time: TimeSource
    ) {
        self.storage = storage
        self.endings = endings
        self.time = time
        self.passwords = passwords
        self.takesAccounts = takesAccounts
        self.onChange = onChange
    }

    /// At most `limit` users after `cursor`, in order of subject.
    package func page(after cursor: Subject?, limit: Int) async throws -> UserPage {
        let found = try await storage.users(after: cursor, limit: limit + 1)
        let users = Array(found.prefix(limit))
        return UserPage(users: users, next: found.count > limit ? users.last?.subject : nil)
    }

    /// At most `limit` users after `cursor` of whose id, name or address `text` is a part, in order of subject. A page
    /// may be short, or empty, although another one follows.
    package func page(matching text: String, after cursor: Subject?, limit: Int) async throws -> UserPage {
        try await storage.users(matching: text, after: cursor, limit: limit)
    }

    /// Users of whose id, name or address `text` is a part, in the given order.
    /// - Returns: `nil` where there are too many users to sort them.
    package func users(
        matching text: String, by order: UserOrder, after cursor: UserCursor?, limit: Int
    ) async throws -> [UserOverview]? {
        try await storage.users(matching: text, by: order, after: cursor, limit: limit)
    }

    package func user(_ subject: Subject) async throws -> UserOverview? {
        guard let record = try await storage.record(of: subject) else { return nil }
        return UserOverview(record, account: try await storage.account(of: subject))
    }

    /// Adds an account.
    /// - Parameter password: `nil` for one that waits for its user to set one by a link.
    /// - Returns: `nil` when the name is taken.
    /// - Throws: `OAuthError` where the settings allow no account.
    package func add(_ account: Account, password: Secret<String>?, action: AdminAction) async throws -> UserOverview? {
        guard let passwords else { throw StorageError.unavailable("this instance keeps no accounts") }
        guard takesAccounts else {
            throw OAuthError(
                .invalidRequest,
                "with an account the next start would be refused: give the trusted issuer a subject_prefix first")
        }
        var account = account
        if let password {
            account.passwordHash = try await passwords.turn { try await passwords.hash(password) }
        }
        let event = action.event(
            .userCreated, subject: account.subject, facts: account.role.map { ["role": $0.rawValue] } ?? [:])
        guard try await storage.addAccount(account, issuer: Account.issuer, link: nil, event: event) == .added else {
            return nil
        }
        return try await user(account.subject)
    }

    /// Changes a user: everything, or nothing.
    /// - Parameter password: a new one, in the place of the change's hash.
    package func change(
        _ subject: Subject, _ change: UserChange, password: Secret<String>?, action: AdminAction
    ) async throws -> UserChangeOutcome {
        var change = change
        change.sparesLastAdministrator = action.actor.sparesLastAdministrator
        if let password {
            // Hashing is expensive: a caller without an account to set it on need not wait for it.
            guard let passwords, try await storage.account(of: subject) != nil else { return .noAccount }
            change.passwordHash = try await passwords.turn { try await passwords.hash(password) }
        }
        let outcome = try await storage.changeUser(
            subject, change,
            events: { action.event($0, subject: subject, facts: $1.members, fields: $1.fields) },
            ending: Ending(action))
        // Of a user whom another node has just changed the same way as well.
        onChange(subject)
        let root: EndingRoot? = change.endsEverything ? .user(subject) : nil
        guard case .changed(let ended) = outcome else {
            await endings.take(in: .nothing, of: root)
            return outcome
        }
        await endings.take(in: ended, of: root)
        return outcome
    }

    /// Takes the second factor away from a user who lost it.
    /// - Returns: whether there was one.
    package func resetSecondFactor(of subject: Subject, event: AuditEvent) async throws -> Bool {
        try await storage.removeSecondFactor(of: subject, event: event)
    }

    /// Removes a passkey from a user who lost its device. What was signed in with it goes on, until it is ended.
    /// - Returns: whether it was there.
    package func removePasskey(_ mark: String, of subject: Subject, action: AdminAction) async throws -> Bool {
        try await storage.removePasskey(
            mark, of: subject,
            event: action.event(.userPasskeyRemoved, subject: subject, facts: [PasskeySignIn.markName: mark]))
    }

    /// Unlinks a phone's key for ever, and ends what was signed in with any key of the user: for a user who lost the
    /// phone, or to whose account a thief has linked another.
    package func unlinkKey(_ thumbprint: String, of subject: Subject, action: AdminAction) async throws -> Unlinking {
        let outcome = try await storage.unlink(
            thumbprint, of: subject, sparing: nil, Ending(action),
            event: action.event(.selfIssuedUnlinked, subject: subject, facts: [LinkedKeys.thumbprintName: thumbprint]))
        let ended = if case .unlinked(let ended) = outcome { ended } else { Ended.nothing }
        await endings.take(in: ended, of: .user(subject))
        return outcome
    }

    /// What a user has agreed that apps and websites may have.
    package func consents(of subject: Subject) async throws -> [Consent] {
        try await storage.consents(of: subject)
    }

    /// Takes back what a user has allowed a client, and ends what the client was granted.
    /// - Returns: whether anything was allowed.
    package func withdrawConsent(of subject: Subject, to client: ClientID, action: AdminAction) async throws -> Bool {
        let ended = try await storage.forgetConsent(
            of: subject, to: client, Ending(action),
            event: action.event(.consentWithdrawn, subject: subject, targetClientID: client))
        await endings.take(in: ended ?? .nothing, of: .granted(to: client, of: subject))
        return ended != nil
    }

    /// Ends every live session of a user.
    /// - Returns: how many.
    package func endSessions(of subject: Subject, action: AdminAction) async throws -> Int {
        try await endings.end(.user(subject), Ending(action)).sessions.count
    }

    /// Ends one session with what hangs under it.
    /// - Returns: `false` when there is none that lives.
    package func endSession(_ id: SessionID, action: AdminAction) async throws -> Bool {
        let root: EndingRoot = try await storage.appSession(id: id) == nil ? .webSession(id) : .appSession(id)
        return try await !endings.end(root, Ending(action)).isEmpty
    }

    /// At most `limit` of a user's sessions: first the apps' that live, then the browsers', each newest first.
    /// - Parameter cursor: the session, of either kind, after which they come; it may have ended meanwhile.
    /// - Throws: `invalid_request` when there is no such session of the user.
    package func sessions(
        of subject: Subject, before cursor: SessionID?, limit: Int
    ) async throws -> [SessionOverview] {
        if let cursor, try await storage.session(id: cursor)?.subject == subject {
            return try await storage.sessions(of: subject, before: cursor, limit: limit).map { SessionOverview($0) }
        }
        // Of one that is gone nothing would come after, as if it had been the last.
        if let cursor, try await storage.appSession(id: cursor)?.subject != subject {
            throw OAuthError(.invalidRequest, "cursor is not one of this list")
        }
        let apps = try await storage.appSessions(of: subject, aliveAt: time.now(), before: cursor, limit: limit)
        let web = try await storage.sessions(of: subject, before: nil, limit: limit - apps.count)
        return apps.map { SessionOverview($0) } + web.map { SessionOverview($0) }
    }

    /// The newest of a user's sessions of each kind, and those of browsers that live, so that many of the one hide none
    /// of the other.
    /// - Parameter limit: for each kind, and for the live ones.
    package func newestSessions(of subject: Subject, limit: Int) async throws -> [SessionOverview] {
        let now = time.now()
        let apps = try await storage.appSessions(of: subject, aliveAt: now, limit: limit)
        let newest = try await storage.sessions(of: subject, before: nil, limit: limit)
        let known = Set(newest.map(\.id))
        let older = try await storage.sessions(of: subject, aliveAt: now, limit: limit)
            .filter { !known.contains($0.id) }
        return apps.map { SessionOverview($0) } + (newest + older).map { SessionOverview($0) }
    }
}
