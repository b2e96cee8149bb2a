package import OAuth2

/// What accounts say of their users (OpenID Connect Core §5.1).
package struct AccountClaims: UserClaimsSource {
    private let accounts: any AccountStore

    package init(accounts: any AccountStore) { self.accounts = accounts }

    package func claims(of subject: Subject) async throws -> [String: JSONValue] {
        guard let account = try await accounts.account(of: subject) else { return [:] }
        var claims: [String: JSONValue] = [:]
        claims["name"] = account.displayName.map(JSONValue.string)
        claims["preferred_username"] = (account.username?.text).map(JSONValue.string)
        if let email = account.email {
            claims["email"] = .string(email)
            // Nobody has checked it here.
            claims["email_verified"] = .bool(false)
        }
        return claims
    }
}
