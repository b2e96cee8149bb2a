/// Redemptions that a store could not confirm, each of which may have been made or not: what they have opened, for the
/// next attempt of the same browser or server (contract §4.3).
package final class UnconfirmedAttempts: Sendable {
    private let store: any LoginTokenStore
    private let sessions: WebSessions
    private let seal: ShortLivedSeal
    private let random: RandomSource
    /// A website's server carries nothing from one attempt to the next.
    let ofServers = UndecidedServerRedemptions()

    package init(
        store: any LoginTokenStore, sessions: WebSessions, keys: Reloadable<SecretKeyRing>,
        time: TimeSource, random: RandomSource = .system
    ) {
        self.store = store
        self.sessions = sessions
        seal = ShortLivedSeal(keys: keys, purpose: .redemptionRetry, time: time)
        self.random = random
    }

    /// The attempt of this browser with this token that could not be confirmed.
    /// - Parameter text: what the attempt left with the browser.
    func retry(_ text: String?, for claims: LoginTokenClaims) -> RedemptionRetry? {
        text.flatMap { seal.open($0) }.flatMap { RedemptionRetry($0) }.flatMap {
            $0.tokenID == claims.id ? $0 : nil
        }
    }

    /// What an attempt that could not be confirmed has opened; `nil` when it was not made.
    func opened(by retry: RedemptionRetry?) async throws -> OpenedSession? {
        guard let retry, case .redeemed(let use) = try await store.state(of: retry.tokenID)?.status,
            use.sessionID == retry.sessionID, let session = try await sessions.lookUp(retry.secret)
        else { return nil }
        var opened = OpenedSession(session: session, secret: retry.secret)
        opened.refresh = retry.refresh
        return opened
    }

    /// What a website's server's attempt that could not be confirmed has opened; `nil` when it was not made.
    func openedForServer(_ claims: LoginTokenClaims, at now: Timestamp) async throws -> OpenedSession? {
        guard let known = ofServers.take(claims.id, at: now) else { return nil }
        do {
            guard case .redeemed(let use) = try await store.state(of: claims.id)?.status,
                use.sessionID == known.session.id, let stored = try await sessions.peek(known.session.id)
            else { return nil }
            return OpenedSession(session: stored, secret: known.secret)
        } catch let error as StorageError {
            ofServers.remember(known, of: claims.id, at: now)
            throw error
        }
    }

    /// An attempt whose outcome is unknown: what tells its maker to try again, with the session that the answer would
    /// have given.
    func undecided(_ redemption: Redemption, opening opened: OpenedSession) throws -> UndecidedRedemption {
        if redemption.isByServer { ofServers.remember(opened, of: redemption.claims.id, at: redemption.at) }
        return try tryAgain(with: opened, of: redemption.claims.id)
    }

    /// Finishes the answer that takes a session to its browser. Where a store fails on the way, the browser's next
    /// attempt gets the session: it would be a replay otherwise.
    /// - Throws: ``UndecidedRedemption`` in the place of ``StorageError``.
    func deliver<Answer>(_ opened: OpenedSession?, _ answer: () async throws -> Answer) async throws -> Answer {
        guard let opened, let id = opened.session.loginTokenID else { return try await answer() }
        do { return try await answer() } catch is StorageError { throw try tryAgain(with: opened, of: id) }
    }

    /// As ``deliver(_:_:)``, for a website's server, whose next attempt is known by its token.
    func deliver<Answer>(
        _ session: WebSession, toServerAt now: Timestamp, _ answer: () async throws -> Answer
    ) async throws -> Answer {
        do { return try await answer() } catch let error as StorageError {
            if let id = session.loginTokenID {
                ofServers.remember(
                    OpenedSession(session: session, secret: .make(.webSession, at: now, random: random)), of: id,
                    at: now)
            }
            throw error
        }
    }

    private func tryAgain(with opened: OpenedSession, of id: TokenID) throws -> UndecidedRedemption {
        let retry = RedemptionRetry(opened, tokenID: id)
        return UndecidedRedemption(retry: Secret(try seal.seal(retry.text, lifetime: RedemptionRetry.lifetime)))
    }
}
