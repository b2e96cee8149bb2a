package import OAuth2

/// What an access token of ours says (RFC 9068 §2.2).
package struct AccessTokenClaims: Hashable, Sendable {
    package let subject: Subject
    package let audience: [String]
    package let clientID: ClientID
    package let scope: Scope
    package let id: TokenID
    /// The app session; `nil` for a client that acts for itself.
    package let sessionID: SessionID?
    package let authentication: Authentication
    /// `cnf.jkt`: the key that must be shown with it (RFC 9449 §6).
    package let proofKeyThumbprint: String?
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    package init(
        subject: Subject, audience: [String], clientID: ClientID, scope: Scope, id: TokenID, sessionID: SessionID?,
        authentication: Authentication, proofKeyThumbprint: String? = nil, issuedAt: Timestamp, expiresAt: Timestamp
    ) {
        self.subject = subject
        self.audience = audience
        self.clientID = clientID
        self.scope = scope
        self.id = id
        self.sessionID = sessionID
        self.authentication = authentication
        self.proofKeyThumbprint = proofKeyThumbprint
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
