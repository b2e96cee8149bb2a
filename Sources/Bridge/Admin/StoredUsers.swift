/// The users of the database.
package struct StoredUsers: UserRegister {
    private let storage: any BridgeStorage
    private let sessions: WebSessions
    private let passwords: PasswordDesk?
    private let onClaimsChanged: @Sendable (Subject) -> Void

    /// Apps' sessions that a list holds at most; nobody has more apps than this.
    private static let appSessionLimit = 100

    /// - Parameters:
    ///   - passwords: `nil` for an instance that signs nobody in itself.
    ///   - onClaimsChanged: called with a user whose standard claims were replaced, so that nobody answers old ones.
    package init(
        storage: any BridgeStorage, sessions: WebSessions, passwords: PasswordDesk?,
        onClaimsChanged: @escaping @Sendable (Subject) -> Void = { _ in }
    ) {
        self.storage = storage
        self.sessions = sessions
        self.passwords = passwords
        self.onClaimsChanged = onClaimsChanged
    }

    package func users(after cursor: Subject?, limit: Int) async throws -> [UserOverview] {
        try await storage.users(after: cursor, limit: limit)
    }

    package func user(_ subject: Subject) async throws -> UserOverview? {
        guard let record = try await storage.record(of: subject) else { return nil }
        return UserOverview(record, account: try await storage.account(of: subject))
    }

    package func user(named username: Username) async throws -> UserOverview? {
        guard let account = try await storage.account(named: username) else { return nil }
        return try await user(account.subject)
    }

    package func add(_ account: Account, password: Secret<String>, action: AdminAction) async throws -> UserOverview? {
        guard let passwords else { throw StorageError.unavailable("this instance keeps no accounts") }
        var account = account
        account.passwordHash = try await passwords.turn { try await passwords.hash(password) }
        let event = action.event(.userCreated, subject: account.subject)
        guard try await storage.addAccount(account, issuer: Account.issuer, link: nil, event: event) == .added else {
            return nil
        }
        return try await user(account.subject)
    }

    package func change(
        _ subject: Subject, _ change: UserChange, password: Secret<String>?, action: AdminAction
    ) async throws -> UserChangeOutcome {
        var change = change
        if let password {
            // Hashing is dear: nobody waits for it who has nothing to set it on.
            guard let passwords, try await storage.account(of: subject) != nil else { return .noAccount }
            change.passwordHash = try await passwords.turn { try await passwords.hash(password) }
        }
        let outcome = try await storage.changeUser(subject, change, at: action.at) { type, facts in
            action.event(type, subject: subject, facts: facts)
        }
        guard case .changed(let ended) = outcome else { return outcome }
        for session in ended { await sessions.forget(session) }
        if change.claims != nil { onClaimsChanged(subject) }
        return outcome
    }

    package func endSessions(of subject: Subject, action: AdminAction) async throws -> Int {
        let ended = try await storage.endSessions(
            of: subject, at: action.at, ended: action.event(.webSessionEnded, subject: subject))
        for session in ended { await sessions.forget(session) }
        return ended.count
    }

    package func endSession(_ id: SessionID, action: AdminAction) async throws -> Bool {
        let event: AuditEvent
        if let session = try await storage.appSession(id: id) {
            event = action.event(
                .appSessionEnded, subject: session.subject, clientID: session.clientID, sessionID: id)
            let ended = try await storage.endAppSession(id, at: action.at, first: [], ended: event)
            for id in ended { await sessions.forget(id) }
            return !ended.isEmpty
        }
        guard let session = try await storage.session(id: id), session.endedAt == nil, action.at < session.expiresAt
        else { return false }
        event = action.event(
            .webSessionEnded, subject: session.subject, clientID: session.appClientID,
            targetClientID: session.clientID, sessionID: id, tokenID: session.loginTokenID)
        let ended = try await storage.end(id, at: action.at, event: event)
        await sessions.forget(id)
        return ended
    }

    package func sessions(
        of subject: Subject, before cursor: SessionID?, limit: Int
    ) async throws -> [SessionOverview] {
        let web = try await storage.sessions(of: subject, before: cursor, limit: limit).map { SessionOverview($0) }
        guard cursor == nil else { return web }
        let apps = try await storage.appSessions(
            of: subject, aliveAt: sessions.time.now(), limit: Self.appSessionLimit)
        return apps.map { SessionOverview($0) } + web
    }
}
