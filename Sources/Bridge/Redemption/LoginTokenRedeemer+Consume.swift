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
    func open(_ redemption: Redemption, replacing current: WebSession?) async throws -> RedemptionOutcome {
        let opened = redemption.session(random: random)
        let use = LoginTokenUse(
            at: redemption.at, sessionID: opened.session.id, address: redemption.origin.address?.description,
            userAgentDigest: Self.userAgentMark(of: redemption))
        let outcome = try await store.redeem(
            redemption.claims.issued, opening: opened.session, use: use,
            replacing: current.map { replaced($0, by: redemption) },
            events: redemption.events(opening: opened.session))
        switch outcome {
        case .opened:
            if let current { await sessions.forget(current.id) }
            sessions.remember(opened.session)
            return .landed(location: redemption.landing.location, opened: opened)
        case .alreadyUsed(let first):
            return try await repeated(redemption, use: first)
        case .revoked:
            return try await refusals.refuse(
                .revoked, claims: redemption.claims, origin: redemption.origin, at: redemption.at)
        }
    }

    /// A second use. A double tap is let through without opening anything; anything else is a replay, which ends what
    /// the first use opened: one of the two was not the user, and it cannot be told which.
    ///
    /// A website's server looks the same whoever sent it the token, so neither its use nor one after it is a double tap.
    private func repeated(_ redemption: Redemption, use: LoginTokenUse) async throws -> RedemptionOutcome {
        if !redemption.isByServer, redemption.at - use.at <= Self.doubleTapWindow,
            use.address == redemption.origin.address?.description,
            use.userAgentDigest == Self.userAgentMark(of: redemption)
        {
            return .landed(location: redemption.landing.location, opened: nil)
        }
        let replay = redemption.event(.loginTokenReplayed, .failure, reason: "replayed", sessionID: use.sessionID)
        let ended = try await store.recordReplay(
            of: redemption.claims.id, at: redemption.at,
            endSession: redemption.website.replayResponse == .endSession, replay: replay,
            ended: redemption.event(.webSessionEnded, .success, reason: "token_replayed", sessionID: use.sessionID),
            alwaysTells: try await refusals.admits(replay, about: redemption.claims.id))
        if let ended { await sessions.forget(ended) }
        return try await refusals.count(origin: redemption.origin, at: redemption.at)
    }

    private func replaced(_ current: WebSession, by redemption: Redemption) -> ReplacedSession {
        let isSwitch = current.subject != redemption.claims.subject
        return ReplacedSession(
            id: current.id,
            event: WebSessions.endedEvent(
                current, type: isSwitch ? .webSessionSwitched : .webSessionEnded,
                reason: isSwitch ? "account_switch" : "replaced", origin: redemption.origin, at: redemption.at))
    }

    private static func userAgentMark(of redemption: Redemption) -> String? {
        guard !redemption.isByServer else { return LoginTokenUse.serverMark }
        return redemption.origin.userAgent.map { Base64URL.encode(Array(SHA256.hash(data: Array($0.utf8)))) }
    }
}
