import Bridge
import Crypto
import OAuth2

/// The demo's accounts: the same people as the subjects of its trusted issuer, so that an app's token and a sign-in
/// in the browser name the same user.
struct DemoAccounts: Sendable {
    /// What the passwords are made of; one for each data folder.
    private let seed: SymmetricKey

    init(folder: DemoFolder) throws {
        let text = String(decoding: try PrivateFile.read(folder.path(of: .passwordSeed)), as: UTF8.self)
        guard let bytes = Base64URL.decode(text) else {
            throw LoginTokenKeyFileError(path: folder.path(of: .passwordSeed), problem: "is not a secret of the demo")
        }
        seed = SymmetricKey(data: bytes)
    }

    /// A throwaway password, the same at every start on one folder.
    func password(of person: DemoPerson) -> Secret<String> {
        let code = HMAC<SHA256>.authenticationCode(for: Array("password of \(person.subject)".utf8), using: seed)
        return Secret(Base32.encode(Array(code).prefix(10)).lowercased())
    }

    /// Sees to it that every person has an account.
    func prepare(in storage: any BridgeStorage, at now: Timestamp) async throws {
        for person in DemoPerson.all where try await storage.account(of: Subject(rawValue: person.subject)) == nil {
            let account = Account(
                subject: Subject(rawValue: person.subject), username: Username(person.subject),
                displayName: person.name, email: "\(person.subject)@example.com",
                passwordHash: try PasswordHash(password(of: person), cost: .light, random: .system),
                role: person.role.flatMap(Account.Role.init(rawValue:)), createdAt: now,
                claims: try StandardClaims(["email_verified": .bool(true)]))
            _ = try await storage.addAccount(
                account, issuer: Account.issuer, link: nil,
                event: AuditEvent(at: now, type: .userCreated, outcome: .success, subject: account.subject))
        }
    }

    /// The passwords that sign in, by subject: on a folder that was kept, somebody may have changed one, or the name
    /// that goes with it.
    func passwords(goodIn storage: any BridgeStorage) async throws -> [String: Secret<String>] {
        var passwords: [String: Secret<String>] = [:]
        for person in DemoPerson.all {
            guard let account = try await storage.account(of: Subject(rawValue: person.subject)),
                account.username == Username(person.subject), let hash = account.passwordHash
            else { continue }
            let password = password(of: person)
            // One that nobody has set since is the demo's own; only another costs the start a comparison.
            let isAsMade = account.passwordChangedAt == account.createdAt
            guard try isAsMade || hash.matches(password) else { continue }
            passwords[person.subject] = password
        }
        return passwords
    }
}

extension DemoPerson {
    /// The account as the ready line writes it (contract §15).
    /// - Parameter password: `nil` where the demo does not know it any more.
    func json(password: Secret<String>?) -> String {
        var object = JSONObjectWriter()
        object.add("sub", subject)
        object.add("username", subject)
        object.add("password", password?.expose())
        object.add("role", role)
        return object.finishedText()
    }
}
