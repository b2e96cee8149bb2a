/// Tells whether a code is a user's, and uses it up (RFC 6238 §5.2).
package struct SecondFactorCheck: Sendable {
    private let accounts: any AccountStore
    /// `nil` when there is no master key: then no code can be checked.
    private let secrets: SecondFactorSecrets?

    package init(accounts: any AccountStore, secrets: SecondFactorSecrets?) {
        self.accounts = accounts
        self.secrets = secrets
    }

    /// Takes what an authenticator app shows, or a recovery code; each counts once, whoever presents it first.
    /// - Throws: ``StorageError`` when it cannot be decided now.
    func accepts(_ code: String, for account: Account, at now: Timestamp) async throws -> Bool {
        guard let factor = account.secondFactor else { return false }
        guard let secrets else { throw StorageError.unavailable("there is no master key for second factors") }
        let secret = try secrets.open(factor.sealedSecret, for: account.subject)
        if let step = OneTimeCode.matchingStep(code.filter { $0 != " " }, secret: secret, at: now) {
            return try await accounts.claimStep(step, of: account.subject)
        }
        guard let digest = RecoveryCode.digest(ofTyped: code) else { return false }
        return try await accounts.claimRecoveryCode(digest: digest, of: account.subject, at: now)
    }
}
