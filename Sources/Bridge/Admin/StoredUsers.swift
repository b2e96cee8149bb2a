/// The users of the database.
package struct StoredUsers: UserRegister {
    private let storage: any BridgeStorage
    private let endings: SessionEndings
    private let time: TimeSource
    private let passwords: PasswordDesk?
    private let onClaimsChanged: @Sendable (Subject) -> Void

    /// Apps' sessions that a list holds at most; nobody has more apps than this.
    private static let appSessionLimit = 100

    /// - Parameters:
    ///   - passwords: `nil` for an instance that signs nobody in itself.
    ///   - onClaimsChanged: called with a user whose standard claims were replaced, so that nobody answers old ones.
    package init(
        storage: any BridgeStorage, endings: SessionEndings, passwords: PasswordDesk?,
        onClaimsChanged: @escaping @Sendable (Subject) -> Void = { _ in }, time: TimeSource = .system
    ) {
        self.storage = storage
        self.endings = endings
        self.time = time
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

    package func setPassword(_ password: Secret<String>, subject: Subject, action: AdminAction) async throws -> Bool {
        guard let passwords, try await storage.account(of: subject) != nil else { return false }
        let hash = try await passwords.turn { try await passwords.hash(password) }
        let ended = try await storage.setPassword(
            hash, of: subject, event: action.event(.userPasswordChanged, subject: subject), ending: Ending(action))
        await endings.take(in: ended ?? .nothing)
        return ended != nil
    }

    package func setClaims(_ claims: StandardClaims, subject: Subject, action: AdminAction) async throws -> Bool {
        defer { onClaimsChanged(subject) }
        return try await storage.setClaims(
            claims, of: subject, at: action.at, event: action.event(.userClaimsChanged, subject: subject))
    }

    package func setDisabled(_ disabled: Bool, subject: Subject, action: AdminAction) async throws -> Bool {
        guard let user = try await storage.record(of: subject) else { return false }
        guard (user.disabledAt != nil) != disabled else { return true }
        let ended = try await storage.setDisabled(
            disabled, subject: subject,
            event: action.event(disabled ? .userDisabled : .userEnabled, subject: subject), ending: Ending(action))
        await endings.take(in: ended ?? .nothing)
        return true
    }

    package func endSessions(of subject: Subject, action: AdminAction) async throws -> Int {
        try await endings.end(.user(subject), Ending(action)).sessions.count
    }

    package func endSession(_ id: SessionID, action: AdminAction) async throws -> Bool {
        let root: EndingRoot = try await storage.appSession(id: id) == nil ? .webSession(id) : .appSession(id)
        return try await !endings.end(root, Ending(action)).isEmpty
    }

    package func sessions(
        of subject: Subject, before cursor: SessionID?, limit: Int
    ) async throws -> [SessionOverview] {
        let web = try await storage.sessions(of: subject, before: cursor, limit: limit).map { SessionOverview($0) }
        guard cursor == nil else { return web }
        let apps = try await storage.appSessions(
            of: subject, aliveAt: time.now(), limit: Self.appSessionLimit)
        return apps.map { SessionOverview($0) } + web
    }
}
