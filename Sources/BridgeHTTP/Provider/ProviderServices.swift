package import Bridge

/// What the routes of the OAuth provider's token side call.
package struct ProviderServices: Sendable {
    package let issuer: String
    /// For endpoints beside the token endpoint that know their client the same way.
    package let authenticator: ClientAuthenticator
    package let tokens: TokenEndpoint
    package let revocation: TokenRevocation
    package let introspection: TokenIntrospection
    package let userInfo: UserInfo
    /// Verifies access tokens of this instance, for the administration API.
    package let accessTokens: AccessTokens
    package let idTokens: IDTokenCodec
    package let keys: Reloadable<SigningKeyRing>
    package let appSessions: AppSessions
    package let sessions: any AppSessionStore
    package let logoutNotifier: LogoutNotifier
    /// Carries a website's logout request from its POST to the GET behind it.
    package let logoutSeal: ShortLivedSeal

    package init(
        issuer: String, authenticator: ClientAuthenticator, tokens: TokenEndpoint, revocation: TokenRevocation,
        introspection: TokenIntrospection,
        userInfo: UserInfo, accessTokens: AccessTokens, idTokens: IDTokenCodec, keys: Reloadable<SigningKeyRing>,
        appSessions: AppSessions, sessions: any AppSessionStore, logoutNotifier: LogoutNotifier,
        logoutSeal: ShortLivedSeal
    ) {
        self.issuer = issuer
        self.authenticator = authenticator
        self.tokens = tokens
        self.revocation = revocation
        self.introspection = introspection
        self.userInfo = userInfo
        self.accessTokens = accessTokens
        self.idTokens = idTokens
        self.keys = keys
        self.appSessions = appSessions
        self.sessions = sessions
        self.logoutNotifier = logoutNotifier
        self.logoutSeal = logoutSeal
    }
}
