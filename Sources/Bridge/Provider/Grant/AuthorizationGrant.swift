package import OAuth2

/// What an authorization code stands for: everything that was settled when the user said yes.
package struct AuthorizationGrant: Hashable, Sendable {
    package let clientID: ClientID
    /// The string that was asked for, port included, not the registered one.
    package let redirectURI: String
    package let codeChallenge: CodeChallenge?
    package let nonce: String?
    /// What was granted, which may be less than was asked for.
    package let scope: Scope
    package let subject: Subject
    package let authentication: Authentication
    /// The browser's session at this provider that it goes on under.
    package let browserSessionID: SessionID
    package let requestedClaims: RequestedClaims
    /// `dpop_jkt` (RFC 9449 §10).
    package let proofKeyThumbprint: String?

    package init(
        clientID: ClientID, redirectURI: String, codeChallenge: CodeChallenge?, nonce: String? = nil, scope: Scope,
        subject: Subject, authentication: Authentication, browserSessionID: SessionID,
        requestedClaims: RequestedClaims = .none, proofKeyThumbprint: String? = nil
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.nonce = nonce
        self.scope = scope
        self.subject = subject
        self.authentication = authentication
        self.browserSessionID = browserSessionID
        self.requestedClaims = requestedClaims
        self.proofKeyThumbprint = proofKeyThumbprint
    }
}
