/// Users, as far as they are known here, and the accounts that some of them have.
package protocol UserStore: Sendable {
    // Users, as far as they are known here. A trusted issuer's users come into being at their first token.

    /// Whether the user may sign in; `.unknown` for one that was never seen.
    func standing(of subject: Subject) async throws -> SubjectStanding

    /// Replaces the groups that an issuer says its user is in; nothing is kept for a user with an account, whose groups
    /// are the operator's to say.
    /// - Returns: whether they are others now.
    @discardableResult
    func keepGroups(_ groups: UserGroups, of subject: Subject, event: AuditEvent) async throws -> Bool

    /// Who is disabled, at most `limit` of them.
    func disabledSubjects(limit: Int) async throws -> [Subject]

    /// One user; `nil` for one that was never seen.
    func record(of subject: Subject) async throws -> SubjectRecord?

    /// Users with what their accounts say, in order of subject, at most `limit` after `cursor`.
    func users(after cursor: Subject?, limit: Int) async throws -> [UserOverview]

    /// Those of these users who are known, in no order.
    func users(among subjects: [Subject]) async throws -> [UserOverview]

    /// Users of whose id, user name, shown name or e-mail address `text` is a part, whichever case its letters have; in
    /// order of subject, at most `limit` after `cursor`. Among many users a page may be short, or empty, although
    /// another one follows.
    func users(matching text: String, after cursor: Subject?, limit: Int) async throws -> UserPage

    /// As ``users(matching:after:limit:)``, in another order. Those who lack what it goes by come last.
    /// - Returns: `nil` where there are too many users to sort them.
    func users(
        matching text: String, by order: UserOrder, after cursor: UserCursor?, limit: Int
    ) async throws -> [UserOverview]?

    // Accounts, their second factors and their links to upstream providers.

    func account(named username: Username) async throws -> Account?

    func account(of subject: Subject) async throws -> Account?

    /// The account that a single-use link is for: `nil` also where the database was restored since, because the link's
    /// use may have been forgotten.
    /// - Parameter start: before which the link was not made.
    func account(of subject: Subject, linkMadeAfter start: Timestamp) async throws -> Account?

    /// Whether there is any account at all.
    func hasAccounts() async throws -> Bool

    /// Adds an account and makes its user known.
    /// - Parameter link: the upstream identity that it belongs to, if it comes from one.
    /// - Returns: `.added`, or what stood in the way; then nothing was written.
    func addAccount(
        _ account: Account, issuer: String, link: UpstreamIdentity?, event: AuditEvent
    ) async throws -> AccountAdding

    /// Replaces the password and ends everything of the user, in one step (contract §7), where the account is still as
    /// it was read: with that password, not disabled, and not everything ended since. A change based on an older state
    /// loses to the first one.
    /// - Returns: `nil` when the account is another by now or `warrant` does not hold, or for an unknown subject.
    func replacePassword(
        _ hash: PasswordHash, of account: Account, by warrant: PasswordWarrant, event: AuditEvent, ending: Ending
    ) async throws -> ReplacedPassword?

    /// The upstream identities that sign this user in, by issuer.
    func identities(of subject: Subject) async throws -> [UpstreamIdentity]

    /// Changes a user: everything, with an event for each thing that changed, or nothing.
    ///
    /// The last enabled account with the role `admin` that somebody can sign in with stays both, whoever else is changed
    /// at the same time, unless the change does not spare it. Where nobody can sign in with any, the last one stays.
    /// - Parameters:
    ///   - events: makes the event of each change.
    ///   - ending: when it is done, and how sessions end that end with it.
    func changeUser(
        _ subject: Subject, _ change: UserChange, events: @escaping UserChange.Events, ending: Ending
    ) async throws -> UserChangeOutcome

    /// Stores the same password at another cost, unless it was changed meanwhile.
    func rehashPassword(from old: PasswordHash, to new: PasswordHash, of subject: Subject) async throws

    /// Sets up a second factor with its recovery codes, in the place of one that may be there.
    /// - Returns: whether there is such an account, and it has a password: a second factor needs a first.
    func replaceSecondFactor(
        _ factor: SecondFactor, recoveryDigests: [String], of subject: Subject, event: AuditEvent
    ) async throws -> Bool

    /// Sets up a second factor with its recovery codes where there is none.
    /// - Parameter session: the one in which the user does it, which must live; `nil` where an operator does.
    /// - Returns: whether it is this one now; `false` when there is another, no such account, or the session is over.
    func addSecondFactor(
        _ factor: SecondFactor, recoveryDigests: [String], of subject: Subject, in session: SessionID?,
        event: AuditEvent
    ) async throws -> Bool

    /// Removes the second factor and its recovery codes.
    /// - Returns: whether there was one.
    func removeSecondFactor(of subject: Subject, event: AuditEvent) async throws -> Bool

    /// Replaces the recovery codes of a second factor.
    /// - Returns: whether there is one.
    func replaceRecoveryCodes(_ digests: [String], of subject: Subject, event: AuditEvent) async throws -> Bool

    /// Accounts that have a second factor, in order of subject, at most `limit` after `cursor`.
    func accountsWithSecondFactor(after cursor: Subject?, limit: Int) async throws -> [Account]

    /// How many recovery codes a user has left.
    func unusedRecoveryCodes(of subject: Subject) async throws -> Int

    /// Uses up a time step: `true` for one caller only, and for no step at or before one that was used.
    func claimStep(_ step: Int64, of subject: Subject) async throws -> Bool

    /// Uses up a recovery code: `true` for one caller only.
    /// - Parameter event: what is written with it, by the codes that are left.
    func claimRecoveryCode(
        digest: String, of subject: Subject, at now: Timestamp, event: @escaping @Sendable (_ left: Int) -> AuditEvent
    ) async throws -> Bool

    /// The account that an upstream identity is linked to.
    func account(linkedTo identity: UpstreamIdentity) async throws -> Account?
}

/// Whether an account was added, or what of it is taken.
package enum AccountAdding: Hashable, Sendable {
    case added
    case usernameTaken
    /// The subject, or the upstream identity, has an account.
    case subjectTaken
}

/// What entitles a user to replace a password.
package enum PasswordWarrant: Hashable, Sendable {
    /// The session in which the user says so, which must live.
    case session(SessionID)
    /// A link that is good once: no more where the database was restored since, because its use may have been
    /// forgotten.
    /// - Parameter madeAfter: before which it was not made.
    case link(madeAfter: Timestamp)

    /// The session, if it is one.
    package var session: SessionID? { if case .session(let id) = self { id } else { nil } }

    /// For a link, the instant before which it was not made.
    package var linkMadeAfter: Timestamp? { if case .link(let start) = self { start } else { nil } }
}

/// What came of replacing a password.
package struct ReplacedPassword: Hashable, Sendable {
    package let ended: Ended
    /// ``Account/lastEnd`` by it: what goes on from the new password notes it, so that an end right afterwards counts.
    package let lastEnd: Timestamp

    package init(ended: Ended, lastEnd: Timestamp) {
        self.ended = ended
        self.lastEnd = lastEnd
    }
}
