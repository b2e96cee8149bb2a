import Crypto
import OAuth2

extension LoginTokenRedeemer {
    /// What is known of a token that the guard has seen before, or that is about to be asked about.
    /// - Returns: `nil` while it is unused.
    func outcomeOfKnownState(_ redemption: Redemption) async throws -> RedemptionOutcome? {
        switch try await store.state(of: redemption.claims.id)?.status {
        case .redeemed(let use): try await repeated(redemption, use: use)
        case .revoked:
            try await refusals.refuse(
                .revoked, claims: redemption.claims, origin: redemption.origin, at: redemption.at)
        case .pending, nil: nil
        }
    }

    /// Consumes the token and opens the session, in one transaction; the store says who was first.
    func open(_ redemption: Redemption, replacing current: [WebSession]) async throws -> RedemptionOutcome {
        let opened = redemption.session(random: random)
        let use = LoginTokenUse(
            at: redemption.at, sessionID: opened.session.id, address: redemption.origin.address?.description,
            userAgentDigest: Self.userAgentMark(of: redemption))
        switch try await redeem(redemption, opening: opened, use: use, replacing: current) {
        case .opened: return await landed(redemption, opened, replacing: current)
        // This very attempt, whose first answer was lost.
        case .alreadyUsed(let first) where first.sessionID == opened.session.id:
            return await landed(redemption, opened, replacing: current)
        case .alreadyUsed(let first): return try await repeated(redemption, use: first)
        case .revoked:
            return try await refusals.refuse(
                .revoked, claims: redemption.claims, origin: redemption.origin, at: redemption.at)
        }
    }

    /// Asks once more when the answer to a commit was lost: what is stored by then says whether it was made, and if not,
    /// it is made now. What cannot be found out is left to the browser's next try.
    private func redeem(
        _ redemption: Redemption, opening opened: OpenedSession, use: LoginTokenUse, replacing current: [WebSession]
    ) async throws -> LoginTokenRedeemOutcome {
        func attempt() async throws -> LoginTokenRedeemOutcome {
            try await store.redeem(
                redemption.claims.issued, opening: opened.session, use: use,
                replacing: current.map {
                    ReplacedSession($0, by: redemption.claims.subject, origin: redemption.origin, at: redemption.at)
                },
                events: redemption.events(opening: opened.session))
        }
        do {
            do {
                return try await attempt()
            } catch StorageError.undecided {
                return try await attempt()
            }
        } catch is StorageError {
            let retry = RedemptionRetry(opened, tokenID: redemption.claims.id)
            if redemption.isByServer { undecided.remember(opened, of: redemption.claims.id, at: redemption.at) }
            throw UndecidedRedemption(
                retry: Secret(try retries.seal(retry.text, lifetime: RedemptionRetry.lifetime)))
        }
    }

    private func landed(
        _ redemption: Redemption, _ opened: OpenedSession, replacing current: [WebSession]
    ) async -> RedemptionOutcome {
        await sessions.forget(current.map(\.id))
        sessions.remember(opened.session)
        return .landed(location: redemption.landing.location, opened: opened)
    }

    /// A second use. A double tap is let through without opening anything; anything else is a replay, which ends what
    /// the first use opened: one of the two was not the user, and it cannot be told which.
    ///
    /// A website's server looks the same whoever sent it the token, so neither its use nor one after it is a double tap.
    private func repeated(_ redemption: Redemption, use: LoginTokenUse) async throws -> RedemptionOutcome {
        if isDoubleTap(redemption, after: use) {
            try await refusals.recordRepeat(
                redemption.event(.loginTokenRepeated, .success, sessionID: use.sessionID), of: redemption.claims.id)
            return .landed(location: redemption.landing.location, opened: nil)
        }
        let ending = Ending(at: redemption.at, reason: "token_replayed", origin: redemption.origin)
        let replay = redemption.event(.loginTokenReplayed, .failure, reason: "replayed", sessionID: use.sessionID)
        let ended = try await store.recordReplay(
            of: redemption.claims.id, replay: replay,
            ending: redemption.website.replayResponse == .endSession ? ending : nil,
            alwaysTells: try await refusals.admits(replay, about: redemption.claims.id))
        await endings.take(in: ended)
        return try await refusals.count(origin: redemption.origin, at: redemption.at)
    }

    /// A tap soon after by the same browser, whose cookie is still on its way: from the same network, or from the other
    /// address family, between which phones flip.
    private func isDoubleTap(_ redemption: Redemption, after use: LoginTokenUse) -> Bool {
        guard !redemption.isByServer, redemption.at - use.at <= Self.doubleTapWindow,
            use.userAgentDigest == Self.userAgentMark(of: redemption)
        else { return false }
        guard let first = use.address.flatMap({ NetworkAddress($0) }), let second = redemption.origin.address else {
            return use.address == redemption.origin.address?.description
        }
        return first.family != second.family || first.limitNetwork.contains(second)
    }

    private static func userAgentMark(of redemption: Redemption) -> String? {
        guard !redemption.isByServer else { return LoginTokenUse.serverMark }
        return redemption.origin.userAgent.map { Base64URL.encode(Array(SHA256.hash(data: Array($0.utf8)))) }
    }
}
