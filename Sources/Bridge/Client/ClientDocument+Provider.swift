import OAuth2

/// The fields of a client of the OAuth provider.
extension ClientDocument {
    static func readProviderFields(_ fields: inout StrictFields<Field>, into client: inout Client) {
        readGrants(&fields, into: &client)
        client.requiresPKCE = fields.flag(.requirePKCE) ?? true
        client.allowsLocalhost = fields.flag(.allowLocalhost) ?? false
        client.requiresProofOfPossession = fields.flag(.dpopBoundAccessTokens) ?? false
        let rules = RedirectURIRules(isNative: client.kind == .native, allowsLocalhost: client.allowsLocalhost)
        client.redirectURIs = uris(&fields, .redirectURIs, rules)
        client.postLogoutRedirectURIs = uris(&fields, .postLogoutRedirectURIs, rules)
        readNativeSSO(&fields, into: &client)
        client.accessTokenLifetime =
            fields.seconds(.accessTokenLifetime, in: 60...86_400) ?? Client.defaultAccessTokenLifetime
        client.accessTokenAlgorithm = fields.word(.accessTokenAlgorithm) ?? Client.defaultAccessTokenAlgorithm
        // Its own rule has a bound, which is the one to be told.
        client.minimumACR = fields.possiblyEmptyText(.minimumACR)
        client.maximumAuthenticationAge = fields.seconds(.maximumAuthenticationAge, in: 0...31_536_000)
        readWebsite(&fields, into: &client)
        client.idTokenAlgorithm = fields.word(.idTokenAlgorithm) ?? .es256
        client.userInfoAlgorithm = fields.word(.userInfoAlgorithm)
        client.requiresPushedRequests = fields.flag(.requirePushedRequests) ?? false
        client.blocksWebViews = fields.flag(.blockWebViews) ?? false
        client.rejectsReusedChallenge = fields.flag(.rejectReusedChallenge) ?? false
        client.introspection = fields.word(.mayIntrospect) ?? Client.defaultIntrospection(of: client.kind)
        client.acceptsEndpointAudience = fields.flag(.acceptsEndpointAudience) ?? false
        client.keys = keySet(&fields)
        client.keysURI = webURL(&fields, .keysURI)
        client.logoURI = webURL(&fields, .logoURI)
        client.policyURI = webURL(&fields, .policyURI)
        check(client, &fields)
    }

    /// How the client proves who it is, and what it may be granted.
    private static func readGrants(_ fields: inout StrictFields<Field>, into client: inout Client) {
        client.secretDigest = fields.text(.secretDigest)
        if let digest = client.secretDigest, Base64URL.decode(digest)?.count != 32 {
            fields.note(.secretDigest, "must be the base64url of a SHA-256 digest")
        }
        if let method: ClientAuthenticationMethod = fields.word(.authenticationMethod) {
            client.authenticationMethod = method
        }
        if let types: Set<GrantType> = fields.words(.grantTypes) { client.grantTypes = types }
        if let scope = fields.possiblyEmptyText(.scope) {
            if let parsed = scope.isEmpty ? Scope.empty : Scope(scope) {
                client.scope = parsed
            } else {
                fields.note(.scope, "must be scope tokens with single spaces between them")
            }
        }
    }

    /// Whom the client shares a sign-in with, and how its web views come by sessions.
    private static func readNativeSSO(_ fields: inout StrictFields<Field>, into client: inout Client) {
        client.isFirstParty = fields.flag(.firstParty) ?? false
        client.isNativeSSOEnabled = fields.flag(.nativeSSOEnabled) ?? false
        client.getsDeviceSecretWithoutScope = fields.flag(.deviceSecretWithoutScope) ?? false
        client.shareWith = Set((fields.list(.shareWith) ?? []).map(ClientID.init(rawValue:)))
        client.delivery = fields.word(.delivery) ?? .body
        client.cookieProfile = fields.word(.cookieProfile) ?? .session
        client.cookiePrefix = fields.possiblyEmptyText(.cookiePrefix) ?? ""
        client.cookieDomain = fields.text(.cookieDomain)
    }

    /// Where browsers and messages about sessions reach the client.
    private static func readWebsite(_ fields: inout StrictFields<Field>, into client: inout Client) {
        client.backchannelLogoutURI = webURL(&fields, .backchannelLogoutURI)
        client.initiateLoginURI = webURL(&fields, .initiateLoginURI)
        client.landing = fields.word(.landing) ?? .returnPath
        client.redemptionPage = fields.text(.redemptionPage)
        client.isPortal = fields.flag(.portal) ?? false
        client.webhook = webhook(&fields)
    }

    static func writeProviderFields(
        of client: Client, into fields: inout KeyedEncodingContainer<Field>
    ) throws {
        try fields.encode(client.authenticationMethod.rawValue, forKey: .authenticationMethod)
        try fields.encode(client.redirectURIs.map(\.description), forKey: .redirectURIs)
        try fields.encode(client.postLogoutRedirectURIs.map(\.description), forKey: .postLogoutRedirectURIs)
        try fields.encode(client.grantTypes.map(\.rawValue).sorted(), forKey: .grantTypes)
        try fields.encode(client.scope.description, forKey: .scope)
        try fields.encode(client.requiresPKCE, forKey: .requirePKCE)
        try fields.encode(client.allowsLocalhost, forKey: .allowLocalhost)
        try fields.encode(client.requiresProofOfPossession, forKey: .dpopBoundAccessTokens)
        try writeNativeSSO(of: client, into: &fields)
        try fields.encode(client.accessTokenLifetime.inMilliseconds / 1000, forKey: .accessTokenLifetime)
        // Nodes of the previous version, which keep running during an upgrade, do not know this field.
        if client.accessTokenAlgorithm != Client.defaultAccessTokenAlgorithm {
            try fields.encode(client.accessTokenAlgorithm.rawValue, forKey: .accessTokenAlgorithm)
        }
        try fields.encodeIfPresent(client.minimumACR, forKey: .minimumACR)
        try fields.encodeIfPresent(
            client.maximumAuthenticationAge.map { $0.inMilliseconds / 1000 }, forKey: .maximumAuthenticationAge)
        try writeWebsite(of: client, into: &fields)
        try fields.encode(client.idTokenAlgorithm.rawValue, forKey: .idTokenAlgorithm)
        try fields.encodeIfPresent(client.userInfoAlgorithm?.rawValue, forKey: .userInfoAlgorithm)
        try fields.encode(client.requiresPushedRequests, forKey: .requirePushedRequests)
        try fields.encode(client.blocksWebViews, forKey: .blockWebViews)
        try fields.encode(client.rejectsReusedChallenge, forKey: .rejectReusedChallenge)
        try fields.encode(client.introspection.rawValue, forKey: .mayIntrospect)
        try fields.encode(client.acceptsEndpointAudience, forKey: .acceptsEndpointAudience)
        try fields.encodeIfPresent(client.keys, forKey: .keys)
        try fields.encodeIfPresent(client.keysURI, forKey: .keysURI)
        try fields.encodeIfPresent(client.logoURI, forKey: .logoURI)
        try fields.encodeIfPresent(client.policyURI, forKey: .policyURI)
    }

    private static func writeNativeSSO(
        of client: Client, into fields: inout KeyedEncodingContainer<Field>
    ) throws {
        try fields.encode(client.isFirstParty, forKey: .firstParty)
        try fields.encode(client.isNativeSSOEnabled, forKey: .nativeSSOEnabled)
        if client.getsDeviceSecretWithoutScope { try fields.encode(true, forKey: .deviceSecretWithoutScope) }
        try fields.encode(client.shareWith.map(\.rawValue).sorted(), forKey: .shareWith)
        try fields.encode(client.delivery.rawValue, forKey: .delivery)
        try fields.encode(client.cookieProfile.rawValue, forKey: .cookieProfile)
        try fields.encode(client.cookiePrefix, forKey: .cookiePrefix)
        try fields.encodeIfPresent(client.cookieDomain, forKey: .cookieDomain)
    }

    private static func writeWebsite(
        of client: Client, into fields: inout KeyedEncodingContainer<Field>
    ) throws {
        try fields.encodeIfPresent(client.backchannelLogoutURI, forKey: .backchannelLogoutURI)
        try fields.encodeIfPresent(client.initiateLoginURI, forKey: .initiateLoginURI)
        try fields.encodeIfPresent(client.redemptionPage, forKey: .redemptionPage)
        if client.kind == .web {
            try fields.encode(client.landing.rawValue, forKey: .landing)
            try fields.encode(client.isPortal, forKey: .portal)
        }
        try fields.encodeIfPresent(client.webhook?.uri, forKey: .webhookURI)
        try fields.encodeIfPresent(client.webhook?.secretFile, forKey: .webhookSecretFile)
    }

    /// What holds between fields: each rule as soon as those that it is about can be read.
    private static func check(_ client: Client, _ fields: inout StrictFields<Field>) {
        if fields.areSound(.authenticationMethod) { checkAuthentication(of: client, &fields) }
        if client.kind == .native, client.grantTypes.contains(.clientCredentials),
            fields.areSound(.clientType, .grantTypes)
        {
            fields.note(.grantTypes, "of a native client must not hold client_credentials")
        }
        if client.isPublic, fields.areSound(.clientType, .authenticationMethod) {
            if !client.requiresPKCE { fields.note(.requirePKCE, "must be true for a public client") }
            if client.scope.contains(Scope.admin) { fields.note(.scope, "must not hold admin for a public client") }
        }
        checkLanding(of: client, &fields)
        checkRedemptionPage(of: client, &fields)
        if client.getsDeviceSecretWithoutScope, !client.isNativeSSOEnabled {
            fields.note(.deviceSecretWithoutScope, "needs native_sso_enabled: true")
        }
        if !CookieNamePrefix.isAllowed(client.cookiePrefix) {
            fields.note(.cookiePrefix, "must be at most \(CookieNamePrefix.limit) letters, digits, - and _")
        }
        if let domain = client.cookieDomain, !CookieDomain.isAllowed(domain) {
            fields.note(.cookieDomain, "must be a domain such as .example.com")
        }
    }

    private static func checkLanding(of client: Client, _ fields: inout StrictFields<Field>) {
        if client.kind != .web, fields.areSound(.clientType) {
            if client.landing == .initiateLogin { fields.note(.landing, "belongs to a website; this client is none") }
            if client.isPortal { fields.note(.portal, "belongs to a website; this client is none") }
        }
        guard client.landing == .initiateLogin else { return }
        if client.initiateLoginURI == nil, fields.areSound(.initiateLoginURI) {
            fields.note(.initiateLoginURI, "must be there for landing initiate_login")
        }
        // The website's own sign-in is answered by the session's cookie, which the profile tokens does not have.
        if client.cookieProfile == .tokens {
            fields.note(.landing, "must not be initiate_login with cookie_profile tokens")
        }
    }

    private static func checkRedemptionPage(of client: Client, _ fields: inout StrictFields<Field>) {
        guard let page = client.redemptionPage else { return }
        // A query of its own would have to be joined with the link's.
        guard case .success(let path) = ReturnPath.parse(Array(page.utf8)), path.serialized == page, path.query == nil
        else { return fields.note(.redemptionPage, "must be a path such as /login-with-token.php, without a query") }
        if client.kind != .web, fields.areSound(.clientType) {
            fields.note(.redemptionPage, "belongs to a website; this client is none")
        } else if client.publicOrigin == nil, fields.areSound(.publicOrigin) {
            fields.note(.redemptionPage, "needs public_origin, where that page is")
        }
        if client.landing == .initiateLogin, fields.areSound(.landing) {
            fields.note(.redemptionPage, "must not be there for landing initiate_login, whose links are at the issuer")
        }
    }

    private static func checkAuthentication(of client: Client, _ fields: inout StrictFields<Field>) {
        switch client.authenticationMethod {
        case .clientSecretBasic, .clientSecretPost:
            // A secret that every installation carries proves nothing (RFC 8252 §8.5).
            if client.kind == .native, fields.areSound(.clientType) {
                fields.note(.authenticationMethod, "of a native client must be none or private_key_jwt")
            }
        case .privateKeyJWT:
            if (client.keys == nil) == (client.keysURI == nil), fields.areSound(.keys, .keysURI) {
                fields.note(.keys, "or jwks_uri, one of them, must be there for private_key_jwt")
            }
        case .none:
            if client.kind != .native, client.grantTypes.contains(.clientCredentials),
                fields.areSound(.clientType, .grantTypes)
            {
                fields.note(.authenticationMethod, "must not be none for client_credentials")
            }
        }
    }

    private static func uris(
        _ fields: inout StrictFields<Field>, _ field: Field, _ rules: RedirectURIRules
    ) -> [RedirectURI] {
        let texts = fields.list(field) ?? []
        // The rules are another kind's then.
        guard fields.areSound(.clientType, .allowLocalhost) else { return [] }
        guard texts.count <= 100 else {
            fields.note(field, "must hold at most 100 URIs")
            return []
        }
        return texts.compactMap { text in
            do throws(RedirectURIError) {
                return try RedirectURI(registering: text, rules: rules)
            } catch {
                fields.note(field, "holds \(text.debugDescription), which \(error.rawValue)")
                return nil
            }
        }
    }

    private static func webURL(_ fields: inout StrictFields<Field>, _ field: Field) -> String? {
        guard let text = fields.text(field) else { return nil }
        if (fields.isStored ? WebURL(kept: text) : WebURL(text)) == nil {
            fields.note(field, "must be an https URL without a fragment")
        }
        return text
    }

    /// The secret is in a file of the servers: a client's document is shown, copied and logged, a secret is not.
    private static func webhook(_ fields: inout StrictFields<Field>) -> Client.Webhook? {
        let file = fields.text(.webhookSecretFile)
        if let file, !Client.Webhook.isFileName(file) {
            fields.note(
                .webhookSecretFile,
                "must be a file name of 1 to \(Client.Webhook.fileNameLimit) letters, digits, . _ - without a path")
        }
        let uri = webURL(&fields, .webhookURI)
        if fields.contains(.webhookURI), !fields.contains(.webhookSecretFile) {
            fields.note(.webhookSecretFile, "is missing")
        }
        if fields.contains(.webhookSecretFile), !fields.contains(.webhookURI) { fields.note(.webhookURI, "is missing") }
        guard let uri, let file else { return nil }
        return Client.Webhook(uri: uri, secretFile: file)
    }

    private static func keySet(_ fields: inout StrictFields<Field>) -> JSONValue? {
        guard let set = fields.json(.keys) else { return nil }
        guard let keys = set.object?["keys"]?.array, !keys.isEmpty, keys.allSatisfy({ $0.object != nil }) else {
            fields.note(.keys, "must be a JWK set")
            return nil
        }
        if !keys.allSatisfy({ VerificationKey.privateMembers.isDisjoint(with: ($0.object ?? [:]).keys) }) {
            fields.note(.keys, "must hold public keys only")
        }
        return set
    }
}
