/// Knows which accounts have the role `admin`.
package protocol AdministratorDirectory: Sendable {
    func isAdministrator(_ subject: Subject) async throws -> Bool

    /// Whether the user has no second factor and can set one up here.
    func canEnrolSecondFactor(_ subject: Subject) async throws -> Bool
}

extension AdministratorDirectory {
    /// Why an administrator who has shown one factor is not let in.
    package func refusalOfOneFactor(of subject: Subject) async throws -> AdminRefusal.Reason {
        try await canEnrolSecondFactor(subject) ? .secondFactorNotEnrolled : .secondFactorMissing
    }
}

/// The accounts of the database.
package struct StoredAdministrators: AdministratorDirectory {
    private let accounts: any UserStore

    package init(_ accounts: any UserStore) { self.accounts = accounts }

    package func isAdministrator(_ subject: Subject) async throws -> Bool {
        guard let account = try await accounts.account(of: subject) else { return false }
        return account.role == .admin && account.disabledAt == nil
    }

    package func canEnrolSecondFactor(_ subject: Subject) async throws -> Bool {
        guard let account = try await accounts.account(of: subject) else { return false }
        return account.passwordHash != nil && account.secondFactor == nil
    }
}
