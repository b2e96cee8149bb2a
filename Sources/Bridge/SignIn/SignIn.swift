import OAuth2

/// Signs users in with password and second factor, and opens their browser's session.
package struct SignIn: Sendable {
    /// How long a browser may take from the password to the code.
    static let pendingLifetime = Duration.seconds(300)

    let accounts: any AccountStore
    let desk: PasswordDesk
    let codes: SecondFactorCheck
    let throttle: SignInThrottle
    let opener: SessionOpener
    let refusals: RefusalLog
    let pending: ShortLivedSeal
    let time: TimeSource

    package init(
        accounts: any AccountStore, desk: PasswordDesk, codes: SecondFactorCheck, throttle: SignInThrottle,
        opener: SessionOpener, refusals: RefusalLog, keys: Reloadable<LoginTokenKeyRing>, time: TimeSource = .system
    ) {
        self.accounts = accounts
        self.desk = desk
        self.codes = codes
        self.throttle = throttle
        self.opener = opener
        self.refusals = refusals
        pending = ShortLivedSeal(keys: keys, purpose: "pending sign-in", time: time)
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
        return try await desk.turn {
            let now = time.now()
            if let wait = try await throttle.wait(for: username, guessing: .password, origin: origin, at: now) {
                return .limited(retryAfter: wait)
            }
            let account: Account? = if let username { try await accounts.account(named: username) } else { nil }
            // Longer ones are nobody's, and hashing them would only cost.
            let isHashable = password.expose().utf8.count <= PasswordRules.maximumBytes
            guard try await desk.verify(password, against: isHashable ? account?.passwordHash : nil), let account else {
                return try await refuse(
                    account == nil ? .unknownUser : .wrongPassword, account, username, origin: origin, at: now)
            }
            guard account.disabledAt == nil else {
                return try await refuse(.userDisabled, account, username, origin: origin, at: now)
            }
            try await rehash(password, of: account)
            if account.secondFactor != nil {
                let step = PendingSignIn(
                    subject: account.subject, ground: .password(setAt: account.passwordChangedAt))
                return .needsCode(pending: try seal(step, browser: browser))
            }
            let authentication = Authentication(
                time: now, acr: AuthenticationLevel.oneFactor.rawValue, amr: ["pwd"])
            return try await open(account, authentication, replacing: current, origin: origin, at: now)
        }
    }

    func seal(_ step: PendingSignIn, browser: OpaqueSecret) throws -> String {
        try pending.seal(step.text, binding: browser.digest, lifetime: Self.pendingLifetime)
    }

    func open(
        _ account: Account, _ authentication: Authentication, replacing current: WebSession?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws -> SignInOutcome {
        let opened = try await opener.open(
            for: account.subject, authentication: authentication, provenBy: account.passwordChangedAt,
            replacing: current, origin: origin, at: now)
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
        opened.recognition = account.username.flatMap { username in
            throttle.knownBrowsers?.cookie(knowing: username, besides: origin.recognition, at: now)
        }
        return .signedIn(opened)
    }

    func refuse(
        _ refusal: SignInRefusal, _ account: Account?, _ username: Username?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> SignInOutcome {
        // Past the limit only the limit itself is recorded.
        let guess: SignInThrottle.Guess = refusal == .wrongCode ? .code : .password
        if let wait = try await throttle.count(guess, of: username, origin: origin, at: now) {
            return .limited(retryAfter: wait)
        }
        // The typed name stays out: people type passwords into that field.
        try await refusals.record(
            AuditEvent(
                at: now, type: .userSignInFailed, outcome: .failure, reason: refusal.rawValue,
                subject: account?.subject, origin: origin))
        return refusal == .stale ? .stale : .refused
    }

    private func rehash(_ password: Secret<String>, of account: Account) async throws {
        guard let old = account.passwordHash, old.cost != desk.cost else { return }
        try await accounts.rehashPassword(from: old, to: try await desk.hash(password), of: account.subject)
    }
}
