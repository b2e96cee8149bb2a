import OAuth2

/// The fields of a client of the OAuth provider.
extension ClientDocument {
    static func readProviderFields(_ fields: StrictFields<Field>, into client: inout Client) throws {
        client.secretDigest = try fields.text(.secretDigest)
        guard client.secretDigest.map({ Base64URL.decode($0)?.count == 32 }) ?? true else {
            throw error(.secretDigest, "must be the base64url of a SHA-256 digest")
        }
        if let method: ClientAuthenticationMethod = try fields.word(.authenticationMethod) {
            client.authenticationMethod = method
        }
        if let types: Set<GrantType> = try fields.words(.grantTypes) { client.grantTypes = types }
        if let scope = try fields.optionalText(.scope) {
            guard let parsed = scope.isEmpty ? Scope.empty : Scope(scope) else {
                throw error(.scope, "must be scope tokens with single spaces between them")
            }
            client.scope = parsed
        }
        client.requiresPKCE = try fields.flag(.requirePKCE) ?? true
        client.allowsLocalhost = try fields.flag(.allowLocalhost) ?? false
        client.requiresProofOfPossession = try fields.flag(.dpopBoundAccessTokens) ?? false
        let rules = RedirectURIRules(isNative: client.kind == .native, allowsLocalhost: client.allowsLocalhost)
        client.redirectURIs = try uris(fields, .redirectURIs, rules)
        client.postLogoutRedirectURIs = try uris(fields, .postLogoutRedirectURIs, rules)
        client.isFirstParty = try fields.flag(.firstParty) ?? false
        client.isNativeSSOEnabled = try fields.flag(.nativeSSOEnabled) ?? false
        client.shareWith = Set(try (fields.list(.shareWith) ?? []).map(ClientID.init(rawValue:)))
        client.delivery = try fields.word(.delivery) ?? .body
        client.cookieProfile = try fields.word(.cookieProfile) ?? .session
        client.cookiePrefix = try fields.optionalText(.cookiePrefix) ?? ""
        client.cookieDomain = try fields.text(.cookieDomain)
        client.accessTokenLifetime =
            try fields.seconds(.accessTokenLifetime, in: 60...86_400) ?? Client.defaultAccessTokenLifetime
        client.minimumACR = try fields.text(.minimumACR)
        client.maximumAuthenticationAge = try fields.seconds(.maximumAuthenticationAge, in: 0...31_536_000)
        client.backchannelLogoutURI = try webURL(fields, .backchannelLogoutURI)
        client.webhook = try webhook(fields)
        client.idTokenAlgorithm = try fields.word(.idTokenAlgorithm) ?? .es256
        client.userInfoAlgorithm = try fields.word(.userInfoAlgorithm)
        client.requiresPushedRequests = try fields.flag(.requirePushedRequests) ?? false
        client.blocksWebViews = try fields.flag(.blockWebViews) ?? false
        client.rejectsReusedChallenge = try fields.flag(.rejectReusedChallenge) ?? false
        client.introspection = try fields.word(.mayIntrospect) ?? .any
        client.keys = try keySet(fields)
        client.keysURI = try webURL(fields, .keysURI)
        client.logoURI = try webURL(fields, .logoURI)
        client.policyURI = try webURL(fields, .policyURI)
        try check(client)
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
        try fields.encode(client.isFirstParty, forKey: .firstParty)
        try fields.encode(client.isNativeSSOEnabled, forKey: .nativeSSOEnabled)
        try fields.encode(client.shareWith.map(\.rawValue).sorted(), forKey: .shareWith)
        try fields.encode(client.delivery.rawValue, forKey: .delivery)
        try fields.encode(client.cookieProfile.rawValue, forKey: .cookieProfile)
        try fields.encode(client.cookiePrefix, forKey: .cookiePrefix)
        try fields.encodeIfPresent(client.cookieDomain, forKey: .cookieDomain)
        try fields.encode(client.accessTokenLifetime.inMilliseconds / 1000, forKey: .accessTokenLifetime)
        try fields.encodeIfPresent(client.minimumACR, forKey: .minimumACR)
        try fields.encodeIfPresent(
            client.maximumAuthenticationAge.map { $0.inMilliseconds / 1000 }, forKey: .maximumAuthenticationAge)
        try fields.encodeIfPresent(client.backchannelLogoutURI, forKey: .backchannelLogoutURI)
        try fields.encodeIfPresent(client.webhook?.uri, forKey: .webhookURI)
        try fields.encodeIfPresent(client.webhook?.secretFile, forKey: .webhookSecretFile)
        try fields.encode(client.idTokenAlgorithm.rawValue, forKey: .idTokenAlgorithm)
        try fields.encodeIfPresent(client.userInfoAlgorithm?.rawValue, forKey: .userInfoAlgorithm)
        try fields.encode(client.requiresPushedRequests, forKey: .requirePushedRequests)
        try fields.encode(client.blocksWebViews, forKey: .blockWebViews)
        try fields.encode(client.rejectsReusedChallenge, forKey: .rejectReusedChallenge)
        try fields.encode(client.introspection.rawValue, forKey: .mayIntrospect)
        try fields.encodeIfPresent(client.keys, forKey: .keys)
        try fields.encodeIfPresent(client.keysURI, forKey: .keysURI)
        try fields.encodeIfPresent(client.logoURI, forKey: .logoURI)
        try fields.encodeIfPresent(client.policyURI, forKey: .policyURI)
    }

    /// What holds between fields.
    private static func check(_ client: Client) throws {
        switch client.authenticationMethod {
        case .clientSecretBasic, .clientSecretPost:
            // A secret that every installation carries proves nothing (RFC 8252 §8.5).
            guard client.kind != .native else {
                throw error(.authenticationMethod, "of a native client must be none or private_key_jwt")
            }
        case .privateKeyJWT:
            guard (client.keys == nil) != (client.keysURI == nil) else {
                throw error(.keys, "or jwks_uri, one of them, must be there for private_key_jwt")
            }
        case .none:
            guard client.kind == .native || !client.grantTypes.contains(.clientCredentials) else {
                throw error(.authenticationMethod, "must not be none for client_credentials")
            }
        }
        guard client.kind != .native || !client.grantTypes.contains(.clientCredentials) else {
            throw error(.grantTypes, "of a native client must not hold client_credentials")
        }
        guard client.requiresPKCE || !client.isPublic else {
            throw error(.requirePKCE, "must be true for a public client")
        }
        guard !client.scope.contains(Scope.admin) || !client.isPublic else {
            throw error(.scope, "must not hold admin for a public client")
        }
        guard CookieNamePrefix.isAllowed(client.cookiePrefix) else {
            throw error(.cookiePrefix, "must be at most 64 letters, digits, - and _")
        }
        guard client.cookieDomain.map(CookieNamePrefix.isDomain) ?? true else {
            throw error(.cookieDomain, "must be a domain such as .example.com")
        }
    }

    private static func uris(
        _ fields: StrictFields<Field>, _ field: Field, _ rules: RedirectURIRules
    ) throws -> [RedirectURI] {
        let texts = try fields.list(field) ?? []
        guard texts.count <= 100 else { throw error(field, "must hold at most 100 URIs") }
        return try texts.map { text in
            do {
                return try RedirectURI(registering: text, rules: rules)
            } catch let problem as RedirectURIProblem {
                throw error(field, "holds \(text.debugDescription), which \(problem.rawValue)")
            }
        }
    }

    private static func webURL(_ fields: StrictFields<Field>, _ field: Field) throws -> String? {
        guard let text = try fields.text(field) else { return nil }
        guard WebURL(text) != nil else {
            throw error(field, "must be an https URL without a fragment")
        }
        return text
    }

    /// The secret stands in a file of the servers: a client's document is shown, copied and logged, a secret is not.
    private static func webhook(_ fields: StrictFields<Field>) throws -> Client.Webhook? {
        let file = try fields.text(.webhookSecretFile)
        guard file.map(Client.Webhook.isFileName) ?? true else {
            throw error(.webhookSecretFile, "must be a file name of 1 to 64 letters, digits, . _ - without a path")
        }
        switch (try webURL(fields, .webhookURI), file) {
        case (nil, nil): return nil
        case (let uri?, let file?): return Client.Webhook(uri: uri, secretFile: file)
        case (nil, _): throw error(.webhookURI, "is missing")
        case (_, nil): throw error(.webhookSecretFile, "is missing")
        }
    }

    private static func keySet(_ fields: StrictFields<Field>) throws -> JSONValue? {
        guard let set = try fields.json(.keys) else { return nil }
        guard let keys = set.object?["keys"]?.array, !keys.isEmpty, keys.allSatisfy({ $0.object != nil }) else {
            throw error(.keys, "must be a JWK set")
        }
        let secret: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
        guard keys.allSatisfy({ secret.isDisjoint(with: ($0.object ?? [:]).keys) }) else {
            throw error(.keys, "must hold public keys only")
        }
        return set
    }

    private static func error(_ field: Field, _ problem: String) -> ClientDocumentError {
        ClientDocumentError(field: field.rawValue, problem: problem)
    }
}
