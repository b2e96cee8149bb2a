import OAuth2

/// Whether a subject may be signed in, as far as the database knows it.
package enum SubjectStanding: Hashable, Sendable { case unknown, active, disabled }

/// What is stored of every user, with or without an account: who named them first, and whether they are disabled.
package struct SubjectRecord: Hashable, Sendable {
    package let subject: Subject
    package let issuer: String
    package let firstSeenAt: Timestamp
    package let disabledAt: Timestamp?
    /// Whether Drawbridge itself signs the user in, by a password or through an upstream provider.
    package let hasAccount: Bool
    /// What the issuer of a user without an account said last; `nil` where it says nothing.
    package let groups: UserGroups?

    package init(
        subject: Subject, issuer: String, firstSeenAt: Timestamp, disabledAt: Timestamp?, hasAccount: Bool = false,
        groups: UserGroups? = nil
    ) {
        self.subject = subject
        self.issuer = issuer
        self.firstSeenAt = firstSeenAt
        self.disabledAt = disabledAt
        self.hasAccount = hasAccount
        self.groups = groups
    }
}

/// A user as an administrator sees one: an account of ours, or a person whom a trusted issuer has named.
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
        claims = account?.claims ?? StandardClaims(record.groups)
        hasSecondFactor = account?.secondFactor != nil
        firstSeenAt = record.firstSeenAt
        disabledAt = record.disabledAt
    }

    /// Whether a user is as seen here to the byte: two spellings of a letter are equal texts, and one may be the
    /// correction of the other.
    package func isSame(as other: UserOverview) -> Bool {
        func texts(_ user: UserOverview) -> [String] {
            [user.username, user.displayName, user.email, user.claims.text].map { $0 ?? "" }
        }
        // What is absent is so in both, or they were not equal.
        return self == other && zip(texts(self), texts(other)).allSatisfy { $0.hasSameBytes(as: $1) }
    }
}
