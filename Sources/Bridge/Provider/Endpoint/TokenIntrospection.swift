package import OAuth2

/// Tells resource servers what a token is (RFC 7662).
package final class TokenIntrospection: Sendable {
    /// Kinds of tokens that other parts know, such as device secrets; `nil` for one that is not theirs or not active.
    package typealias OtherTokens =
        @Sendable (_ token: Secret<String>, _ client: Client, _ now: Timestamp) async throws -> IntrospectedToken?

    private let authenticator: ClientAuthenticator
    private let clients: Reloadable<ClientDirectory>
    private let accessTokens: AccessTokens
    private let refreshTokens: any GrantStore
    private let users: any UserClaimsSource
    private let issuer: String
    private let refusals: RefusalLog
    private let further: [OtherTokens]
    private let time: TimeSource

    package init(
        authenticator: ClientAuthenticator, clients: Reloadable<ClientDirectory>, accessTokens: AccessTokens,
        refreshTokens: any GrantStore, users: any UserClaimsSource, issuer: String, refusals: RefusalLog,
        further: [OtherTokens] = [], time: TimeSource
    ) {
        self.authenticator = authenticator
        self.clients = clients
        self.accessTokens = accessTokens
        self.refreshTokens = refreshTokens
        self.users = users
        self.issuer = issuer
        self.refusals = refusals
        self.further = further
        self.time = time
    }

    /// `{"active":false}` and nothing else for every token that does not count, whatever the reason (§2.2).
    /// - Returns: the answer as JSON.
    /// - Throws: ``ClientRefused``, also for a public client (§2.1).
    package func answer(
        _ parameters: FormParameters, basic: BasicCredentials, origin: RequestOrigin
    ) async throws -> [UInt8] {
        let now = time.now()
        let client = try await authenticator.client(sending: parameters, basic: basic, origin: origin, at: now)
        guard !client.isPublic else {
            let error = OAuthError(
                .invalidClient, "introspection takes a confidential client", detail: .publicClient)
            try await refusals.tokenWithheld(error, clientID: client.id, origin: origin, at: now)
            throw ClientRefused(error: error)
        }
        guard let token = parameters["token"] else { throw OAuthError(.invalidRequest, "token is missing") }
        guard let known = try await facts(Secret(token), asking: client, at: now), Self.mayKnow(known, client) else {
            return Array(#"{"active":false}"#.utf8)
        }
        return known.members.finish()
    }

    /// A token that is none of the client's business looks like one that does not count (§2.2).
    private static func mayKnow(_ token: IntrospectedToken, _ client: Client) -> Bool {
        guard client.introspection == .own else { return true }
        return token.clientID == client.id || token.audience.contains(client.id.rawValue)
    }

    private func facts(
        _ token: Secret<String>, asking client: Client, at now: Timestamp
    ) async throws -> IntrospectedToken? {
        if let secret = OpaqueSecret(token.expose(), kind: .refreshToken) {
            return try await facts(secret, asking: client, at: now)
        }
        for attempt in further {
            if let known = try await attempt(token, client, now) { return known }
        }
        let claims: AccessTokenClaims
        do { claims = try await accessTokens.active(token, at: now) } catch is BearerRefusal { return nil }
        var known = IntrospectedToken(
            type: claims.tokenType, clientID: claims.clientID,
            audience: claims.audience, issuer: issuer, subject: claims.subject, sessionID: claims.sessionID,
            issuedAt: claims.issuedAt, expiresAt: claims.expiresAt, proofKeyThumbprint: claims.proofKeyThumbprint)
        let scope = accessTokens.presentScope(of: claims)
        known.members.add("scope", scope.description)
        known.members.add("jti", claims.id.rawValue)
        known.members.add("nbf", claims.issuedAt.seconds)
        known.members.add("acr", claims.authentication.acr)
        if let time = claims.authentication.time { known.members.add("auth_time", time.seconds) }
        if claims.sessionID != nil, Self.mayKnowName(client, with: scope) {
            known.members.add("username", try await users.claims(of: claims.subject)[Self.nameClaim]?.string)
        }
        return known
    }

    private static let nameClaim = "preferred_username"

    /// A resource server is trusted with its callers' names. Who asks about its own tokens gets no more than the user
    /// agreed to; unlike the userinfo endpoint, that takes no `openid`.
    private static func mayKnowName(_ client: Client, with scope: Scope) -> Bool {
        client.introspection == .any || ScopeClaims.names(openedBy: scope).contains(nameClaim)
    }

    /// A refresh token concerns only its own client.
    private func facts(
        _ token: OpaqueSecret, asking client: Client, at now: Timestamp
    ) async throws -> IntrospectedToken? {
        guard let state = try await refreshTokens.refreshToken(digest: token.digest),
            state.session.clientID == client.id || client.mayAdminister,
            // No grant takes it once its client is deleted (§2.2).
            let owner = clients.current[state.session.clientID], state.rotatedAt == nil,
            now < state.record.expiresAt, state.session.isAlive(at: now)
        else { return nil }
        var known = IntrospectedToken(
            type: "refresh_token", clientID: state.session.clientID, issuer: issuer, subject: state.session.subject,
            sessionID: state.session.id, issuedAt: state.record.issuedAt, expiresAt: state.record.expiresAt,
            proofKeyThumbprint: state.record.proofKeyThumbprint)
        known.members.add("scope", owner.present(of: state.record.scope).description)
        return known
    }
}

/// A token that counts, and what its introspection says of it (RFC 7662 §2.2).
package struct IntrospectedToken: Sendable {
    let clientID: ClientID
    let audience: [String]
    /// The answer's members, `active` the first of them; written as they come, because resource servers ask about
    /// every request of theirs.
    package var members: JSONObjectWriter

    /// - Parameters:
    ///   - type: `token_type`.
    ///   - audience: empty for a token that concerns only its client; one is written as a string.
    ///   - proofKeyThumbprint: `cnf.jkt` (RFC 9449 §6.2).
    package init(
        type: String, clientID: ClientID, audience: [String] = [], issuer: String, subject: Subject,
        sessionID: SessionID?, issuedAt: Timestamp, expiresAt: Timestamp, proofKeyThumbprint: String?
    ) {
        self.clientID = clientID
        self.audience = audience
        members = JSONObjectWriter(capacity: 512)
        members.add("active", true)
        members.add("token_type", type)
        members.add("client_id", clientID.rawValue)
        members.add("iss", issuer)
        members.add("sub", subject.rawValue)
        if !audience.isEmpty { members.add("aud", oneOrMore: audience) }
        members.add("sid", sessionID?.rawValue)
        members.add("iat", issuedAt.seconds)
        members.add("exp", expiresAt.seconds)
        if let proofKeyThumbprint {
            var key = JSONObjectWriter(capacity: 64)
            key.add("jkt", proofKeyThumbprint)
            members.add("cnf", json: key)
        }
    }
}
