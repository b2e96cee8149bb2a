import OAuth2

/// Uses login tokens up, each once: opens the session, and says what a second use comes to (contract §4.3).
package final class SingleUse: Sendable {
    /// A repeat this soon from the same browser is a double tap whose cookie is still on its way.
    private static let doubleTapWindow = Duration.seconds(3)

    let store: any LoginTokenStore
    private let replayGuard: any ReplayGuard
    private let sessions: WebSessions
    private let endings: SessionEndings
    private let attempts: UnconfirmedAttempts
    private let refusals: RedemptionRefusals
    private let random: RandomSource

    package init(
        store: any LoginTokenStore, replayGuard: any ReplayGuard, sessions: WebSessions, endings: SessionEndings,
        attempts: UnconfirmedAttempts, refusals: RedemptionRefusals, random: RandomSource = .system
    ) {
        self.store = store
        self.replayGuard = replayGuard
        self.sessions = sessions
        self.endings = endings
        self.attempts = attempts
        self.refusals = refusals
        self.random = random
    }

    /// Uses up a token that every check has passed, unless it was used before or another user is signed in here.
    func use(_ redemption: Redemption, _ candidate: RedemptionCandidate) async throws -> RedemptionOutcome {
        let held = candidate.held
        let left = candidate.allLeft
        let replaced = redemption.replaced(of: held + left, current: candidate.current ?? candidate.left)
        if case .browser(let own) = redemption.issuing, replaced.contains(where: { $0.id == own.id }) {
            return try await goOn(redemption, with: own)
        }
        let isOfAnother = { (session: WebSession) in session.subject != redemption.claims.subject }
        if let other = held.first(where: isOfAnother), !candidate.confirmsSwitch {
            // Asking consumes nothing, so it must not claim the token either.
            if let outcome = try await outcomeOfKnownState(redemption) { return outcome }
            return .switchAccount(current: other.subject, proposed: redemption.claims.subject)
        }
        let (id, expiry) = (redemption.claims.id, redemption.claims.expiresAt)
        if try await replayGuard.claim(id, until: expiry, at: redemption.at) == .claimedBefore,
            let outcome = try await outcomeOfKnownState(redemption)
        {
            return outcome
        }
        return try await open(redemption, replacing: replaced + (held + left).filter(isOfAnother))
    }

    /// Uses up a link that came back to its portal, in the same browser: the session that it was issued from answers
    /// here, and a session under it would take its place.
    private func goOn(_ redemption: Redemption, with own: WebSession) async throws -> RedemptionOutcome {
        let event = redemption.event(
            .loginTokenRevoked, .success, reason: LoginTokenRevocation.signedInHere.rawValue, sessionID: own.id)
        if case .alreadyUsed = try await store.revoke(redemption.claims.issued, at: redemption.at, event: event),
            let outcome = try await outcomeOfKnownState(redemption)
        {
            return outcome
        }
        return .landed(location: redemption.landing.location, opened: nil)
    }

    /// What is known of a token that the guard has seen before, or that is about to be asked about.
    /// - Returns: `nil` while it is unused.
    private func outcomeOfKnownState(_ redemption: Redemption) async throws -> RedemptionOutcome? {
        switch try await store.state(of: redemption.claims.id)?.status {
        case .redeemed(let use):
            if let opened = try await attempts.opened(by: redemption.retry) {
                .landed(location: redemption.landing.location, opened: opened)
            } else {
                try await repeated(redemption, use: use)
            }
        case .revoked:
            try await refusals.refuse(
                .revoked, claims: redemption.claims, origin: redemption.origin, at: redemption.at)
        case .pending, nil: nil
        }
    }

    /// Consumes the token and opens the session, in one transaction; the store says who was first.
    private func open(_ redemption: Redemption, replacing replaced: [WebSession]) async throws -> RedemptionOutcome {
        let opened = redemption.session(random: random)
        let use = LoginTokenUse(
            at: redemption.at, sessionID: opened.session.id, address: redemption.origin.addressText,
            userAgentDigest: Self.userAgentMark(of: redemption))
        switch try await redeem(redemption, opening: opened, use: use, replacing: replaced) {
        case .opened: return await landed(redemption, opened, replacing: replaced)
        // This very attempt, whose first answer was lost; what has ended since is not given back (contract §16.5).
        case .alreadyUsed(let first) where first.sessionID == opened.session.id:
            guard let stored = try await sessions.peek(first.sessionID) else {
                return try await repeated(redemption, use: first)
            }
            var confirmed = OpenedSession(session: stored, secret: opened.secret)
            confirmed.refresh = opened.refresh
            return await landed(redemption, confirmed, replacing: replaced)
        case .alreadyUsed(let first): return try await repeated(redemption, use: first)
        case .revoked:
            return try await refusals.refuse(
                .revoked, claims: redemption.claims, origin: redemption.origin, at: redemption.at)
        }
    }

    /// What cannot be found out by asking once more is left to the browser's next attempt.
    private func redeem(
        _ redemption: Redemption, opening opened: OpenedSession, use: LoginTokenUse, replacing replaced: [WebSession]
    ) async throws -> LoginTokenRedeemOutcome {
        do {
            return try await StorageError.askingAgain { _ in
                try await store.redeem(
                    redemption.claims.issued, opening: opened.session, refreshDigest: opened.refresh?.digest, use: use,
                    replacing: replaced.map {
                        ReplacedSession($0, by: redemption.claims.subject, origin: redemption.origin, at: redemption.at)
                    },
                    events: redemption.events(opening: opened.session))
            }
        } catch is StorageError {
            throw try attempts.undecided(redemption, opening: opened)
        }
    }

    private func landed(
        _ redemption: Redemption, _ opened: OpenedSession, replacing replaced: [WebSession]
    ) async -> RedemptionOutcome {
        await sessions.forget(replaced.map(\.id))
        sessions.remember(opened.session)
        return .landed(location: redemption.landing.location, opened: opened)
    }

    /// A second use. A double tap is let through without opening anything; anything else is a replay, which ends what
    /// the first use opened: one of the two was not the user, and it cannot be told which.
    ///
    /// A website's server looks the same whichever browser sent it the token, so neither its use nor one after it is a
    /// double tap.
    private func repeated(_ redemption: Redemption, use: LoginTokenUse) async throws -> RedemptionOutcome {
        if let outcome = try await doubleTap(redemption, after: use) { return outcome }
        return try await replayed(redemption, after: use)
    }

    /// A second use of a token that would not be redeemed any more, for a reason that came up since the first.
    /// - Returns: `nil` where there was no first one, or this is a double tap: nothing ends then.
    func replay(_ redemption: Redemption) async throws -> RedemptionOutcome? {
        guard case .redeemed(let use) = try await store.state(of: redemption.claims.id)?.status,
            !isDoubleTap(redemption, after: use)
        else { return nil }
        return try await replayed(redemption, after: use)
    }

    /// Ends what the first use opened, as far as the website wants that, and writes the replay down.
    private func replayed(_ redemption: Redemption, after use: LoginTokenUse) async throws -> RedemptionOutcome {
        let ending = Ending(
            at: redemption.at, reason: .tokenReplayed, origin: redemption.origin, extent: .descendants)
        let replay = redemption.event(
            .loginTokenReplayed, .failure, reason: RedemptionRefusal.replayed.rawValue, sessionID: use.sessionID)
        let isAdmitted = try await refusals.admits(replay, about: redemption.claims.id)
        let ended = try await store.recordReplay(
            of: redemption.claims.id, replay: replay,
            ending: redemption.website.replayResponse == .endSession ? ending : nil, alwaysTells: isAdmitted)
        if ended.isEmpty, !isAdmitted { refusals.countLeftOut(replay) }
        await endings.take(in: ended)
        return try await refusals.count(origin: redemption.origin, at: redemption.at)
    }

    /// - Returns: `nil` where it is none.
    func doubleTap(_ redemption: Redemption, after use: LoginTokenUse) async throws -> RedemptionOutcome? {
        guard isDoubleTap(redemption, after: use) else { return nil }
        try await refusals.recordRepeat(
            redemption.event(.loginTokenRepeated, .success, sessionID: use.sessionID), of: redemption.claims.id)
        return .landed(location: redemption.landing.location, opened: nil)
    }

    /// The use of a token that has run out since, as long as a double tap may still follow it. Later an expired token
    /// costs no look into the database.
    func useJustBefore(_ candidate: RedemptionCandidate) async throws -> LoginTokenUse? {
        guard candidate.at - candidate.claims.expiresAt <= Self.doubleTapWindow,
            case .redeemed(let use) = try await store.state(of: candidate.claims.id)?.status
        else { return nil }
        return use
    }

    /// A tap soon after by the same browser, whose cookie is still on its way: from the same network, or from the other
    /// address family, between which phones flip.
    private func isDoubleTap(_ redemption: Redemption, after use: LoginTokenUse) -> Bool {
        guard !redemption.isByServer, redemption.at - use.at <= Self.doubleTapWindow,
            use.userAgentDigest == Self.userAgentMark(of: redemption)
        else { return false }
        guard let first = use.address.flatMap({ NetworkAddress($0) }), let second = redemption.origin.address else {
            return use.address == redemption.origin.addressText
        }
        return first.family != second.family || first.limitNetwork.contains(second)
    }

    private static func userAgentMark(of redemption: Redemption) -> String? {
        guard !redemption.isByServer else { return LoginTokenUse.serverMark }
        return redemption.origin.userAgent.map { SHA256Hash(of: $0).base64URL }
    }
}
