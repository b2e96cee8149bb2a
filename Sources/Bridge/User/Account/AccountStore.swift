/// Accounts, their second factors and their links to upstream providers.
package protocol AccountStore: Sendable {
    func account(named username: Username) async throws -> Account?

    func account(of subject: Subject) async throws -> Account?

    /// Whether there is any account at all.
    func hasAccounts() async throws -> Bool

    /// Adds an account and makes its user known.
    /// - Parameter link: the upstream identity that it belongs to, if it comes from one.
    /// - Returns: `.added`, or what stood in the way; then nothing was written.
    func addAccount(
        _ account: Account, issuer: String, link: UpstreamIdentity?, event: AuditEvent
    ) async throws -> AccountAdding

    /// Replaces the password and ends everything of the user, in one step (contract §7).
    /// - Returns: what ended; `nil` for an unknown subject.
    func setPassword(_ hash: PasswordHash, of subject: Subject, event: AuditEvent, ending: Ending) async throws
        -> Ended?

    /// Replaces the standard claims that are kept of the user.
    /// - Returns: whether there is such an account.
    func setClaims(
        _ claims: StandardClaims, of subject: Subject, at now: Timestamp, event: AuditEvent
    ) async throws -> Bool

    /// Changes a user: everything, with an event for each thing that changed, or nothing.
    ///
    /// The last enabled account with the role `admin` stays both, whoever else is changed at the same time.
    /// - Parameters:
    ///   - events: makes the event of each change.
    ///   - ending: when it is done, and how sessions end that end with it.
    func changeUser(
        _ subject: Subject, _ change: UserChange, events: @escaping UserChange.Events, ending: Ending
    ) async throws -> UserChangeOutcome

    /// Stores the same password at another cost, unless it was changed meanwhile.
    func rehashPassword(from old: PasswordHash, to new: PasswordHash, of subject: Subject) async throws

    /// Sets up, replaces or removes the second factor with its recovery codes.
    /// - Returns: whether there is such an account.
    func setSecondFactor(
        _ factor: SecondFactor?, recoveryDigests: [String], of subject: Subject, at now: Timestamp, event: AuditEvent
    ) async throws -> Bool

    /// Sets up a second factor with its recovery codes where there is none.
    /// - Returns: whether it is this one now; `false` when there is another, or no such account.
    func addSecondFactor(
        _ factor: SecondFactor, recoveryDigests: [String], of subject: Subject, event: AuditEvent
    ) async throws -> Bool

    /// Removes the second factor and its recovery codes.
    /// - Returns: whether there was one.
    func removeSecondFactor(of subject: Subject, event: AuditEvent) async throws -> Bool

    /// Replaces the recovery codes of a second factor.
    /// - Returns: whether there is one.
    func replaceRecoveryCodes(_ digests: [String], of subject: Subject, event: AuditEvent) async throws -> Bool

    /// How many recovery codes a user has left.
    func unusedRecoveryCodes(of subject: Subject) async throws -> Int

    /// Uses up a time step: `true` for one caller only, and for no step at or before one that was used.
    func claimStep(_ step: Int64, of subject: Subject) async throws -> Bool

    /// Uses up a recovery code: `true` for one caller only.
    func claimRecoveryCode(digest: String, of subject: Subject, at now: Timestamp) async throws -> Bool

    /// The account that an upstream identity is linked to.
    func account(linkedTo identity: UpstreamIdentity) async throws -> Account?
}

package enum AccountAdding: Hashable, Sendable {
    case added
    case usernameTaken
    /// The subject, or the upstream identity, has an account.
    case subjectTaken
}

/// A user as an upstream provider names it: `iss` and `sub`, never an e-mail address (OpenID Connect Core §5.7).
package struct UpstreamIdentity: Hashable, Sendable {
    package let issuer: String
    package let subject: String

    package init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }
}
