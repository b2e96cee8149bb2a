package import OAuth2

/// An external OpenID Provider that signs users in for us.
package protocol UpstreamProvider: Sendable {
    /// A plain word for paths and logs.
    var id: String { get }
    /// What the button says.
    var name: String { get }

    /// Where the browser goes to sign in.
    /// - Parameter isFresh: whether the user must sign in there again, whatever session they have.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when the provider cannot be asked where that is.
    func authorizationURL(for request: UpstreamRequest, isFresh: Bool) async throws -> String

    /// Exchanges a code and verifies whom it names.
    /// - Parameter issuer: the `iss` of the answer (RFC 9207); `nil` when it had none.
    /// - Throws: ``UpstreamRefusal`` when the answer is not to be believed; ``StorageError/unavailable(_:because:)``.
    func user(
        code: Secret<String>, issuer: String?, for request: UpstreamRequest, at now: Timestamp
    ) async throws -> UpstreamUser

    /// Verifies a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6). That it comes once, the caller sees to.
    /// - Throws: ``LogoutTokenRefusal`` when it does not count; ``StorageError/unavailable(_:because:)`` when the
    ///   provider's keys cannot be had.
    func logoutToken(_ text: String, at now: Timestamp) async throws -> LogoutToken

    /// Reads files again and forgets what was fetched (SIGHUP).
    func reload() throws
}

/// One trip of a browser to an upstream provider.
package struct UpstreamRequest: Sendable {
    package let state: String
    package let nonce: String
    package let verifier: CodeVerifier
    package let redirectURI: String

    package init(state: String, nonce: String, verifier: CodeVerifier, redirectURI: String) {
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.redirectURI = redirectURI
    }
}

/// Whom an upstream provider has named.
package struct UpstreamUser: Hashable, Sendable {
    package let identity: UpstreamIdentity
    package let name: String?
    package let email: String?
    /// When the user signed in there, if it says.
    package let authenticatedAt: Timestamp?
    /// How the user signed in there (RFC 8176); `mfa` only where the provider's word on it counts here.
    package let methods: [String]
    /// What the provider calls its session (`sid`), by which it may say later that this one is over.
    package let session: String?

    package init(
        identity: UpstreamIdentity, name: String?, email: String?, authenticatedAt: Timestamp?, methods: [String],
        session: String? = nil
    ) {
        self.identity = identity
        self.name = name
        self.email = email
        self.authenticatedAt = authenticatedAt
        self.methods = methods
        self.session = session
    }
}

/// Why an upstream sign-in failed: for audit and log.
package enum UpstreamRefusal: String, Error, Sendable, CaseIterable {
    /// The answer belongs to no request of this browser, or came too late.
    case stale
    /// The provider, or its user, said no.
    case declined = "upstream_declined"
    /// The answer names another issuer: a mix-up (RFC 9207).
    case otherIssuer = "upstream_other_issuer"
    case badCode = "upstream_bad_code"
    case badToken = "upstream_bad_token"
    /// A sign-in of now was asked for, and the ID token does not say that there was one.
    case notFresh = "upstream_not_fresh"
    /// The ID token was made for another request.
    case wrongNonce = "upstream_wrong_nonce"
    /// The provider knows its user, who is disabled here.
    case userDisabled = "user_disabled"
}
