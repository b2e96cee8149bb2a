package import Bridge

/// What the routes of the OAuth provider's token side call.
package final class ProviderServices: Sendable {
    package let issuer: String
    package let endpoints: ClientEndpoints
    package let userInfo: UserInfo
    /// What is known of users.
    package let users: any UserClaimsSource
    /// Verifies access tokens of this instance, for the administration API.
    package let accessTokens: AccessTokens
    package let idTokens: IDTokenCodec
    package let keys: Reloadable<SigningKeyRing>
    package let logout: LogoutServices
    package let devices: DeviceGrantServices

    package init(
        issuer: String, endpoints: ClientEndpoints, userInfo: UserInfo, users: any UserClaimsSource,
        accessTokens: AccessTokens, idTokens: IDTokenCodec, keys: Reloadable<SigningKeyRing>, logout: LogoutServices,
        devices: DeviceGrantServices
    ) {
        self.issuer = issuer
        self.endpoints = endpoints
        self.userInfo = userInfo
        self.users = users
        self.accessTokens = accessTokens
        self.idTokens = idTokens
        self.keys = keys
        self.logout = logout
        self.devices = devices
    }
}

/// Devices without a browser: what they ask, and what their users answer.
package final class DeviceGrantServices: Sendable {
    let authorizations: DeviceAuthorizations
    let approvals: DeviceApprovals

    package init(authorizations: DeviceAuthorizations, approvals: DeviceApprovals) {
        self.authorizations = authorizations
        self.approvals = approvals
    }
}

/// Where clients authenticate, all in the same way.
package final class ClientEndpoints: Sendable {
    package let authenticator: ClientAuthenticator
    let tokens: TokenEndpoint
    let revocation: TokenRevocation
    let introspection: TokenIntrospection

    package init(
        authenticator: ClientAuthenticator, tokens: TokenEndpoint, revocation: TokenRevocation,
        introspection: TokenIntrospection
    ) {
        self.authenticator = authenticator
        self.tokens = tokens
        self.revocation = revocation
        self.introspection = introspection
    }
}

/// Signing users out on behalf of websites.
package final class LogoutServices: Sendable {
    let sessions: any GrantStore
    let notifier: LogoutNotifier
    /// Carries a website's logout request from its POST to the GET after it.
    let seal: ShortLivedSeal

    package init(sessions: any GrantStore, notifier: LogoutNotifier, seal: ShortLivedSeal) {
        self.sessions = sessions
        self.notifier = notifier
        self.seal = seal
    }
}
