package import OAuth2

/// What accounts say of their users (OpenID Connect Core §5.1).
package struct AccountClaims: UserClaimsSource {
    private let accounts: any AccountStore

    package init(accounts: any AccountStore) { self.accounts = accounts }

    package func claims(of subject: Subject) async throws -> [String: JSONValue] {
        guard let account = try await accounts.account(of: subject) else { return [:] }
        var claims = account.claims.values
        claims["name"] = account.displayName.map(JSONValue.string)
        claims["preferred_username"] = (account.username?.text).map(JSONValue.string)
        claims["email"] = account.email.map(JSONValue.string)
        // Unless an administrator says so, nobody has checked it.
        claims["email_verified"] = account.email.map { _ in claims["email_verified"] ?? .bool(false) }
        if claims["phone_number"] != nil {
            claims["phone_number_verified"] = claims["phone_number_verified"] ?? .bool(false)
        }
        claims["updated_at"] = .number(String((account.claimsChangedAt ?? account.createdAt).seconds))
        return claims
    }
}
