import OAuth2

/// Signs users in with password and second factor, and opens their browser's session.
package final class SignIn: Sendable {
    /// How long a browser may take from the password to the code.
    private static let pendingLifetime = Duration.seconds(300)

    private let accounts: any UserStore
    private let hasher: PasswordHasher
    private let codes: SecondFactorCheck
    private let throttle: SignInThrottle
    let opener: SessionOpener
    private let refusals: RefusalLog
    private let pending: ShortLivedSeal
    private let time: TimeSource

    package init(
        accounts: any UserStore, hasher: PasswordHasher, codes: SecondFactorCheck, throttle: SignInThrottle,
        opener: SessionOpener, refusals: RefusalLog, keys: Reloadable<SecretKeyRing>, time: TimeSource
    ) {
        self.accounts = accounts
        self.hasher = hasher
        self.codes = codes
        self.throttle = throttle
        self.opener = opener
        self.refusals = refusals
        pending = ShortLivedSeal(keys: keys, purpose: .pendingSignIn, time: time)
        self.time = time
    }

    /// Checks username and password.
    ///
    /// Unknown users cost the same time and get the same answer as a wrong password does.
    /// - Parameters:
    ///   - browser: the browser's form binding; the next step must come from the same one.
    ///   - replacing: the session that this browser holds, which the new one takes the place of.
    /// - Throws: ``StorageError`` when it cannot be decided now, or too many wait.
    package func attempt(
        username: String, password: Secret<String>, browser: OpaqueSecret, replacing current: WebSession?,
        origin: RequestOrigin
    ) async throws -> SignInOutcome {
        let username = Username(username)
        let began = time.now()
        // Ahead of the turn: a caller over the limit takes no place in the queue.
        let account = try await holder(of: username)
        let spent = try await throttle.excessOfRight(of: username, account, origin: origin, at: began)
        if let excess = spent {
            return .limited(retryAfter: try await throttle.tell(excess, origin: origin, at: began))
        }
        let verdict = try await hasher.turn { try await judge(password, of: username, origin: origin) }
        // Whatever is committed comes after the turn, which others wait for.
        let now = time.now()
        switch verdict {
        case .limited(let excess):
            return .limited(retryAfter: try await throttle.tell(excess, origin: origin, at: now))
        case .refused(let refusal, let account):
            return try await record(refusal, account, byAnybody: true, origin: origin, at: now)
        case .right(let account, let renewed):
            if let old = account.passwordHash, let renewed {
                try await accounts.rehashPassword(from: old, to: renewed, of: account.subject)
            }
            if account.secondFactor != nil {
                let step = PendingSignIn(
                    subject: account.subject,
                    ground: .password(setAt: account.passwordChangedAt, after: account.lastEnd))
                return .needsCode(pending: try seal(step, browser: browser))
            }
            let authentication = Authentication(
                time: now, acr: AuthenticationLevel.oneFactor.rawValue, amr: [Authentication.password])
            return try await open(account, authentication, replacing: current, origin: origin, at: now)
        }
    }

    /// What a password came to, before anything of it is written.
    private enum Verdict: Sendable {
        /// - Parameter renewed: the same password's hash at today's cost, if it has another.
        case right(Account, renewed: PasswordHash?)
        /// Counted already.
        case refused(SignInRefusal, Account?)
        case limited(SignInThrottle.Excess)
    }

    /// Looks at a password. It asks the limits, hashes and counts in one turn: of many guesses at once no more get past
    /// the limits than are hashed at once.
    private func judge(
        _ password: Secret<String>, of username: Username?, origin: RequestOrigin
    ) async throws -> Verdict {
        let now = time.now()
        // The account may have changed while this waited for its turn.
        let account = try await holder(of: username)
        let excess = try await throttle.excess(
            for: username, of: account, guessing: .password, origin: origin, at: now)
        if let excess { return .limited(excess) }
        // Once more: many of those who waited along with this one may have been right meanwhile.
        if let excess = try await throttle.excessOfRight(of: username, account, origin: origin, at: now) {
            return .limited(excess)
        }
        // Longer ones are no user's, and hashing them would only cost.
        let isHashable = password.expose().utf8.count <= PasswordRules.maximumBytes
        let isRight = try await hasher.verify(password, against: isHashable ? account?.passwordHash : nil)
        guard isRight, let account, account.disabledAt == nil else {
            let refusal: SignInRefusal =
                account == nil ? .unknownUser : isRight ? .userDisabled : .wrongPassword
            // Past the limit only the limit itself is recorded.
            if let excess = try await throttle.take(.password, of: username, account, origin: origin, at: now) {
                return .limited(excess)
            }
            return .refused(refusal, account)
        }
        if let excess = try await throttle.takeRight(of: username, account, origin: origin, at: now) {
            return .limited(excess)
        }
        let isOfToday = account.passwordHash?.cost == hasher.cost
        return .right(account, renewed: isOfToday ? nil : try await hasher.hash(password))
    }

    /// The account of a name that was typed in.
    private func holder(of username: Username?) async throws -> Account? {
        guard let username else { return nil }
        return try await accounts.account(named: username)
    }

    func seal(_ step: PendingSignIn, browser: OpaqueSecret) throws -> String {
        try pending.seal(step.text, binding: browser.digest, lifetime: Self.pendingLifetime)
    }

    func open(
        _ account: Account, _ authentication: Authentication, replacing current: WebSession?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws -> SignInOutcome {
        let opened = try await opener.open(
            for: account.subject, authentication: authentication,
            provenBy: .password(setAt: account.passwordChangedAt, after: account.lastEnd), replacing: current,
            origin: origin, at: now)
        return try await signedIn(opened, account, origin: origin, at: now)
    }

    /// - Parameter opened: `nil` when in this very moment the user was disabled or given another password, or the
    ///   session ended.
    func signedIn(
        _ opened: OpenedSession?, _ account: Account, origin: RequestOrigin, at now: Timestamp
    ) async throws -> SignInOutcome {
        guard var opened else {
            let isDisabled = try await accounts.account(of: account.subject)?.disabledAt != nil
            return try await refuse(
                isDisabled ? .userDisabled : .stale, account, account.username, origin: origin, at: now)
        }
        opened.recognition = throttle.knownBrowsers.cookie(
            knowing: account, isOfTwoFactors: opened.session.authentication.hasTwoFactors,
            besides: origin.recognition, at: now)
        return .signedIn(opened)
    }

    func refuse(
        _ refusal: SignInRefusal, _ account: Account?, _ username: Username?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> SignInOutcome {
        // Past the limit only the limit itself is recorded.
        if let wait = try await throttle.count(.password, of: username, account, origin: origin, at: now) {
            return .limited(retryAfter: wait)
        }
        return try await record(refusal, account, origin: origin, at: now)
    }

    /// Records a refusal that is counted already.
    /// - Parameter isByAnybody: whether nothing but a name and a guess led to it, so that whether it is written must
    ///   not depend on whether there is such a user.
    private func record(
        _ refusal: SignInRefusal, _ account: Account?, byAnybody isByAnybody: Bool = false, origin: RequestOrigin,
        at now: Timestamp
    ) async throws -> SignInOutcome {
        // The typed name stays out: people type passwords into that field.
        try await refusals.record(
            AuditEvent(
                at: now, type: .userSignInFailed, outcome: .failure, reason: refusal.rawValue,
                subject: account?.subject, origin: origin),
            byAnybody: isByAnybody)
        return refusal == .stale ? .stale : .refused
    }
}

/// The step of the code: after the password, or alone where only the second factor is missing.
extension SignIn {
    /// Begins a sign-in by code alone, which raises a session that was opened with the password (``MissingProof``).
    /// - Parameters:
    ///   - session: the browser's session; the code counts for this one only.
    ///   - browser: the browser's form binding; the code must come from the same one.
    /// - Returns: what ``confirm(pending:code:browser:replacing:origin:)`` takes; opens nothing by itself.
    package func raise(_ session: WebSession, browser: OpaqueSecret) throws -> String {
        try seal(PendingSignIn(subject: session.subject, ground: .session(session.id)), browser: browser)
    }

    /// Checks the code that an authenticator app shows, or a recovery code.
    /// - Parameters:
    ///   - pending: from ``SignInOutcome/needsCode(pending:)`` or ``raise(_:browser:)``.
    ///   - current: the session that this browser holds.
    package func confirm(
        pending text: String, code: String, browser: OpaqueSecret, replacing current: WebSession?,
        origin: RequestOrigin
    ) async throws -> SignInOutcome {
        guard let step = pending.open(text, binding: browser.digest).flatMap({ PendingSignIn($0) }) else {
            return try await refuse(.stale, nil, nil, origin: origin, at: time.now())
        }
        let now = time.now()
        guard let account = try await accounts.account(of: step.subject) else {
            return try await refuse(.stale, nil, nil, origin: origin, at: now)
        }
        guard account.disabledAt == nil else {
            return try await refuse(.userDisabled, account, account.username, origin: origin, at: now)
        }
        // Before the code is looked at, which would use it up.
        guard try await isGood(step, account, current) else {
            return try await refuse(.stale, account, account.username, origin: origin, at: now)
        }
        let verdict = try await throttle.code(of: account, origin: origin, at: now) {
            try await codes.accepts(CodeAttempt(code: code, session: nil, origin: origin, at: now), for: account)
        }
        switch verdict {
        case .limited(let wait): return .limited(retryAfter: wait)
        case .wrong: return try await record(.wrongCode, account, origin: origin, at: now)
        case .right: break
        }
        if case .session = step.ground, let current {
            return try await raise(current, of: account, origin: origin, at: now)
        }
        let authentication = Authentication(
            time: now, acr: AuthenticationLevel.twoFactors.rawValue,
            amr: [Authentication.password] + Self.codeMethods)
        return try await open(account, authentication, replacing: current, origin: origin, at: now)
    }

    /// Whether what a code is to complete still stands: the password is the account's, or the session that it raises is
    /// the browser's own, the same user's, and live.
    private func isGood(_ step: PendingSignIn, _ account: Account, _ current: WebSession?) async throws -> Bool {
        switch step.ground {
        case .password(let setAt, let end):
            return setAt == account.passwordChangedAt && !account.hasEnded(since: end)
        case .session(let id):
            guard let current, current.id == id, current.subject == step.subject, current.canBeRaised else {
                return false
            }
            return try await opener.isAlive(current)
        }
    }

    /// What a code adds to the methods of a sign-in.
    private static let codeMethods = [Authentication.oneTimeCode, Authentication.multipleFactors]

    private func raise(
        _ current: WebSession, of account: Account, origin: RequestOrigin, at now: Timestamp
    ) async throws -> SignInOutcome {
        let methods = current.authentication.amr
        let authentication = Authentication(
            // The password's time stays: a code must not make an old sign-in look fresh to `max_age`.
            time: current.authentication.time, acr: AuthenticationLevel.twoFactors.rawValue,
            amr: methods + Self.codeMethods.filter { !methods.contains($0) })
        let opened = try await opener.raise(current, to: authentication, origin: origin, at: now)
        return try await signedIn(opened, account, origin: origin, at: now)
    }
}

/// What an attempt to sign in came to.
package enum SignInOutcome: Sendable {
    /// A new session, always with a new id.
    case signedIn(OpenedSession)
    /// The password was right, and a code is needed.
    /// - Parameter pending: for the next page's form; opens nothing by itself.
    case needsCode(pending: String)
    case refused
    /// The step before was too long ago, or is not this browser's: it has to begin again.
    case stale
    /// Too many failures; also for the right password, or guessing would go on. Or too many right passwords.
    case limited(retryAfter: Duration)
}

/// Why a sign-in failed: for audit and log. The page says one thing for all of them.
enum SignInRefusal: String, Sendable, CaseIterable {
    case unknownUser = "unknown_user"
    case wrongPassword = "wrong_password"
    case userDisabled = "user_disabled"
    /// The one-time or recovery code was wrong or used before.
    case wrongCode = "wrong_code"
    /// The page was open too long before the code, belongs to another browser, or its session has ended.
    case stale
}
