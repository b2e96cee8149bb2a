import Bridge
import Testing

extension Account {
    /// Stores a user with a password, whatever the rules for one would say.
    static func addSample(named name: String = "alice", role: Role? = nil, to storage: any BridgeStorage) async throws {
        let now = Timestamp(seconds: 1_795_356_000)
        let account = Account(
            subject: makeSubject(random: .system), username: Username(name),
            passwordHash: try PasswordHash(Secret("correct horse battery"), cost: .light, random: .system),
            role: role, createdAt: now)
        let event = AuditEvent(at: now, type: .userCreated, outcome: .success, subject: account.subject)
        let outcome = try await storage.addAccount(account, issuer: Account.issuer, link: nil, event: event)
        try #require(outcome == .added)
    }
}
