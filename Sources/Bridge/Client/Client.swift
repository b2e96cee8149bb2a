package import OAuth2

/// A registered app or website (contract §14). Its wire and file form is ``ClientDocument``.
package struct Client: Hashable, Sendable {
    /// What sort of party it is: `client_type` in its document (contract §14).
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
        /// Only a visitor who types what the app shows does: for links that travel by mail.
        case code
    }

    /// What a second use of a token does to the session that the first opened.
    package enum ReplayResponse: String, Sendable, CaseIterable {
        case endSession = "end_session"
        /// Record it only.
        case alert
    }

    /// Where a redemption's browser goes.
    package enum LandingMode: String, Sendable, CaseIterable {
        /// The browser goes to the page itself.
        case returnPath = "return_path"
        /// To where the website begins its own sign-in, which the new session answers (OpenID Connect Core §4).
        case initiateLogin = "initiate_login"
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
    /// How long a web session may stay unused, at most ``sessionLifetime``.
    package var sessionIdle: Duration

    // What else a client of the OAuth provider has.

    /// ``OpaqueSecret/digest`` of `client_secret`; the secret itself is shown once and kept nowhere.
    package var secretDigest: String?
    /// Since when the access tokens that it gets may administer. Not of its document: the database keeps it, and writes
    /// it by itself (``epoch(replacing:at:)``).
    package var adminEpoch = AdminCredential.firstEpoch
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
    /// Whether it is the operator's own, by the operator's word: users are not asked for consent, and what a login
    /// token of it opened goes on to what the app may open (``isForeignRelyingParty(besides:)``).
    package var isFirstParty = false
    package var isNativeSSOEnabled = false
    /// Whether a sign-in with `openid` counts as one with `device_sso` too: for SDKs that know no such scope.
    package var getsDeviceSecretWithoutScope = false
    /// The clients that it shares its users and devices with.
    package var shareWith: Set<ClientID> = []
    package var delivery: Delivery = .body
    package var cookieProfile: CookieProfile = .session
    /// Stands before the names of the `tokens` profile's cookies.
    package var cookiePrefix = ""
    package var cookieDomain: String?
    package var accessTokenLifetime: Duration = Client.defaultAccessTokenLifetime
    /// Signs its access tokens, those in its cookies too. Verifiers go by the key, so it may change at any time.
    package var accessTokenAlgorithm: SigningAlgorithm = Client.defaultAccessTokenAlgorithm
    /// The least authentication context class that a sign-in must have.
    package var minimumACR: String?
    /// How old a sign-in may be.
    package var maximumAuthenticationAge: Duration?
    package var backchannelLogoutURI: String?
    /// Where the website begins a sign-in that a third party asks for (OpenID Connect Core §4).
    package var initiateLoginURI: String?
    package var landing: LandingMode = .returnPath
    /// The page of ``publicOrigin`` that links lead to, where the website's own server redeems them (contract §4.4).
    package var redemptionPage: String?
    /// Whether a browser that is signed in here may go on to the websites in ``mayReach`` (contract §4.6).
    package var isPortal = false
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
    /// How the pages look on the way to it.
    package var theme = Theme()

    package static let defaultAccessTokenLifetime = Duration.seconds(900)
    package static let defaultAccessTokenAlgorithm = SigningAlgorithm.es256
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

extension Client {
    /// Whether it may open a website: an app by login tokens, a portal by hand-off.
    package func opens(_ website: Client) -> Bool {
        mayReach.contains(website.id) && (kind == .web ? isPortal : canIssueLoginTokens)
    }

    /// Whether a sign-in is strong and fresh enough for the client (`min_acr`, `max_auth_age`; RFC 9470).
    package func accepts(_ authentication: Authentication, at now: Timestamp) -> Bool {
        guard acceptsStrength(of: authentication) else { return false }
        guard let maximumAuthenticationAge else { return true }
        return authentication.isFresh(within: maximumAuthenticationAge, at: now)
    }

    /// Whether a sign-in is strong enough for the client, however long ago it was.
    package func acceptsStrength(of authentication: Authentication) -> Bool {
        minimumACR.map { AuthenticationLevel.satisfies(authentication.acr, required: $0) } ?? true
    }

    /// Tells an app what a sign-in for this client must be like (RFC 9470 §3).
    package var authenticationChallenge: String {
        AuthenticationChallenge.text(
            acrValues: [minimumACR].compactMap(\.self), maximumAge: maximumAuthenticationAge)
    }
}

extension Client {
    /// Whether it must prove itself by a secret at the token endpoint and has none, so that it never can.
    ///
    /// A website that is only opened with login tokens has no business there and needs no secret. One that signs with
    /// its own keys always has them: ``ClientDocument`` sees to it.
    package var lacksSecret: Bool {
        switch authenticationMethod {
        case .none, .privateKeyJWT: false
        case .clientSecretBasic, .clientSecretPost:
            // The code grant alone is the default of a website, and comes to nothing without a redirect URI.
            secretDigest == nil
                && (kind == .service || !redirectURIs.isEmpty || !grantTypes.isSubset(of: [.authorizationCode]))
        }
    }
}

extension Client {
    /// Whether it keeps no secret: it is told apart by its redirect URIs alone (RFC 6749 §2.1).
    package var isPublic: Bool { authenticationMethod == .none }

    /// Whether it may come with this grant at all. Each kind of token exchange has its own flag: `native_sso_enabled`,
    /// `delivery`, `can_issue_login_tokens`, and for a website the secret that it redeems with (contract §14).
    package func mayUse(_ type: GrantType) -> Bool {
        guard type == .tokenExchange else { return grantTypes.contains(type) }
        return grantTypes.contains(type) || isNativeSSOEnabled || delivery == .cookies || canIssueLoginTokens
            || (kind == .web && !isPublic)
    }

    /// Everything it may be granted.
    package var grantableScope: Scope {
        // Without refresh tokens the consent page would promise what is not given (OpenID Connect Core §11).
        let possible = grantTypes.contains(.refreshToken) ? scope : scope.removing(Scope.offlineAccess)
        // With the right it need not be named; without, nothing that the consent page could promise comes of it.
        return isNativeSSOEnabled ? possible.adding(Scope.deviceSSO) : possible.removing(Scope.deviceSSO)
    }

    /// What a client that names no grant types may use.
    package static func defaultGrantTypes(of kind: Kind) -> Set<GrantType> {
        switch kind {
        case .native: [.authorizationCode, .refreshToken]
        case .web: [.authorizationCode]
        case .service: [.clientCredentials]
        }
    }

    /// Whose tokens a client that does not say may ask about: a website has no business with those of others, a
    /// resource server has.
    package static func defaultIntrospection(of kind: Kind) -> Introspection {
        switch kind {
        case .native, .web: .own
        case .service: .any
        }
    }

    /// What a client that names no scope may ask for.
    package static func defaultScope(of kind: Kind) -> Scope {
        switch kind {
        case .native, .web:
            Scope(tokens: [Scope.openID, "profile", "email", "address", "phone", Scope.offlineAccess])
        case .service: .empty
        }
    }
}

extension Client {
    /// Whether browsers send its cookies to a host because `cookie_domain` names that host or a domain above it
    /// (RFC 6265 §5.1.3). Cookies of the profile `session` have no domain.
    package func setsCookies(at host: String) -> Bool {
        guard cookieProfile == .tokens, let cookieDomain else { return false }
        let domain = CookieDomain.withoutLeadingDot(cookieDomain).lowercased()
        let host = host.lowercased()
        return host == domain || host.hasSuffix(".\(domain)")
    }

    /// Whether only a portal can hand on to it a visitor who signed in at the issuer's origin, which is another:
    /// it asks for no code of its own, and has no cookie in common with that origin.
    package func needsPortal(besides issuer: WebOrigin) -> Bool {
        kind == .web && redirectURIs.isEmpty && !setsCookies(at: issuer.host)
    }

    /// Whether what a login link opens has to be where the provider is, to answer the website's own sign-in
    /// (contract §4.5). A relying party that has its cookies in common with our own origin may ask us about them there,
    /// and one with the profile `tokens` is answered by the sign-in page wherever they are (contract §16.3).
    package func landsAtSignIn(besides ours: WebOrigin) -> Bool {
        if landing == .initiateLogin { return true }
        guard mayLandAtSignIn, cookieProfile == .session, redemptionPage == nil, let origin = publicOrigin else {
            return false
        }
        return !hasCommonCookies(at: origin, ours)
    }

    /// The part of ``landsAtSignIn(besides:)`` that does not depend on where our own origin is.
    var mayLandAtSignIn: Bool {
        landing == .initiateLogin || (kind == .web && publicOrigin != nil && !redirectURIs.isEmpty)
    }

    /// Cookies are the same for every port of a host and for the hosts of a `cookie_domain`.
    func hasCommonCookies(at origin: WebOrigin, _ ours: WebOrigin) -> Bool { hasCommonCookies(at: origin.host, ours) }

    private func hasCommonCookies(at host: String, _ ours: WebOrigin) -> Bool {
        host == ours.host || (setsCookies(at: host) && setsCookies(at: ours.host))
    }

    /// Whether it is a relying party of somebody else: it has no cookies in common with our own origins, and the
    /// operator does not say that it is the operator's own (`first_party`). Its server is given login tokens (contract
    /// §4.4, §4.5).
    /// - Parameter ours: our own origins.
    package func isForeignRelyingParty(besides ours: @autoclosure () -> [WebOrigin]) -> Bool {
        guard kind == .web, !redirectURIs.isEmpty, !isFirstParty else { return false }
        let origins = ours()
        // One that does not say where its pages are has them where its answers go.
        let hosts = publicOrigin.map { [$0.host] } ?? redirectURIs.map(\.host)
        return !hosts.allSatisfy { host in origins.contains { hasCommonCookies(at: host, $0) } }
    }
}
