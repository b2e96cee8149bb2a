package import OAuth2

/// Revokes tokens on behalf of their client (RFC 7009).
package final class TokenRevocation: Sendable {
    /// Kinds of tokens that other parts revoke, such as device secrets.
    package typealias OtherTokens =
        @Sendable (
            _ token: Secret<String>, _ client: Client, _ origin: RequestOrigin, _ now: Timestamp
        ) async throws -> Bool

    private let authenticator: ClientAuthenticator
    private let accessTokens: AccessTokens
    private let idTokens: IDTokenCodec
    private let grants: any GrantStore
    private let endings: SessionEndings
    private let refusals: RefusalLog
    private let further: [OtherTokens]
    private let time: TimeSource

    /// - Parameter further: asked in turn about a token that is neither kind; each says whether it was its own.
    package init(
        authenticator: ClientAuthenticator, accessTokens: AccessTokens, idTokens: IDTokenCodec,
        grants: any GrantStore, endings: SessionEndings, refusals: RefusalLog,
        further: [OtherTokens] = [], time: TimeSource
    ) {
        self.authenticator = authenticator
        self.accessTokens = accessTokens
        self.idTokens = idTokens
        self.grants = grants
        self.endings = endings
        self.refusals = refusals
        self.further = further
        self.time = time
    }

    /// Ends what `token` stands for, and what `device_secret` does (contract §5): an app that signs out shows both.
    /// Returns in silence for one that is unknown or dead already (RFC 7009 §2.2).
    /// - Throws: `invalid_grant` for another client's token, `unsupported_token_type` for one that cannot be revoked.
    package func revoke(
        _ parameters: FormParameters, basic: BasicCredentials, origin: RequestOrigin
    ) async throws {
        let now = time.now()
        let client = try await authenticator.client(sending: parameters, basic: basic, origin: origin, at: now)
        let tokens = ["token", "device_secret"].compactMap { parameters[$0] }
        guard !tokens.isEmpty else { throw OAuthError(.invalidRequest, "token is missing") }
        // One that cannot be revoked must not leave the other alive.
        var refusal: OAuthError?
        var outage: (any Error)?
        for token in tokens {
            do {
                try await revoke(token, of: client, origin: origin, at: now)
            } catch let refused as RefusedToken {
                refusal = refusal ?? refused.error
                // A client that tries what others were given is to be seen.
                try await refusals.tokenWithheld(
                    refused.error, clientID: client.id, of: refused.owner, origin: origin, at: now)
            } catch let error as OAuthError {
                refusal = refusal ?? error
            } catch {
                outage = outage ?? error
            }
        }
        // A caller that may succeed later is told that first.
        if let outage { throw outage }
        if let refusal { throw refusal }
    }

    private func revoke(
        _ token: String, of client: Client, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        if let secret = OpaqueSecret(token, kind: .refreshToken) {
            return try await revoke(secret, of: client, origin: origin, at: now)
        }
        for attempt in further where try await attempt(Secret(token), client, origin, now) { return }
        do {
            let claims = try await accessTokens.verify(Secret(token), at: now)
            return try await revoke(claims, of: client, origin: origin, at: now)
        } catch is BearerRefusal {
            // It may be something else.
        }
        if idTokens.readKnown(Secret(token)) != nil {
            throw OAuthError(.unsupportedTokenType, "an ID token cannot be revoked", detail: .idToken)
        }
        // Silence would say that it is revoked; its issuer revokes it by its id (contract §3).
        if CompactJWS(token)?.type == LoginTokenHeader.tokenType {
            throw OAuthError(.unsupportedTokenType, "a login token is revoked by its id", detail: .loginToken)
        }
    }

    /// Its session ends with it: access tokens, web sessions and login tokens under it too.
    private func revoke(
        _ token: OpaqueSecret, of client: Client, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        guard let state = try await grants.refreshToken(digest: token.digest) else { return }
        guard state.session.clientID == client.id else {
            throw Self.notYours(TokenOwner(of: state.session, digest: token.digest))
        }
        let asker = EndingAsker(client.id, in: state.session.id)
        try await endings.end(
            .appSession(state.session.id), Ending(at: now, reason: .revoked, origin: origin, by: asker))
    }

    private func revoke(
        _ claims: AccessTokenClaims, of client: Client, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        guard claims.clientID == client.id else { throw Self.notYours(TokenOwner(claims)) }
        try await grants.revokeToken(
            claims.id, until: claims.expiresAt,
            event: AuditEvent(
                at: now, type: .accessTokenRevoked, outcome: .success, subject: claims.subject, clientID: client.id,
                sessionID: claims.sessionID, tokenID: claims.id, origin: origin))
        accessTokens.forget(claims.id)
    }

    static func notYours(_ owner: TokenOwner) -> RefusedToken {
        RefusedToken(
            error: OAuthError(.invalidGrant, "the token was issued to another client", detail: .otherClient),
            owner: owner)
    }
}
