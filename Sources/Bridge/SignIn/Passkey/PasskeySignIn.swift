import OAuth2

/// Signs users in with a passkey: who it is and two factors at once, without a name typed.
package final class PasskeySignIn: Sendable {
    /// Where passkeys are kept, and the accounts that they belong to.
    package typealias Storage = PasskeyStore & UserStore

    /// The reason in the audit log.
    static let method = "passkey"
    /// What was proven (RFC 8176 §2): that the user holds a key, is there, and was verified by the authenticator. What
    /// holds the key is unattested, so neither `hwk` nor `swk` is said.
    static let methods = [
        Authentication.proofOfPossession, Authentication.userPresence, Authentication.multipleFactors,
    ]

    /// The member of an event's detail that names a passkey.
    static let markName = "passkey"

    /// Which passkey it was, for the audit log: the one that ``Passkey/mark`` and the events of adding and removing
    /// name.
    static func detail(_ mark: String) -> String {
        var object = JSONObjectWriter()
        object.add(markName, mark)
        return object.finishedText()
    }

    private let storage: any Storage
    private let throttle: SignInThrottle
    private let opener: SessionOpener
    private let refusals: RefusalLog
    private let seal: ShortLivedSeal
    private let time: TimeSource
    private let random: RandomSource

    package init(
        storage: any Storage, throttle: SignInThrottle, opener: SessionOpener, refusals: RefusalLog,
        keys: Reloadable<SecretKeyRing>, time: TimeSource, random: RandomSource = .system
    ) {
        self.storage = storage
        self.throttle = throttle
        self.opener = opener
        self.refusals = refusals
        seal = ShortLivedSeal(keys: keys, purpose: .passkeySignIn, time: time)
        self.time = time
        self.random = random
    }

    /// What a sign-in page asks for: any passkey of the host. None is named before it is known who comes, or the page
    /// would tell whose accounts have some.
    /// - Parameter browser: the browser's form binding; the answer must come from the same one, to the same origin.
    package func challenge(browser: OpaqueSecret, at party: PasskeyParty) throws -> PasskeyChallenge {
        PasskeyChallenge(
            sealed: try seal.seal(
                random.bytes(16), binding: Self.binding(browser, party), lifetime: PasskeyChallenge.lifetime))
    }

    private static func binding(_ browser: OpaqueSecret, _ party: PasskeyParty) -> String {
        "\(browser.digest) \(party.origin)"
    }

    /// Checks the answer to a challenge, and opens a session.
    /// - Parameters:
    ///   - assertion: `nil` when it is not of the form that it has to have.
    ///   - sealed: the challenge's.
    ///   - current: the session that this browser holds.
    /// - Throws: ``StorageError`` when it cannot be decided now.
    package func attempt(
        _ assertion: PasskeyAssertion?, to sealed: String, at party: PasskeyParty, browser: OpaqueSecret,
        replacing current: WebSession?, origin: RequestOrigin
    ) async throws -> SignInOutcome {
        let now = time.now()
        guard seal.open(sealed, binding: Self.binding(browser, party)) != nil else {
            return try await refuse(
                SignInRefusal.stale.rawValue, nil, assertion?.mark, as: .stale, origin: origin, at: now)
        }
        let challenge = PasskeyChallenge(sealed: sealed)
        let passkey: Passkey? = if let assertion { try await storage.passkey(assertion.mark) } else { nil }
        let account: Account? = if let passkey { try await storage.account(of: passkey.subject) } else { nil }
        if let wait = try await throttle.wait(forPasskeyOf: account, origin: origin, at: now) {
            return .limited(retryAfter: wait)
        }
        let count: Int64
        do throws(PasskeyRefusal) {
            guard let assertion else { throw .malformed }
            guard let passkey else { throw .unknown }
            count = try assertion.check(passkey, for: challenge, at: party)
        } catch {
            return try await refuse(
                error.rawValue, account, assertion?.mark, byAnybody: true, origin: origin, at: now)
        }
        guard let passkey, let account, account.disabledAt == nil else {
            return try await refuse(
                SignInRefusal.userDisabled.rawValue, account, assertion?.mark, origin: origin, at: now)
        }
        let use = PasskeyUse(mark: passkey.mark, signCount: count, challenge: challenge.used(at: now))
        let authentication = Authentication(
            time: now, acr: AuthenticationLevel.twoFactors.rawValue, amr: Self.methods)
        guard
            var opened = try await opener.open(
                for: account.subject, authentication: authentication, provenBy: .passkey(use), replacing: current,
                by: .passkey(passkey.mark), origin: origin, at: now)
        else {
            return try await refuse(
                try await flaw(of: use, account.subject), account, use.mark, origin: origin, at: now)
        }
        opened.recognition = throttle.knownBrowsers.cookie(
            knowing: account, isOfTwoFactors: true, besides: origin.recognition, at: now)
        return .signedIn(opened)
    }

    /// Why the store opened nothing, as far as it shows afterwards.
    private func flaw(of use: PasskeyUse, _ subject: Subject) async throws -> String {
        guard try await storage.account(of: subject)?.disabledAt == nil else {
            return SignInRefusal.userDisabled.rawValue
        }
        // Before the counter: the same answer once more has the same count.
        if try await storage.hasUsed(use.challenge) { return PasskeyRefusal.challengeUsed.rawValue }
        let isThere = try await storage.passkey(use.mark) != nil
        return (isThere ? PasskeyRefusal.counterWentBack : .unknown).rawValue
    }

    /// - Parameters:
    ///   - mark: that of the passkey that answered, whichever user's.
    ///   - outcome: what the page says, unless there were too many.
    ///   - isByAnybody: whether no key was proven, so that whether it is written must not depend on whether there is
    ///     such a passkey.
    private func refuse(
        _ reason: String, _ account: Account?, _ mark: String?, as outcome: SignInOutcome = .refused,
        byAnybody isByAnybody: Bool = false, origin: RequestOrigin, at now: Timestamp
    ) async throws -> SignInOutcome {
        // Past the limit only the limit itself is recorded.
        if let wait = try await throttle.count(.passkey, of: nil, account, origin: origin, at: now) {
            return .limited(retryAfter: wait)
        }
        try await refusals.record(
            AuditEvent(
                at: now, type: .userSignInFailed, outcome: .failure, reason: reason, subject: account?.subject,
                origin: origin, detail: mark.map(Self.detail)),
            byAnybody: isByAnybody)
        return outcome
    }
}
