package import OAuth2

/// Tells resource servers what a token is (RFC 7662).
package struct TokenIntrospection: Sendable {
    /// Kinds of tokens that other parts know, such as device secrets; `nil` for one that is not theirs or not active.
    package typealias Further =
        @Sendable (
            _ token: Secret<String>, _ client: Client, _ now: Timestamp
        ) async throws -> [String: JSONValue]?

    private let authenticator: ClientAuthenticator
    private let accessTokens: AccessTokens
    private let refreshTokens: any RefreshTokenStore
    private let users: any UserClaimsSource
    private let issuer: String
    private let further: [Further]
    private let time: TimeSource

    package init(
        authenticator: ClientAuthenticator, accessTokens: AccessTokens, refreshTokens: any RefreshTokenStore,
        users: any UserClaimsSource, issuer: String, further: [Further] = [], time: TimeSource = .system
    ) {
        self.authenticator = authenticator
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
        self.users = users
        self.issuer = issuer
        self.further = further
        self.time = time
    }

    /// `{"active":false}` and nothing else for every token that does not count, whatever the reason (§2.2).
    /// - Throws: ``ClientRefused``, also for a public client (§2.1).
    package func answer(
        _ parameters: FormParameters, basic: (id: String, secret: Secret<String>)?, origin: RequestOrigin
    ) async throws -> JSONValue {
        let now = time.now()
        guard !parameters.hasRepeated else {
            throw OAuthError(.invalidRequest, "a parameter is repeated", detail: "repeated_parameter")
        }
        let client = try await authenticator.authenticate(
            try ClientCredentials(parameters, basic: basic), origin: origin, at: now)
        guard !client.isPublic else {
            throw ClientRefused(
                error: OAuthError(.invalidClient, "introspection takes a confidential client", detail: "public_client"),
                usedBasic: false)
        }
        guard let token = parameters["token"] else { throw OAuthError(.invalidRequest, "token is missing") }
        var members = try await facts(Secret(token), asking: client, at: now)
        guard members.map({ Self.mayKnow($0, client) }) ?? false else { return .object(["active": .bool(false)]) }
        members?["active"] = .bool(true)
        return .object(members ?? [:])
    }

    /// A token that is none of the client's business looks like one that does not count (§2.2).
    private static func mayKnow(_ members: [String: JSONValue], _ client: Client) -> Bool {
        guard client.introspection == .own else { return true }
        return members["client_id"]?.string == client.id.rawValue
            || members["aud"]?.oneOrMore?.contains(client.id.rawValue) == true
    }

    private func facts(
        _ token: Secret<String>, asking client: Client, at now: Timestamp
    ) async throws -> [String: JSONValue]? {
        if let secret = OpaqueSecret(token.expose(), kind: .refreshToken) {
            return try await facts(secret, asking: client, at: now)
        }
        for attempt in further {
            if let members = try await attempt(token, client, now) { return members }
        }
        let claims: AccessTokenClaims
        do { claims = try await accessTokens.active(token, at: now) } catch is BearerRefusal { return nil }
        var members: [String: JSONValue] = [
            "token_type": .string(claims.proofKeyThumbprint == nil ? "Bearer" : "DPoP"),
            "scope": .string(claims.scope.description), "client_id": .string(claims.clientID.rawValue),
            "sub": .string(claims.subject.rawValue), "iss": .string(issuer),
            "aud": claims.audience.count == 1
                ? .string(claims.audience[0]) : .array(claims.audience.map(JSONValue.string)),
            "jti": .string(claims.id.rawValue), "iat": .number(String(claims.issuedAt.seconds)),
            "nbf": .number(String(claims.issuedAt.seconds)), "exp": .number(String(claims.expiresAt.seconds)),
        ]
        members["sid"] = claims.sessionID.map { .string($0.rawValue) }
        members["acr"] = claims.authentication.acr.map(JSONValue.string)
        members["auth_time"] = claims.authentication.time.map { .number(String($0.seconds)) }
        members["cnf"] = claims.proofKeyThumbprint.map { .object(["jkt": .string($0)]) }
        if claims.sessionID != nil {
            members["username"] = try await users.claims(of: claims.subject)["preferred_username"]
        }
        return members
    }

    /// A refresh token concerns nobody but its own client.
    private func facts(
        _ token: OpaqueSecret, asking client: Client, at now: Timestamp
    ) async throws -> [String: JSONValue]? {
        guard let state = try await refreshTokens.refreshToken(digest: token.digest),
            state.session.clientID == client.id || client.scope.contains(Scope.admin), state.rotatedAt == nil,
            now < state.record.expiresAt, state.session.isAlive(at: now)
        else { return nil }
        var members: [String: JSONValue] = [
            "token_type": .string("refresh_token"), "scope": .string(state.record.scope.description),
            "client_id": .string(state.session.clientID.rawValue), "sub": .string(state.session.subject.rawValue),
            "iss": .string(issuer), "sid": .string(state.session.id.rawValue),
            "iat": .number(String(state.record.issuedAt.seconds)),
            "exp": .number(String(state.record.expiresAt.seconds)),
        ]
        members["cnf"] = state.record.proofKeyThumbprint.map { .object(["jkt": .string($0)]) }
        return members
    }
}
