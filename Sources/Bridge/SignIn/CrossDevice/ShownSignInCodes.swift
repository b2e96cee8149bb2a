import OAuth2

/// Digits that a phone shows and a computer's user types next to the user name, where nothing can be scanned (contract
/// §9). An unknown user, no code and a wrong one are one answer.
package final class ShownSignInCodes: Sendable {
    private let codes: ShownCodeRecords
    private let approvers: PhoneApprovers
    private let opener: SessionOpener
    /// `nil` where an approval leads to no website elsewhere.
    private let handOffs: HandOffs?
    private let accounts: any UserStore
    private let log: CrossDeviceLog
    private let time: TimeSource
    private let random: RandomSource

    package init(
        codes: ShownCodeRecords, approvers: PhoneApprovers, opener: SessionOpener, handOffs: HandOffs? = nil,
        accounts: any UserStore, log: CrossDeviceLog, time: TimeSource, random: RandomSource = .system
    ) {
        self.codes = codes
        self.approvers = approvers
        self.opener = opener
        self.handOffs = handOffs
        self.accounts = accounts
        self.log = log
        self.time = time
        self.random = random
    }

    /// The outcome of digits that a phone showed and a browser's user typed in (contract §9).
    package enum Outcome: Sendable {
        case signedIn(OpenedSession)
        /// As ``PhoneSignInConfirmation/handedOn(_:of:)``.
        case handedOn(LoginTokenAnswer, of: Subject)
        /// As ``PhoneSignInConfirmation/notEnough``.
        case notEnough
        /// What was typed cannot be the digits, and was not an attempt, whichever user it was for.
        case noDigits
        case refused
        case limited(retryAfter: Duration)
    }

    /// New digits for the bearer's user; those before are gone.
    /// - Throws: `OAuthError`, which is recorded: `access_denied` for a user who has no user name to type beside them,
    ///   as one whom a phone's key or an upstream provider signs in; ``StorageError``.
    package func show(bearer: BearerIdentity, origin: RequestOrigin) async throws -> ShownDigits {
        let now = time.now()
        let phone = try await approvers.phone(of: bearer, isFresh: true, origin: origin, at: now)
        guard try await accounts.account(of: phone.subject)?.username != nil else {
            try await log.recordRefusal(.noUserName, of: phone, origin: origin, at: now)
            throw OAuthError(
                .accessDenied, "this user has no user name to type beside the digits", detail: .noUserName)
        }
        let digits = Secret(random.sixDigits())
        try await codes.put(
            digits, of: phone, network: PhoneApprovers.network(of: origin.address)?.description, at: now)
        try await log.record(.crossDeviceCodeShown, by: phone, origin: origin, at: now)
        return ShownDigits(digits: digits, expiresIn: ShownCode.lifetime.roundedUpSeconds)
    }

    /// Signs a browser in by a user's live code.
    /// - Parameters:
    ///   - handOff: what the browser is to go on to at a website elsewhere, where it is.
    ///   - current: the browser's session, which the new one takes the place of.
    package func use(
        _ typed: String, of username: String, for handOff: HandOffs.Request? = nil, replacing current: WebSession?,
        origin: RequestOrigin
    ) async throws -> Outcome {
        let now = time.now()
        if let wait = try await log.blocked(origin, at: now) { return .limited(retryAfter: wait) }
        let username = Username(username)
        let keys = log.limits.shownCodeKeys(username, origin: origin)
        if let wait = try await log.gate.peek(keys, origin: origin, at: now).retryAfter {
            return .limited(retryAfter: wait)
        }
        guard let digits = SixDigits.read(typed) else { return .noDigits }
        let account: Account? = if let username { try await accounts.account(named: username) } else { nil }
        // No user's subject: the store is asked all the same.
        let subject = account?.subject ?? Subject(rawValue: "nobody \(username?.key ?? "")")
        let code: ShownCode
        switch try await codes.take(digits, of: subject, at: now) {
        case .right(let taken): code = taken
        case .wrong:
            return try await refuse(.wrongCode, account?.subject, keys, byAnybody: true, origin: origin, at: now)
        case .usedBefore:
            return try await refuse(.usedBefore, account?.subject, keys, byAnybody: true, origin: origin, at: now)
        }
        let phone = code.phone
        let network = PhoneApprovers.network(of: origin.address)?.description
        guard !approvers.requiresSameNetwork || network != nil && network == code.network else {
            return try await refuse(.otherNetwork, phone.subject, keys, origin: origin, at: now)
        }
        let app: AppSession
        switch try await approvers.standing(of: phone, since: code.shownAt, at: now) {
        case .good(let session): app = session
        case .over(let reason): return try await refuse(reason, phone.subject, keys, origin: origin, at: now)
        }
        if let handOff {
            if let link = try await handOffs?.link(
                for: handOff, approvedIn: app, scope: phone.scope, detail: nil, origin: origin)
            {
                return .handedOn(link, of: app.subject)
            }
            if current?.handsOnMore(than: app, at: now) == true { return .notEnough }
        }
        guard
            let opened = try await opener.openApproved(
                by: app, scope: phone.scope, replacing: current, origin: origin, at: now)
        else { return try await refuse(.sessionEnded, phone.subject, keys, origin: origin, at: now) }
        return .signedIn(opened)
    }

    /// - Parameter isByAnybody: whether no live code was typed, so that whether it is written must not depend on
    ///   whether there is such a user.
    private func refuse(
        _ reason: RefusalReason, _ subject: Subject?, _ keys: [RateLimitKey], byAnybody isByAnybody: Bool = false,
        origin: RequestOrigin, at now: Timestamp
    ) async throws -> Outcome {
        if let wait = try await log.gate.take(keys, origin: origin, at: now).retryAfter {
            return .limited(retryAfter: wait)
        }
        try await log.recordRefusal(reason, subject: subject, byAnybody: isByAnybody, origin: origin, at: now)
        return .refused
    }
}
