/// How users set up a second factor, remove it, and get new recovery codes.
///
/// Whoever does so must have signed in here a moment ago: a session that was left open, or came from a login token, is
/// not enough to bind an account to another phone (NIST SP 800-63B §6.1.2).
package struct SecondFactorEnrolment: Sendable {
    /// How long ago the sign-in may have been.
    package static let recency = WebSession.signInFreshness
    /// 160 bits, as RFC 4226 §4 recommends.
    static let secretBytes = 20

    private let accounts: any AccountStore
    private let secrets: SecondFactorSecrets
    private let desk: PasswordDesk
    private let check: SecondFactorCheck
    private let throttle: SignInThrottle
    private let seal: ShortLivedSeal
    private let refusals: RefusalLog
    private let time: TimeSource
    private let random: RandomSource

    package init(
        accounts: any AccountStore, secrets: SecondFactorSecrets, desk: PasswordDesk, throttle: SignInThrottle,
        refusals: RefusalLog,
        keys: Reloadable<LoginTokenKeyRing>, time: TimeSource = .system, random: RandomSource = .system
    ) {
        self.accounts = accounts
        self.secrets = secrets
        self.desk = desk
        check = SecondFactorCheck(accounts: accounts, secrets: secrets)
        self.throttle = throttle
        seal = ShortLivedSeal(keys: keys, purpose: "second factor enrolment", time: time)
        self.refusals = refusals
        self.time = time
        self.random = random
    }

    /// Where a user stands.
    package enum Standing: Sendable {
        /// Signs in elsewhere: there is no password here that a second factor could stand beside.
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

    /// Whether a session was opened by a sign-in at this very browser, recently enough.
    package func isRecent(_ session: WebSession) -> Bool { session.isFreshSignIn(at: time.now()) }

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
        guard isRecent(session), let draft = draft(sealed: sealed, in: session) else { return .stale }
        guard let account = try await accounts.account(of: session.subject), account.passwordHash != nil,
            account.secondFactor == nil
        else { return .conflict }
        let secret = draft.secret.expose()
        guard let step = OneTimeCode.matchingStep(code.filter { $0 != " " }, secret: secret, at: now) else {
            return .wrongCode
        }
        let codes = RecoveryCode.make(random: random)
        // The code that was shown is used up with it: it signs nobody in afterwards.
        let factor = SecondFactor(sealedSecret: try secrets.seal(secret, for: session.subject), lastStep: step)
        let isAdded = try await accounts.addSecondFactor(
            factor, recoveryDigests: codes.map(\.digest), of: session.subject,
            event: SecondFactorChange.enrolled.event(byUser: session, origin: origin, at: now))
        return isAdded ? .enrolled(codes) : .conflict
    }

    /// Removes the factor, for whoever has it or a recovery code.
    package func remove(
        code: String, session: WebSession, origin: RequestOrigin
    ) async throws -> SecondFactorOutcome {
        try await withCode(code, session: session, origin: origin) { now in
            let isRemoved = try await accounts.removeSecondFactor(
                of: session.subject, event: SecondFactorChange.removed.event(byUser: session, origin: origin, at: now))
            return isRemoved ? .removed : .conflict
        }
    }

    /// New recovery codes; the old ones are worth nothing from then on.
    package func renewRecoveryCodes(
        code: String, session: WebSession, origin: RequestOrigin
    ) async throws -> SecondFactorOutcome {
        try await withCode(code, session: session, origin: origin) { now in
            let codes = RecoveryCode.make(random: random)
            let isReplaced = try await accounts.replaceRecoveryCodes(
                codes.map(\.digest), of: session.subject,
                event: SecondFactorChange.recoveryCodesRenewed.event(byUser: session, origin: origin, at: now))
            return isReplaced ? .recoveryCodes(codes) : .conflict
        }
    }

    /// Codes are guessed at here as little as at the sign-in: they count against the same limits. Each counts before it
    /// is looked at, right or wrong, so that no number of requests at once gets a guess more.
    private func withCode(
        _ code: String, session: WebSession, origin: RequestOrigin,
        _ change: @escaping @Sendable (Timestamp) async throws -> SecondFactorOutcome
    ) async throws -> SecondFactorOutcome {
        let now = time.now()
        guard isRecent(session) else { return .stale }
        return try await desk.turn {
            guard let account = try await accounts.account(of: session.subject), account.secondFactor != nil else {
                return .conflict
            }
            if let wait = try await throttle.count(.code, of: account.username, origin: origin, at: now) {
                return .limited(retryAfter: wait)
            }
            guard try await check.accepts(code, for: account, at: now) else {
                try await refusals.record(
                    AuditEvent(
                        at: now, type: .userSecondFactorChanged, outcome: .failure,
                        reason: SignInRefusal.wrongCode.rawValue, subject: session.subject, sessionID: session.id,
                        origin: origin))
                return .wrongCode
            }
            return try await change(now)
        }
    }

    private static func binding(_ session: WebSession) -> String {
        "\(session.id.rawValue) \(session.subject.rawValue)"
    }
}
