import OAuth2

/// Says whether an access token of ours counts now: signature, life, client, session, revocation.
package final class AccessTokens: Sendable {
    private let codec: AccessTokenCodec
    private let clients: Reloadable<ClientDirectory>
    private let sessions: AppSessions
    private let store: any GrantStore & BearerStore
    private let inquiry: (any KeyInquiry)?
    private let verified: VerifiedTokens
    private let revocations: ShortLivedCache<TokenID, Bool>

    /// - Parameter inquiry: is asked about keys that this node does not have; `nil` where none are added.
    package init(
        codec: AccessTokenCodec, clients: Reloadable<ClientDirectory>, sessions: AppSessions,
        store: any GrantStore & BearerStore, inquiry: (any KeyInquiry)? = nil, cacheCapacity: Int = 10_000,
        time: TimeSource
    ) {
        revocations = ShortLivedCache(time: time)
        self.codec = codec
        self.clients = clients
        self.inquiry = inquiry
        self.sessions = sessions
        self.store = store
        verified = VerifiedTokens(capacity: cacheCapacity)
    }

    /// Whether a text says of itself that it is one of ours, so that no other issuer need be asked.
    package func saysItIsOurs(_ token: Secret<String>) -> Bool { ours(token) != nil }

    /// A text that says of itself that it is one of ours, for ``active(_:at:readingAheadFor:)``; it may still be forged.
    package func ours(_ token: Secret<String>) -> AccessTokenText? {
        // Most bearers are another issuer's, and need neither be hashed nor be read to the end.
        guard codec.saysItIsAnAccessToken(token) else { return nil }
        let digest = TokenDigest(token)
        // One that was verified need not be parsed for it.
        if verified.claims(for: digest, in: codec.ringNumber) != nil { return AccessTokenText(token, digest: digest) }
        return codec.takeApartOurs(token).map { AccessTokenText(token, digest: digest, jws: $0) }
    }

    /// The token's claims while it is active.
    /// - Parameter subjects: who will be asked about the token's user next; `nil` for nobody.
    /// - Throws: ``BearerRefusal``; ``StorageError`` when a store cannot say.
    package func active(
        _ token: Secret<String>, at now: Timestamp, readingAheadFor subjects: Subjects? = nil
    ) async throws -> AccessTokenClaims {
        try await active(AccessTokenText(token, digest: TokenDigest(token)), at: now, readingAheadFor: subjects)
    }

    /// As ``active(_:at:readingAheadFor:)``, for a text that was asked whether it is ours.
    package func active(
        _ text: AccessTokenText, at now: Timestamp, readingAheadFor subjects: Subjects? = nil
    ) async throws -> AccessTokenClaims {
        let claims = try await verify(text, at: now)
        // A client may have been removed because its tokens are in wrong hands.
        guard clients.current[claims.clientID] != nil else { throw BearerRefusal.inactive }
        try await readAhead(claims, for: subjects)
        guard try await isActive(claims.id, sessionID: claims.sessionID, at: now) else { throw BearerRefusal.inactive }
        return claims
    }

    /// Reads at once what a token's session, its revocation and its user are judged by, where each look-up is a round
    /// trip (ADR-0088). It judges nothing.
    private func readAhead(_ claims: AccessTokenClaims, for subjects: Subjects?) async throws {
        guard let sessionID = claims.sessionID, store.isRemote else { return }
        let session = sessions.lookUp(sessionID)
        let revocation = revocations.lookUp(claims.id)
        let user = subjects?.lookUp(claims.subject)
        guard session != nil || revocation != nil || user != nil else { return }
        do {
            let found = try await store.bearerRecords(
                BearerKeys(user: user?.key, appSession: session?.key, token: revocation?.key))
            session?.end(with: found.appSession)
            revocation?.end(with: found.isRevoked)
            user?.end(with: found.user)
        } catch {
            session?.abandon()
            revocation?.abandon()
            user?.abandon()
            throw error
        }
    }

    /// What of a token's scope counts now; a client's own token is bounded by the document as it is written.
    func presentScope(of claims: AccessTokenClaims) -> Scope {
        guard let client = clients.current[claims.clientID] else { return .empty }
        let scope =
            claims.sessionID == nil
            ? claims.scope.intersection(client.scope) : client.presentScope(ofToken: claims.scope)
        return client.letsAdminister(since: claims.countedEpoch) ? scope : scope.removing(Scope.admin)
    }

    /// Whether a token that was good has neither been revoked since nor ended with its session.
    package func isActive(_ id: TokenID, sessionID: SessionID?, at now: Timestamp) async throws -> Bool {
        if let sessionID, try await !sessions.isAlive(sessionID, at: now) { return false }
        return try await !revocations.value(for: id) { try await store.isRevoked(id) }
    }

    /// The device secret that an app's session came from or was given; as old as what is known of the session.
    func device(of sessionID: SessionID, at now: Timestamp) async throws -> DeviceSecretID? {
        try await sessions.alive(sessionID, at: now)?.deviceSecretID
    }

    /// Verifies, or remembers having verified; the same token comes again and again, and checking a signature costs
    /// more than the rest of a request.
    /// - Throws: ``BearerRefusal``; ``StorageError`` when the token names a key that this node does not have and the
    ///   database cannot say whether there is one.
    package func verify(_ token: Secret<String>, at now: Timestamp) async throws -> AccessTokenClaims {
        try await verify(AccessTokenText(token, digest: TokenDigest(token)), at: now)
    }

    private func verify(_ text: AccessTokenText, at now: Timestamp) async throws -> AccessTokenClaims {
        let known = verified.claims(for: text.digest, in: codec.ringNumber)
        if let known, now < known.expiresAt { return known }
        let ring = codec.ringNumber
        let jws = text.jws
        do {
            let claims = try codec.verify(jws, at: now)
            verified.insert(claims, for: text.digest, in: ring)
            return claims
        } catch BearerRefusal.unknownKey {
            guard let inquiry, let keyID = codec.unknownKey(of: text.token) else { throw BearerRefusal.unknownKey }
            try await inquiry.learn(keyID)
            return try codec.verify(jws, at: now)
        }
    }

    /// The claims of a token of ours that has run out; `nil` for one that is still good, or no good. Asked after
    /// ``verify(_:at:)``, which sees to it that this node has the key, when there is one.
    package func expired(_ token: Secret<String>, at now: Timestamp) -> AccessTokenClaims? {
        guard let claims = try? codec.verifyWhateverItsAge(token), claims.expiresAt <= now else { return nil }
        return claims
    }

    /// Has the next look-up ask the store whether the token was revoked.
    func forget(_ id: TokenID) { revocations.forget(id) }
}
