import OAuth2

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
