package import OAuth2

/// Makes the tokens of an app session: what every grant that opens or continues one answers with.
package final class SessionTokens: Sendable {
    private let accessTokens: AccessTokenCodec
    package let idTokens: IDTokenCodec
    private let users: any UserClaimsSource
    private let random: RandomSource

    package init(
        accessTokens: AccessTokenCodec, idTokens: IDTokenCodec, users: any UserClaimsSource = NoUserClaims(),
        random: RandomSource = .system
    ) {
        self.accessTokens = accessTokens
        self.idTokens = idTokens
        self.users = users
        self.random = random
    }

    /// What an answer holds besides the access token.
    package struct Extras: Sendable {
        package var refreshToken: OpaqueSecret?
        package var nonce: String?
        package var deviceSecret: AttachedDeviceSecret?
        package var proofKeyThumbprint: String?

        package init(
            refreshToken: OpaqueSecret? = nil, nonce: String? = nil, deviceSecret: AttachedDeviceSecret? = nil,
            proofKeyThumbprint: String? = nil
        ) {
            self.refreshToken = refreshToken
            self.nonce = nonce
            self.deviceSecret = deviceSecret
            self.proofKeyThumbprint = proofKeyThumbprint
        }
    }

    /// Signs an access token for the session and, when `openid` was granted or a device secret goes along, an ID token:
    /// without one that has its `ds_hash` the secret could not be exchanged (contract §5.1, §5.4).
    /// - Parameter scope: what the access token is for, at most the session's. The scope for a device secret counts and
    ///   is told only with one (draft-07 §3.1, §3.3); the session keeps it, for a refresh that gives one.
    package func answer(
        for session: AppSession, client: Client, scope: Scope, extras: Extras, at now: Timestamp
    ) async throws -> IssuedTokens {
        let facts = SessionFacts(
            id: session.id, lineage: session.lineage, requestedClaims: session.requestedClaims)
        return try await answer(for: facts, client: client, scope: scope, extras: extras, at: now)
    }

    /// Signs the tokens for a browser's session, for which no claims were requested by name.
    package func answer(
        for session: WebSession, client: Client, scope: Scope, extras: Extras, at now: Timestamp
    ) async throws -> IssuedTokens {
        let facts = SessionFacts(id: session.id, lineage: session.lineage, requestedClaims: .none)
        return try await answer(for: facts, client: client, scope: scope, extras: extras, at: now)
    }

    private func answer(
        for session: SessionFacts, client: Client, scope: Scope, extras: Extras, at now: Timestamp
    ) async throws -> IssuedTokens {
        let (id, lineage) = (session.id, session.lineage)
        let scope = extras.deviceSecret == nil ? scope.removing(Scope.deviceSSO) : scope
        let claims = AccessTokenClaims(
            subject: lineage.subject, audience: [accessTokens.issuer], clientID: client.id, scope: scope,
            id: TokenID(rawValue: random.text(16)), sessionID: id, authentication: lineage.authentication,
            proofKeyThumbprint: extras.proofKeyThumbprint, adminEpoch: client.epoch(in: scope), issuedAt: now,
            expiresAt: min(now + client.accessTokenLifetime, lineage.expiresAt))
        let accessToken = try accessTokens.sign(claims, algorithm: client.accessTokenAlgorithm, at: now)
        var response = IssuedTokens(
            accessToken: accessToken, tokenType: claims.tokenType, expiresIn: claims.expiresAt - now, scope: scope,
            refreshToken: extras.refreshToken.map { Secret($0.expose()) })
        if scope.contains(Scope.openID) || extras.deviceSecret != nil {
            response.idToken = try await idToken(
                for: session, client: client, scope: scope, accessToken: accessToken, extras: extras, at: now)
        }
        if let attached = extras.deviceSecret, attached.isTold {
            response.deviceSecret = Secret(attached.secret.expose())
        }
        return response
    }

    /// An access token of a client that acts for itself.
    package func answer(
        for client: Client, scope: Scope, proofKeyThumbprint: String? = nil, at now: Timestamp
    ) throws -> (IssuedTokens, TokenID) {
        let claims = AccessTokenClaims(
            subject: Subject(client: client.id), audience: [accessTokens.issuer], clientID: client.id,
            scope: scope, id: TokenID(rawValue: random.text(16)), sessionID: nil, authentication: Authentication(),
            proofKeyThumbprint: proofKeyThumbprint, adminEpoch: client.epoch(in: scope), issuedAt: now,
            expiresAt: now + client.accessTokenLifetime)
        let response = IssuedTokens(
            accessToken: try accessTokens.sign(claims, algorithm: client.accessTokenAlgorithm, at: now),
            tokenType: claims.tokenType, expiresIn: client.accessTokenLifetime, scope: scope)
        return (response, claims.id)
    }

    private func idToken(
        for session: SessionFacts, client: Client, scope: Scope, accessToken: Secret<String>, extras: Extras,
        at now: Timestamp
    ) async throws -> Secret<String> {
        let lineage = session.lineage
        var claims = IDTokenClaims(
            subject: lineage.subject, audience: client.id, sessionID: session.id,
            authentication: lineage.authentication, nonce: extras.nonce, issuedAt: now, notAfter: lineage.expiresAt)
        // SHA-256 whatever the ID token is signed with: the apps of a device need not agree on that.
        claims.deviceSecretHash = extras.deviceSecret?.secret.deviceSecretHash
        let requested = session.requestedClaims.limited(with: scope, for: client, under: lineage)
        var names = ScopeClaims.names(requested: requested.idToken, with: scope)
        // Relying parties look for groups there, and few of them can ask by `claims`.
        if scope.contains(UserGroups.claim) { names.insert(UserGroups.claim) }
        // Without `openid` the client did not ask who the user is (Core §3.1.2.1): the token is there for the exchange
        // alone.
        if scope.contains(Scope.openID), !names.isEmpty {
            claims.userClaims = try await users.claims(of: lineage.subject)
                .filter { names.contains($0.key) && !$0.value.isNull }
        }
        return try idTokens.sign(claims, accessToken: accessToken, algorithm: client.idTokenAlgorithm, at: now)
    }
}

/// What tokens say of the session that they are for.
private struct SessionFacts {
    let id: SessionID
    let lineage: Lineage
    let requestedClaims: RequestedClaims
}

extension AppSession {
    /// What was asked for by name, for a token of these scopes: no more than the client's own scopes open now, and
    /// nothing for a token with less than the whole grant, which was narrowed to tell less (RFC 6749 §6).
    func requestedClaims(with scope: Scope, for client: Client?) -> RequestedClaims {
        requestedClaims.limited(with: scope, for: client, under: lineage)
    }
}

extension RequestedClaims {
    /// As ``AppSession/requestedClaims(with:for:)``, in a session of this lineage.
    fileprivate func limited(with scope: Scope, for client: Client?, under lineage: Lineage) -> RequestedClaims {
        guard let client, lineage.isWhole(scope, for: client) else { return .none }
        return limited(to: client.grantableScope)
    }
}

/// A device secret that a session was tied to.
package struct AttachedDeviceSecret: Sendable {
    /// The secret that the app now holds, for `ds_hash`.
    package let secret: OpaqueSecret
    /// Whether it is in the answer: when it is new, or is to be sent again.
    package let isTold: Bool

    package init(_ secret: OpaqueSecret, isTold: Bool) {
        self.secret = secret
        self.isTold = isTold
    }
}

/// What an app got its tokens by.
package enum TokenOccasion: Hashable, Sendable { case signIn, refresh }

/// An app that gets tokens of a session with the scope `device_sso`.
package struct DeviceSecretRequest: Sendable {
    package let session: AppSession
    package let client: Client
    /// The `device_secret` parameter; one that is not valid counts as absent.
    package let presented: Secret<String>?
    /// The key that the request proved: a new secret is bound to it, and one that is bound needs its own.
    package let proofKeyThumbprint: String?
    package let origin: RequestOrigin
    package let at: Timestamp
}

extension TokenRequest {
    /// What it says of the app's device, for the session that its tokens are of.
    func deviceSecretRequest(for session: AppSession) -> DeviceSecretRequest {
        DeviceSecretRequest(
            session: session, client: client, presented: parameters["device_secret"].map(Secret.init),
            proofKeyThumbprint: proofKeyThumbprint, origin: origin, at: at)
    }
}

/// Ties sessions with the scope `device_sso` to a device (contract §5.1, §5.2).
package protocol DeviceSecretAttaching: Sendable {
    /// Keeps a valid secret that the app sent, or makes a new one.
    func attach(_ request: DeviceSecretRequest, upon occasion: TokenOccasion) async throws -> AttachedDeviceSecret?
}
