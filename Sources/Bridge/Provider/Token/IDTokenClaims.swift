package import OAuth2

/// What an ID token says (OpenID Connect Core §2).
package struct IDTokenClaims: Hashable, Sendable {
    package let subject: Subject
    package let audience: ClientID
    package let sessionID: SessionID
    package let authentication: Authentication
    package var nonce: String?
    /// `ds_hash` (Native SSO): ties the ID token to a device secret.
    package var deviceSecretHash: String?
    /// Claims of the user that the `claims` parameter asked for here.
    package var userClaims: [String: JSONValue] = [:]
    package let issuedAt: Timestamp

    package init(
        subject: Subject, audience: ClientID, sessionID: SessionID, authentication: Authentication,
        nonce: String? = nil, issuedAt: Timestamp
    ) {
        self.subject = subject
        self.audience = audience
        self.sessionID = sessionID
        self.authentication = authentication
        self.nonce = nonce
        self.issuedAt = issuedAt
    }
}
