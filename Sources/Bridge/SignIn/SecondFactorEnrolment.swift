import OAuth2

/// How users set up a second factor, remove it, and get new recovery codes.
///
/// The user must have signed in here a moment ago: a session that was left open, or came from a login token, is
/// not enough to bind an account to another phone (NIST SP 800-63B §6.1.2).
package final class SecondFactorEnrolment: Sendable {
    /// How long ago the sign-in may have been.
    package static let recency = WebSession.signInFreshness
    /// 160 bits, as RFC 4226 §4 recommends.
    package static let secretBytes = 20

    private let accounts: any UserStore
    private let secrets: SecondFactorSecrets
    private let codes: SecondFactorCheck
    private let throttle: SignInThrottle
    private let seal: ShortLivedSeal
    private let refusals: RefusalLog
    private let time: TimeSource
    private let random: RandomSource

    package init(
        accounts: any UserStore, secrets: SecondFactorSecrets, codes: SecondFactorCheck, throttle: SignInThrottle,
        refusals: RefusalLog, keys: Reloadable<SecretKeyRing>, time: TimeSource, random: RandomSource = .system
    ) {
        self.accounts = accounts
        self.secrets = secrets
        self.codes = codes
        self.throttle = throttle
        seal = ShortLivedSeal(keys: keys, purpose: .secondFactorEnrolment, time: time)
        self.refusals = refusals
        self.time = time
        self.random = random
    }

    /// Where a user stands.
    package enum Standing: Sendable {
        /// Signs in elsewhere: there is no password here that a second factor could go with.
        case noPassword
        case notEnrolled(Account)
        case enrolled(Account, recoveryCodesLeft: Int)
    }

    package func standing(of subject: Subject) async throws -> Standing {
        guard let account = try await accounts.account(of: subject), account.passwordHash != nil else {
            return .noPassword
        }
        guard account.secondFactor != nil else { return .notEnrolled(account) }
        return .enrolled(account, recoveryCodesLeft: try await accounts.unusedRecoveryCodes(of: subject))
    }

    /// What the user types in to sign in; `nil` for a user of another issuer.
    package func username(of subject: Subject) async throws -> Username? {
        try await accounts.account(of: subject)?.username
    }

    /// Whether a session was opened by a sign-in at this very browser, recently enough, and not by a phone's key.
    package func isRecent(_ session: WebSession) -> Bool { session.isFreshSignInWithoutPhone(at: time.now()) }

    /// A new secret for the session's user; nothing is stored.
    package func draft(in session: WebSession) throws -> SecondFactorDraft {
        let secret = random.bytes(Self.secretBytes)
        return SecondFactorDraft(
            secret: Secret(secret),
            sealed: try seal.seal(secret, binding: Self.binding(session), lifetime: Self.recency))
    }

    /// The draft of a form that came back; `nil` when it is stale or of another session.
    package func draft(sealed: String, in session: WebSession) -> SecondFactorDraft? {
        seal.open(sealed, binding: Self.binding(session)).map { SecondFactorDraft(secret: Secret($0), sealed: sealed) }
    }

    /// Puts a draft in force when `code` is of it.
    package func enrol(
        _ sealed: String, code: String, session: WebSession, origin: RequestOrigin
    ) async throws -> SecondFactorOutcome {
        let now = time.now()
        guard isRecent(session), let draft = draft(sealed: sealed, in: session) else {
            return try await refuse(.stale, session, origin: origin, at: now)
        }
        let secret = draft.secret.expose()
        guard let account = try await accounts.account(of: session.subject), account.passwordHash != nil,
            account.secondFactor == nil
        else {
            return try await notAdded(secret, session, origin: origin, at: now)
        }
        guard let step = OneTimeCode.matchingStep(typed: code, secret: secret, at: now) else {
            return try await refuse(.wrongCode, session, origin: origin, at: now)
        }
        let codes = RecoveryCode.make(random: random)
        // The code that was shown is used up with it: it cannot be used to sign in afterwards.
        let factor = SecondFactor(sealedSecret: try secrets.seal(secret, for: session.subject), lastStep: step)
        let isAdded = try await accounts.addSecondFactor(
            factor, recoveryDigests: codes.map(\.digest), of: session.subject, in: session.id,
            event: SecondFactorChange.enrolled.event(byUser: session, origin: origin, at: now))
        guard isAdded else { return try await notAdded(secret, session, origin: origin, at: now) }
        let recognition = recognition(knownAs: account, having: factor, origin: origin, at: now)
        return .enrolled(codes, recognition: recognition)
    }

    /// Tells a form that came twice, perhaps at the same time, from one that another factor has overtaken.
    private func notAdded(
        _ secret: [UInt8], _ session: WebSession, origin: RequestOrigin, at now: Timestamp
    ) async throws -> SecondFactorOutcome {
        let isRepeated = try await isInForce(secret, of: session.subject)
        let outcome = try await refuse(.conflict, session, origin: origin, at: now)
        return isRepeated ? .enrolledBefore : outcome
    }

    /// Whether a draft is what the user has already: its form came again, as when the page of the recovery codes is
    /// loaded once more, or after a double click.
    private func isInForce(_ secret: [UInt8], of subject: Subject) async throws -> Bool {
        guard let factor = try await accounts.account(of: subject)?.secondFactor,
            let known = try? secrets.open(factor.sealedSecret, for: subject)
        else { return false }
        return ConstantTime.equals(bytes: known, secret)
    }

    /// Removes the factor, for a user who has it or a recovery code.
    package func remove(
        code: String, session: WebSession, origin: RequestOrigin
    ) async throws -> SecondFactorOutcome {
        try await withCode(code, session: session, origin: origin) { account, now in
            let isRemoved = try await accounts.removeSecondFactor(
                of: session.subject, event: SecondFactorChange.removed.event(byUser: session, origin: origin, at: now))
            guard isRemoved else { return try await refuse(.conflict, session, origin: origin, at: now) }
            return .removed(recognition: recognition(knownAs: account, having: nil, origin: origin, at: now))
        }
    }

    /// New recovery codes; the old ones are worth nothing from then on.
    package func renewRecoveryCodes(
        code: String, session: WebSession, origin: RequestOrigin
    ) async throws -> SecondFactorOutcome {
        try await withCode(code, session: session, origin: origin) { _, now in
            let codes = RecoveryCode.make(random: random)
            let isReplaced = try await accounts.replaceRecoveryCodes(
                codes.map(\.digest), of: session.subject,
                event: SecondFactorChange.recoveryCodesRenewed.event(byUser: session, origin: origin, at: now))
            return isReplaced
                ? .recoveryCodes(codes) : try await refuse(.conflict, session, origin: origin, at: now)
        }
    }

    /// Codes are guessed at here as little as at the sign-in: they count against the same limits. Each counts before it
    /// is looked at, right or wrong, so that no number of requests at once gets a guess more.
    private func withCode(
        _ code: String, session: WebSession, origin: RequestOrigin,
        _ change: (Account, Timestamp) async throws -> SecondFactorOutcome
    ) async throws -> SecondFactorOutcome {
        let now = time.now()
        guard isRecent(session) else { return try await refuse(.stale, session, origin: origin, at: now) }
        guard let account = try await accounts.account(of: session.subject), account.secondFactor != nil else {
            return try await refuse(.conflict, session, origin: origin, at: now)
        }
        if let wait = try await throttle.count(.code, of: account.username, account, origin: origin, at: now) {
            return .limited(retryAfter: wait)
        }
        let attempt = CodeAttempt(code: code, session: session.id, origin: origin, at: now)
        guard try await codes.accepts(attempt, for: account) else {
            return try await refuse(.wrongCode, session, origin: origin, at: now)
        }
        return try await change(account, now)
    }

    /// By what the browser stays known in which the user has just changed the factor, and shown a code of it.
    /// - Parameters:
    ///   - account: as it was before.
    ///   - factor: which it has now.
    private func recognition(
        knownAs account: Account, having factor: SecondFactor?, origin: RequestOrigin, at now: Timestamp
    ) -> Secret<String>? {
        var changed = account
        changed.secondFactor = factor
        return throttle.knownBrowsers.cookie(
            knowing: changed, knownBefore: account, showsFactor: factor != nil, in: origin.recognition, at: now)
    }

    private func refuse(
        _ refusal: SecondFactorRefusal, _ session: WebSession, origin: RequestOrigin, at now: Timestamp
    ) async throws -> SecondFactorOutcome {
        try await refusals.record(
            AuditEvent(
                at: now, type: .userSecondFactorChanged, outcome: .failure, reason: refusal.rawValue,
                subject: session.subject, sessionID: session.id, origin: origin),
            within: .network("audit.second_factor", of: origin, and: session.subject.rawValue, perMinute: 10))
        return refusal.outcome
    }

    private static func binding(_ session: WebSession) -> String {
        "\(session.id.rawValue) \(session.subject.rawValue)"
    }
}

/// Why nothing was changed: the reason in the audit log.
enum SecondFactorRefusal: String, CaseIterable {
    case wrongCode = "wrong_code"
    case stale, conflict

    var outcome: SecondFactorOutcome {
        switch self {
        case .wrongCode: .wrongCode
        case .stale: .stale
        case .conflict: .conflict
        }
    }
}

/// The outcome of a user's change to their second factor.
package enum SecondFactorOutcome: Sendable {
    /// In force. The recovery codes are shown now and never again.
    /// - Parameter recognition: by what the browser stays known (``KnownBrowsers``); `nil` for one that was not.
    case enrolled([RecoveryCode], recognition: Secret<String>?)
    /// It is in force by this very draft, whose recovery codes were shown.
    case enrolledBefore
    case recoveryCodes([RecoveryCode])
    /// - Parameter recognition: as at ``enrolled(_:recognition:)``.
    case removed(recognition: Secret<String>?)
    /// The code is wrong or was used before.
    case wrongCode
    /// The page was open for too long; a new secret is needed.
    case stale
    /// It is not as the page said: another tab or browser was first.
    case conflict
    case limited(retryAfter: Duration)
}
