package import Bridge

/// What the routes of the OAuth provider's token side call.
package struct ProviderServices: Sendable {
    package let issuer: String
    package let tokens: TokenEndpoint
    package let revocation: TokenRevocation
    package let introspection: TokenIntrospection
    package let userInfo: UserInfo
    /// Verifies access tokens of this instance, for the administration API.
    package let accessTokens: AccessTokens
    package let idTokens: IDTokenCodec
    package let keys: Reloadable<SigningKeyRing>
    package let sessions: any AppSessionStore
    package let logoutNotifier: LogoutNotifier

    package init(
        issuer: String, tokens: TokenEndpoint, revocation: TokenRevocation, introspection: TokenIntrospection,
        userInfo: UserInfo, accessTokens: AccessTokens, idTokens: IDTokenCodec, keys: Reloadable<SigningKeyRing>,
        sessions: any AppSessionStore, logoutNotifier: LogoutNotifier
    ) {
        self.issuer = issuer
        self.tokens = tokens
        self.revocation = revocation
        self.introspection = introspection
        self.userInfo = userInfo
        self.accessTokens = accessTokens
        self.idTokens = idTokens
        self.keys = keys
        self.sessions = sessions
        self.logoutNotifier = logoutNotifier
    }
}
