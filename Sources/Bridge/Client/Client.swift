package import OAuth2

/// A registered app or website (contract §14). Its wire and file form is ``ClientDocument``.
package struct Client: Hashable, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// A public client on a device.
        case native
        /// A website.
        case web
        /// A machine.
        case service
    }

    /// When a browser's visit redeems by itself.
    package enum RedeemMode: String, Sendable, CaseIterable {
        /// A person's own navigation does.
        case direct
        /// Only a click on the page does.
        case confirm
    }

    /// What a second use of a token does to the session that the first opened.
    package enum ReplayResponse: String, Sendable, CaseIterable {
        case endSession = "end_session"
        /// Record it only.
        case alert
    }

    /// Where the token endpoint puts what it issues.
    package enum Delivery: String, Sendable, CaseIterable { case body, cookies }

    /// The cookies of a web session (contract §6).
    package enum CookieProfile: String, Sendable, CaseIterable { case session, tokens }

    /// Whose tokens a confidential client may ask about at the introspection endpoint (RFC 7662 §2.1).
    package enum Introspection: String, Sendable, CaseIterable {
        case any
        /// Those that were issued to it or for it.
        case own
    }

    package let id: ClientID
    package var name: String
    package var kind: Kind
    package var canIssueLoginTokens: Bool
    /// The websites that an app may open.
    package var mayReach: Set<ClientID>
    /// Scheme, host and port of the website, without a path; `nil` means our own origin.
    package var publicOrigin: WebOrigin?
    /// Where a redemption may land, and where it lands by default.
    package var returnPaths: ReturnPathPolicy
    package var redeemMode: RedeemMode
    package var replayResponse: ReplayResponse
    /// A web session's absolute life, 1 minute to 90 days.
    package var sessionLifetime: Duration
    /// How long a web session may lie unused, at most ``sessionLifetime``.
    package var sessionIdle: Duration

    // What a client of the OAuth provider has beside.

    /// ``OpaqueSecret/digest`` of `client_secret`; the secret itself is shown once and kept nowhere.
    package var secretDigest: String?
    package var authenticationMethod: ClientAuthenticationMethod
    /// As registered; compared byte for byte but for a loopback port.
    package var redirectURIs: [RedirectURI] = []
    package var postLogoutRedirectURIs: [RedirectURI] = []
    package var grantTypes: Set<GrantType>
    /// What it may ask for; `device_sso` comes with ``isNativeSSOEnabled``.
    package var scope: Scope
    package var requiresPKCE = true
    package var allowsLocalhost = false
    /// Whether it gets no token without a DPoP proof (RFC 9449 §5.2).
    package var requiresProofOfPossession = false
    /// Whether nobody is asked for consent.
    package var isFirstParty = false
    package var isNativeSSOEnabled = false
    /// The clients that it shares its users and devices with.
    package var shareWith: Set<ClientID> = []
    package var delivery: Delivery = .body
    package var cookieProfile: CookieProfile = .session
    /// Stands before the names of the `tokens` profile's cookies.
    package var cookiePrefix = ""
    package var cookieDomain: String?
    package var accessTokenLifetime: Duration = Client.defaultAccessTokenLifetime
    /// The least authentication context class that a sign-in must have.
    package var minimumACR: String?
    /// How old a sign-in may be.
    package var maximumAuthenticationAge: Duration?
    package var backchannelLogoutURI: String?
    package var webhook: Webhook?
    package var idTokenAlgorithm: SigningAlgorithm = .es256
    /// Signs the answers of the userinfo endpoint; `nil` leaves them plain JSON (OpenID Connect Core §5.3.2).
    package var userInfoAlgorithm: SigningAlgorithm?
    /// Whether authorization requests must come through the pushed request endpoint (RFC 9126 §6).
    package var requiresPushedRequests = false
    /// Whether sign-in inside an app's own web view is refused (RFC 8252 §8.12).
    package var blocksWebViews = false
    /// Whether a code challenge or nonce that was seen before is refused, not only recorded (RFC 9700 §2.1.1).
    package var rejectsReusedChallenge = false
    /// Whether its signed assertions may name an endpoint of ours, or several audiences, in `aud`: old libraries do.
    package var acceptsEndpointAudience = false
    package var introspection: Introspection
    /// The client's own public keys, a JWK set (RFC 7517 §5).
    package var keys: JSONValue?
    package var keysURI: String?
    package var logoURI: String?
    package var policyURI: String?

    package static let defaultAccessTokenLifetime = Duration.seconds(900)
    package static let defaultSessionLifetime = Duration.seconds(12 * 3600)
    package static let defaultSessionIdle = Duration.seconds(30 * 60)

    package init(
        id: ClientID, name: String, kind: Kind, canIssueLoginTokens: Bool = false, mayReach: Set<ClientID> = [],
        publicOrigin: WebOrigin? = nil, returnPaths: ReturnPathPolicy = .none, redeemMode: RedeemMode = .direct,
        replayResponse: ReplayResponse = .endSession, sessionLifetime: Duration = Client.defaultSessionLifetime,
        sessionIdle: Duration = Client.defaultSessionIdle
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.canIssueLoginTokens = canIssueLoginTokens
        self.mayReach = mayReach
        self.publicOrigin = publicOrigin
        self.returnPaths = returnPaths
        self.redeemMode = redeemMode
        self.replayResponse = replayResponse
        self.sessionLifetime = sessionLifetime
        self.sessionIdle = sessionIdle
        authenticationMethod = kind == .native ? .none : .clientSecretBasic
        grantTypes = Self.defaultGrantTypes(of: kind)
        scope = Self.defaultScope(of: kind)
        introspection = Self.defaultIntrospection(of: kind)
    }
}
