import OAuth2

/// Users, as far as they are known here. A trusted issuer's users come into being at their first token.
package protocol SubjectStore: Sendable {
    /// Whether the user may sign in; `.unknown` for one that was never seen.
    func standing(of subject: Subject) async throws -> SubjectStanding

    /// Notes a user's first sight; does nothing when the user is known.
    /// - Returns: whether it was the first.
    @discardableResult
    func recordFirstSight(of subject: Subject, issuer: String, at now: Timestamp) async throws -> Bool

    /// Disables or enables a user; disabling ends everything of the user in the same transaction.
    ///
    /// The last enabled account with the role `admin` stays enabled, whoever else is changed at the same time.
    func setDisabled(
        _ disabled: Bool, subject: Subject, event: AuditEvent, ending: Ending
    ) async throws -> UserChangeOutcome

    /// One user; `nil` for one that was never seen.
    func record(of subject: Subject) async throws -> SubjectRecord?

    /// Users with what their accounts say, in order of subject, at most `limit` after `cursor`.
    func users(after cursor: Subject?, limit: Int) async throws -> [UserOverview]
}

package enum SubjectStanding: Hashable, Sendable { case unknown, active, disabled }

package struct SubjectRecord: Hashable, Sendable {
    package let subject: Subject
    package let issuer: String
    package let firstSeenAt: Timestamp
    package let disabledAt: Timestamp?
    /// Whether Drawbridge itself signs the user in, by a password or through an upstream provider.
    package let hasAccount: Bool

    package init(
        subject: Subject, issuer: String, firstSeenAt: Timestamp, disabledAt: Timestamp?, hasAccount: Bool = false
    ) {
        self.subject = subject
        self.issuer = issuer
        self.firstSeenAt = firstSeenAt
        self.disabledAt = disabledAt
        self.hasAccount = hasAccount
    }
}

/// A user as an administrator sees one: an account of ours, or somebody whom a trusted issuer has named.
package struct UserOverview: Hashable, Sendable {
    package let subject: Subject
    package let issuer: String
    package let username: String?
    package let displayName: String?
    package let email: String?
    package let role: String?
    package let claims: StandardClaims
    package let hasSecondFactor: Bool
    package let firstSeenAt: Timestamp
    package let disabledAt: Timestamp?

    /// - Parameter account: the user's account, when Drawbridge itself signs the user in.
    package init(_ record: SubjectRecord, account: Account? = nil) {
        subject = record.subject
        issuer = record.issuer
        username = account?.username?.text
        displayName = account?.displayName
        email = account?.email
        role = account?.role?.rawValue
        claims = account?.claims ?? .none
        hasSecondFactor = account?.secondFactor != nil
        firstSeenAt = record.firstSeenAt
        disabledAt = record.disabledAt
    }
}
