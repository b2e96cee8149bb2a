import Bridge
import OAuth2
import SQLStorage

/// Accounts of the sign-in pages' tests: `alice` has a password, `carol` a second factor as well.
enum TestAccounts {
    static let password = "correct horse"
    static let cost = PasswordCost(logarithm: 10, blockSize: 1, parallelism: 1) ?? .light
    static let secret = Array("12345678901234567890".utf8)
    static let master = MasterKey([UInt8](repeating: 7, count: 32))
    static let secrets = master.map { SecondFactorSecrets(master: $0) }

    static func add(to bridge: TestBridge) async throws {
        for name in ["alice", "bob", "carol"] {
            let subject = Subject(rawValue: name)
            let now = bridge.clock.now
            let factor =
                name == "carol"
                ? try secrets.map { SecondFactor(sealedSecret: try $0.seal(secret, for: subject)) } : nil
            _ = try await bridge.storage.addAccount(
                Account(
                    subject: subject, username: Username(name), displayName: "\(name) <i>Example</i>",
                    passwordHash: try PasswordHash(Secret(password), cost: cost, random: .system),
                    secondFactor: factor, createdAt: now),
                issuer: Account.issuer, link: nil,
                event: AuditEvent(at: now, type: .userCreated, outcome: .success, subject: subject))
        }
    }

    static func code(at now: Timestamp) -> String {
        OneTimeCode.code(secret: secret, step: OneTimeCode.step(at: now))
    }
}
