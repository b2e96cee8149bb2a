/// Knows which accounts have the role `admin`.
package protocol AdministratorDirectory: Sendable {
    func isAdministrator(_ subject: Subject) async throws -> Bool
}

/// The accounts of the database.
package struct StoredAdministrators: AdministratorDirectory {
    private let accounts: any AccountStore

    package init(_ accounts: any AccountStore) { self.accounts = accounts }

    package func isAdministrator(_ subject: Subject) async throws -> Bool {
        guard let account = try await accounts.account(of: subject) else { return false }
        return account.role == .admin && account.disabledAt == nil
    }
}

/// A list that was fixed at the start.
package struct FixedAdministrators: AdministratorDirectory {
    private let subjects: Set<Subject>

    package init(_ subjects: Set<Subject> = []) { self.subjects = subjects }

    package func isAdministrator(_ subject: Subject) -> Bool { subjects.contains(subject) }
}
