/// Whether an account was added, or what of it is taken.
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
