/// Slows down guessing: failures are counted for each account and each network, by the minute and by the day (contract
/// §12). A browser that is known for the account is counted apart from strangers, by itself and together with the
/// account's other known ones (``KnownBrowsers``).
///
/// The name counts whether there is such an account or not; otherwise the limit would tell which names exist.
package final class SignInThrottle: Sendable {
    /// What is guessed; of a passkey, which nobody can guess, what anybody may send for one.
    enum Guess: Sendable { case password, code, passkey }

    /// One guess too many, which is not written down yet: no commit may be waited for in a turn at the
    /// ``PasswordHasher``.
    struct Excess: Sendable {
        fileprivate let decision: RateLimitDecision
        fileprivate let wait: Duration
        /// Who is over the limit of right passwords. Wrong ones name no user: guessing at many accounts would have an
        /// event written for each.
        fileprivate let subject: Subject?
    }

    /// Stands in for the account of an unknown name.
    private static let nobody = Account(subject: "", username: nil, createdAt: Timestamp(milliseconds: 0))

    private let limiter: any RateLimiter
    private let gate: LimitGate
    private let limits: LimitSettings
    package let knownBrowsers: KnownBrowsers

    package init(
        limiter: any RateLimiter, limits: LimitSettings, refusals: RefusalLog, knownBrowsers: KnownBrowsers
    ) {
        self.limiter = limiter
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        self.knownBrowsers = knownBrowsers
    }

    /// How long to wait before a passkey may answer; `nil` for not at all.
    /// - Parameter account: whose passkey it is, if it is anybody's.
    func wait(forPasskeyOf account: Account?, origin: RequestOrigin, at now: Timestamp) async throws -> Duration? {
        let keys = keys(of: nil, account, .passkey, origin, at: now)
        return try await gate.peek(keys, origin: origin, at: now).retryAfter
    }

    /// The limit that one more guess would be over; `nil` for none. Takes nothing and writes nothing down.
    /// - Parameter account: the one that has the name, if any has.
    func excess(
        for username: Username?, of account: Account?, guessing guess: Guess, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Excess? {
        Self.excess(try await limiter.peek(keys(of: username, account, guess, origin, at: now), at: now))
    }

    /// Counts a failure; or, ahead of looking at a guess, the guess itself.
    /// - Returns: how long to wait when that was one too many.
    func count(
        _ guess: Guess, of username: Username?, _ account: Account?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Duration? {
        let keys = keys(of: username, account, guess, origin, at: now)
        return try await gate.take(keys, origin: origin, at: now).retryAfter
    }

    /// As ``count(_:of:_:origin:at:)``, and writes nothing down.
    func take(
        _ guess: Guess, of username: Username?, _ account: Account?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Excess? {
        Self.excess(try await limiter.take(keys(of: username, account, guess, origin, at: now), at: now))
    }

    /// Whether an account has had its sign-ins of the minute by the right password; takes none and writes nothing down.
    ///
    /// Each costs a hash and a session, so one user in a loop would keep everyone else from the ``PasswordHasher``.
    /// Only right passwords count (``takeRight(of:_:origin:at:)``): a stranger who has none uses nothing of it up and
    /// keeps no one out. Known browsers have as many of their own: none becomes known without the second factor, so who
    /// has the password alone does not keep the owner out of them (ADR-0016).
    func excessOfRight(
        of username: Username?, _ account: Account?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Excess? {
        guard let username else { return nil }
        let keys = rightKeys(of: username, account, origin, at: now)
        return Self.excess(try await limiter.peek(keys, at: now), of: account?.subject)
    }

    /// Counts a right password, and writes nothing down.
    func takeRight(
        of username: Username?, _ account: Account, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Excess? {
        guard let username else { return nil }
        let keys = rightKeys(of: username, account, origin, at: now)
        return Self.excess(try await limiter.take(keys, at: now), of: account.subject)
    }

    private func rightKeys(
        of username: Username, _ account: Account?, _ origin: RequestOrigin, at now: Timestamp
    ) -> [RateLimitKey] {
        // Looked for without an account too: the time must not tell which names have one.
        let mark = knownBrowsers.mark(of: account ?? Self.nobody, in: origin.recognition, at: now)
        return limits.rightPasswordKeys(of: username, isInKnownBrowser: mark != nil)
    }

    private static func excess(_ decision: RateLimitDecision, of subject: Subject? = nil) -> Excess? {
        decision.retryAfter.map { Excess(decision: decision, wait: $0, subject: subject) }
    }

    /// Writes down that there was one guess too many.
    /// - Returns: how long to wait.
    func tell(_ excess: Excess, origin: RequestOrigin, at now: Timestamp) async throws -> Duration {
        try await gate.record(excess.decision, of: excess.subject, client: nil, origin: origin, at: now)
        return excess.wait
    }

    /// What a code came to.
    enum CodeVerdict: Hashable, Sendable {
        case right
        /// Counted already.
        case wrong
        /// One too many; it was not looked at.
        case limited(Duration)
    }

    /// Looks at a code of an account's second factor, which is counted ahead of that, so that many at once are no more
    /// attempts than many in a row.
    /// - Parameter isRight: looks at it.
    func code(
        of account: Account, origin: RequestOrigin, at now: Timestamp, by isRight: () async throws -> Bool
    ) async throws -> CodeVerdict {
        let keys = keys(of: account.username, account, .code, origin, at: now)
        let network = keys.filter { $0.scope == LimitSettings.signInNetwork }
        let own = keys.filter { $0.scope != LimitSettings.signInNetwork }
        if let wait = try await begin(own, in: network, origin: origin, at: now) { return .limited(wait) }
        return try await judge(own, in: network, at: now, by: isRight) ? .right : .wrong
    }

    /// The network is only asked whether anything is left: right codes of neighbours may be under way, and count
    /// towards nothing.
    private func begin(
        _ own: [RateLimitKey], in network: [RateLimitKey], origin: RequestOrigin, at now: Timestamp
    ) async throws -> Duration? {
        if let wait = try await gate.peek(network, origin: origin, at: now).retryAfter { return wait }
        return try await gate.take(own, origin: origin, at: now).retryAfter
    }

    /// A wrong code is counted for its network as well; a right one, and one that nothing was learnt of, towards
    /// nothing: an outage while users try again must not lock them out after it.
    private func judge(
        _ begun: [RateLimitKey], in network: [RateLimitKey], at now: Timestamp, by isRight: () async throws -> Bool
    ) async throws -> Bool {
        let found: Bool
        do {
            found = try await isRight()
        } catch {
            await gate.giveBack(begun, at: now)
            throw error
        }
        if found {
            await gate.giveBack(begun, at: now)
        } else {
            _ = try await limiter.take(network, at: now)
        }
        return found
    }

    private func keys(
        of username: Username?, _ account: Account?, _ guess: Guess, _ origin: RequestOrigin, at now: Timestamp
    ) -> [RateLimitKey] {
        if let account, let mark = knownBrowsers.mark(of: account, in: origin.recognition, at: now) {
            return limits.failedSignInKeys(knownBrowser: mark.name, of: account.subject, guess)
        }
        return limits.failedSignInKeys(username: username, guess, origin: origin)
    }
}

extension LimitSettings {
    fileprivate static let signInNetwork = "sign_in.network"
    /// How many browsers' guesses of a day all that are known for one account have together. Whoever signs in in a loop
    /// gets a mark each time, and must not get a number of guesses with each.
    static let knownBrowsersGuesses = 3

    func failedSignInKeys(
        username: Username?, _ guess: SignInThrottle.Guess, origin: RequestOrigin
    ) -> [RateLimitKey] {
        var keys: [RateLimitKey] = []
        if let username {
            keys.append(
                RateLimitKey(scope: "sign_in.account", value: username.key, bucket: failedSignIn, isOfTypedName: true))
            keys += dailyKeys(guess, value: "account \(username.key)", isOfTypedName: true)
        }
        return keys + widerNetworkKeys(Self.signInNetwork, of: origin, failedSignIn)
    }

    /// By the account: with its networks, a caller that changes them would have as many more. Its known browsers count
    /// together, since each sign-in gives another mark.
    fileprivate func rightPasswordKeys(of username: Username, isInKnownBrowser: Bool) -> [RateLimitKey] {
        let value = "\(isInKnownBrowser ? "known" : "other") \(username.key)"
        return [RateLimitKey(scope: "sign_in.right_password", value: value, bucket: rightPasswordPerAccount)]
    }

    /// - Parameters:
    ///   - mark: of ``KnownBrowsers``.
    ///   - subject: whose account it is known for.
    func failedSignInKeys(
        knownBrowser mark: String, of subject: Subject, _ guess: SignInThrottle.Guess
    ) -> [RateLimitKey] {
        [RateLimitKey(scope: "sign_in.browser", value: mark, bucket: failedSignIn)]
            + dailyKeys(guess, value: "browser \(mark)")
            + dailyKeys(guess, value: "known \(subject.rawValue)", times: Self.knownBrowsersGuesses)
    }

    /// - Returns: none for a passkey: the owner has to get in with it where others have used up a day's guesses.
    private func dailyKeys(
        _ guess: SignInThrottle.Guess, value: String, times factor: Int = 1, isOfTypedName: Bool = false
    ) -> [RateLimitKey] {
        let (scope, bucket): (String, TokenBucket)
        switch guess {
        case .password: (scope, bucket) = ("sign_in.password_day", wrongPasswordPerDay)
        case .code: (scope, bucket) = ("sign_in.code_day", wrongCodePerDay)
        case .passkey: return []
        }
        return [
            RateLimitKey(
                scope: scope, value: value, bucket: bucket.multiplied(by: factor), isOfTypedName: isOfTypedName)
        ]
    }
}
