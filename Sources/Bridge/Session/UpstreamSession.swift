/// The sign-in at an upstream provider that a browser's session resulted from.
package struct UpstreamSession: Hashable, Sendable {
    package let issuer: String
    /// The `sub` of its ID token.
    package let subject: String
    /// The `sid` of its ID token; `nil` where the provider does not tell its sessions apart.
    package let session: String?

    package init(issuer: String, subject: String, session: String?) {
        self.issuer = issuer
        self.subject = subject
        self.session = session
    }
}
