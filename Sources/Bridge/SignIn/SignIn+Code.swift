import OAuth2

/// The step of the code: behind the password, or alone where only the second factor is missing.
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
        return try await desk.turn {
            let now = time.now()
            // Read when its turn has come: it may have waited, and the account may have changed.
            guard let account = try await accounts.account(of: step.subject) else {
                return try await refuse(.stale, nil, nil, origin: origin, at: now)
            }
            if let wait = try await throttle.wait(
                for: account.username, guessing: .code, origin: origin, at: now)
            {
                return .limited(retryAfter: wait)
            }
            guard account.disabledAt == nil else {
                return try await refuse(.userDisabled, account, account.username, origin: origin, at: now)
            }
            // Before the code is looked at, which would use it up.
            guard try await isGood(step, account, current) else {
                return try await refuse(.stale, account, account.username, origin: origin, at: now)
            }
            guard try await codes.accepts(code, for: account, at: now) else {
                return try await refuse(.wrongCode, account, account.username, origin: origin, at: now)
            }
            if case .session = step.ground, let current {
                return try await raise(current, of: account, origin: origin, at: now)
            }
            let authentication = Authentication(
                time: now, acr: AuthenticationLevel.twoFactors.rawValue, amr: ["pwd", "otp", "mfa"])
            return try await open(account, authentication, replacing: current, origin: origin, at: now)
        }
    }

    /// Whether what a code is to complete still stands: the password is the account's, or the session that it raises
    /// is the browser's own, of the same user, and lives.
    private func isGood(_ step: PendingSignIn, _ account: Account, _ current: WebSession?) async throws -> Bool {
        switch step.ground {
        case .password(let setAt): return setAt == account.passwordChangedAt
        case .session(let id):
            guard let current, current.id == id, current.subject == step.subject, current.canBeRaised else {
                return false
            }
            return try await opener.isAlive(current)
        }
    }

    private func raise(
        _ current: WebSession, of account: Account, origin: RequestOrigin, at now: Timestamp
    ) async throws -> SignInOutcome {
        let methods = current.authentication.amr
        let authentication = Authentication(
            // The password's time stays: a code must not make an old sign-in look fresh to `max_age`.
            time: current.authentication.time, acr: AuthenticationLevel.twoFactors.rawValue,
            amr: methods + ["otp", "mfa"].filter { !methods.contains($0) })
        let opened = try await opener.raise(current, to: authentication, origin: origin, at: now)
        return try await signedIn(opened, account, origin: origin, at: now)
    }
}
