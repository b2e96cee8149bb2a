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

/// Users as an administrator changes them.
package protocol UserRegister: Sendable {
    /// At most `limit` behind `cursor`, in order of subject.
    func users(after cursor: Subject?, limit: Int) async throws -> [UserOverview]

    func user(_ subject: Subject) async throws -> UserOverview?

    /// The user whose account has this name.
    func user(named username: Username) async throws -> UserOverview?

    /// Adds an account with a password.
    /// - Returns: `nil` when the name is taken.
    func add(_ account: Account, password: Secret<String>, action: AdminAction) async throws -> UserOverview?

    /// Changes a user: everything, or nothing.
    /// - Parameter password: a new one, in the place of the change's hash.
    func change(
        _ subject: Subject, _ change: UserChange, password: Secret<String>?, action: AdminAction
    ) async throws -> UserChangeOutcome

    /// Ends every live session of a user.
    /// - Returns: how many.
    func endSessions(of subject: Subject, action: AdminAction) async throws -> Int

    /// Ends one session with what hangs under it.
    /// - Returns: `false` when there is none that lives.
    func endSession(_ id: SessionID, action: AdminAction) async throws -> Bool

    /// A user's sessions: first the apps' that live, then the browsers', each newest first.
    /// - Parameter cursor: a browser's session; then only those behind it.
    func sessions(of subject: Subject, before cursor: SessionID?, limit: Int) async throws -> [SessionOverview]
}
