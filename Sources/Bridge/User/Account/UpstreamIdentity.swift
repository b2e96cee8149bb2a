/// A user as an upstream provider names it: `iss` and `sub`, never an e-mail address (OpenID Connect Core §5.7).
package struct UpstreamIdentity: Hashable, Sendable {
    package let issuer: String
    package let subject: String

    package init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }
}
