import Crypto
import OAuth2

/// Signing in a computer's browser with a phone (contract §9): this is the computer's side; the phone's is beside it.
package final class PhoneSignIns: Sendable {
    let records: CrossDeviceRecords
    let uses: any RequestStore
    let watch: CrossDeviceWatch
    let approvers: PhoneApprovers
    let opener: SessionOpener
    let apps: any GrantStore
    let accounts: any UserStore
    let knownBrowsers: KnownBrowsers
    let audit: any AuditLog
    let limiter: any RateLimiter
    let limits: LimitSettings
    let refusals: RefusalLog
    /// Whether a phone of another network than the computer's is refused.
    let requiresSameNetwork: Bool
    /// Hides the eight letters, of which there are few enough to try all.
    let codeKey: SymmetricKey
    let time: TimeSource
    let random: RandomSource

    package init(
        store: any CrossDeviceStore, uses: any RequestStore, watch: CrossDeviceWatch,
        approvers: PhoneApprovers, opener: SessionOpener, apps: any GrantStore, accounts: any UserStore,
        master: MasterKey, keys: Reloadable<LoginTokenKeyRing>,
        audit: any AuditLog, limiter: any RateLimiter, limits: LimitSettings, refusals: RefusalLog,
        requiresSameNetwork: Bool = false, time: TimeSource = .system, random: RandomSource = .system
    ) {
        records = CrossDeviceRecords(
            store: store, seal: ShortLivedSeal(keys: keys, purpose: "cross-device sign-in", time: time))
        self.uses = uses
        self.watch = watch
        self.approvers = approvers
        self.opener = opener
        self.apps = apps
        self.accounts = accounts
        knownBrowsers = KnownBrowsers(master: master)
        codeKey = master.derived("cross-device code")
        self.audit = audit
        self.limiter = limiter
        self.limits = limits
        self.refusals = refusals
        self.requiresSameNetwork = requiresSameNetwork
        self.time = time
        self.random = random
    }

    /// How often a step is tried again that another was quicker than.
    static let attempts = 8
}

/// What a computer's page shows.
package struct PhoneSignInPage: Sendable {
    /// The browser's, for its cookie.
    package let secret: OpaqueSecret
    /// What the phone's link names.
    package let id: String
    /// The eight letters, in two groups.
    package let shownCode: String
    /// A word of contract §9's states: `created`, `scanned`, `approved`, `denied`, `locked`, `completed`, `expired`.
    package let state: String
    /// Seconds until it is over.
    package let left: Int

    /// Whether digits may be typed: only where a phone has been bound, so that there is nothing to type into for
    /// somebody who was merely sent the code.
    package var takesDigits: Bool { state == "scanned" || state == "approved" }

    package var isOpen: Bool { takesDigits || state == "created" }
}

/// What a page hears that asked for news.
package struct PhoneSignInNews: Sendable {
    package let page: PhoneSignInPage
    /// When to ask again, for a page that could not be kept waiting.
    package let nextQuestionAfter: Duration?

    init(_ page: PhoneSignInPage, nextQuestionAfter: Duration? = nil) {
        self.page = page
        self.nextQuestionAfter = nextQuestionAfter
    }
}

package enum PhoneSignInStart: Sendable {
    case started(PhoneSignInPage)
    case limited(retryAfter: Duration)
}

package enum PhoneSignInConfirmation: Sendable {
    case signedIn(OpenedSession)
    /// The digits are wrong, and may be tried again.
    case wrong(PhoneSignInPage)
    /// The phone shows no digits yet.
    case notYet(PhoneSignInPage)
    /// Nothing can come of it any more.
    case over(PhoneSignInPage)
}

// The computer's steps.
extension PhoneSignIns {
    /// Begins one for a browser.
    /// - Parameter previous: the browser's before, which ends: a browser has one at a time.
    package func begin(replacing previous: OpaqueSecret?, origin: RequestOrigin) async throws -> PhoneSignInStart {
        let now = time.now()
        if let wait = try await blocked(origin, at: now) { return .limited(retryAfter: wait) }
        if case .exceeded(let wait, let scope) = try await limiter.take(limits.phonePageKeys(origin: origin), at: now) {
            try await refusals.limitExceeded(scope: scope, origin: origin, at: now)
            return .limited(retryAfter: wait)
        }
        if let previous {
            let names = PhoneSignInNames(of: previous)
            try await records.store.removeCrossDevice(PhoneSignInNames.key(of: names.id))
            try await records.store.removeCrossDevice(key(ofCode: names.userCode))
        }
        let signIn = PhoneSignIn(
            page: .init(
                address: origin.address, userAgent: origin.userAgent, recognition: origin.recognition?.expose()),
            at: now)
        for _ in 0..<Self.attempts {
            let secret = OpaqueSecret.make(.phoneSignIn, random: random)
            let names = PhoneSignInNames(of: secret)
            // Another page's letters: make others.
            guard
                try await records.add(
                    Array(names.id.utf8), under: key(ofCode: names.userCode), until: now + PhoneSignIn.lifetime, at: now
                )
            else { continue }
            guard
                try await records.add(
                    signIn.text, under: PhoneSignInNames.key(of: names.id), until: now + PhoneSignIn.lifetime, at: now)
            else { continue }
            return .started(page(secret, signIn, at: now))
        }
        throw StorageError.unavailable("no free code was found")
    }

    /// Whether somebody reported the computer a while ago.
    /// - Returns: how long it is kept out.
    func blocked(_ origin: RequestOrigin, at now: Timestamp) async throws -> Duration? {
        guard
            case .exceeded(let wait, let scope) = try await limiter.peek(
                LimitSettings.reportedKey(origin.address), at: now)
        else { return nil }
        try await refusals.limitExceeded(scope: scope, origin: origin, at: now)
        return wait
    }

    /// What stands, for the browser that began it.
    package func page(of secret: OpaqueSecret) async throws -> PhoneSignInPage {
        let now = time.now()
        return page(secret, try await find(PhoneSignInNames(of: secret).id, at: now)?.signIn, at: now)
    }

    /// The same as soon as it is no longer what the page shows, or after a while; at once where as many pages wait as may.
    /// - Parameter seen: the state that the page shows.
    /// - Throws: `OAuthError(.rateLimited)` for a page that asks more than once a second.
    package func news(of secret: OpaqueSecret, seen: String?, origin: RequestOrigin) async throws -> PhoneSignInNews {
        let now = time.now()
        let id = PhoneSignInNames(of: secret).id
        let key = PhoneSignInNames.key(of: id)
        if case .exceeded(let wait, _) = try await limiter.take([LimitSettings.pollKey(key)], at: now) {
            throw OAuthError(.rateLimited, "ask once a second", retryAfter: wait.roundedUpSeconds)
        }
        guard let found = try await find(id, at: now) else { return PhoneSignInNews(page(secret, nil, at: now)) }
        let current = page(secret, found.signIn, at: now)
        guard current.state == seen, current.isOpen else { return PhoneSignInNews(current) }
        let patience = min(Self.patience, found.signIn.endsAt() - now)
        switch try await watch.change(of: key, from: found.record.version, within: patience) {
        case .noPlace: return PhoneSignInNews(current, nextQuestionAfter: Self.pauseWithoutPlace)
        case .ended: break
        }
        // Nobody is there to be told more, and a store asks nothing for a task that was cancelled.
        if Task.isCancelled { return PhoneSignInNews(current) }
        let later = time.now()
        return PhoneSignInNews(page(secret, try await find(id, at: later)?.signIn, at: later))
    }

    /// Answers all pages that wait with what stands: the node stops, and they ask another.
    package func stopWaiting() { watch.stop() }

    /// How long a page's question is held.
    private static let patience = Duration.seconds(25)

    /// How long a page looks away that cannot be kept waiting. Its question takes a connection of its own, which costs more
    /// than the answer: of a thousand pages, shorter pauses would cost more than all that are kept waiting.
    private static let pauseWithoutPlace = Duration.seconds(10)

    private func page(_ secret: OpaqueSecret, _ signIn: PhoneSignIn?, at now: Timestamp) -> PhoneSignInPage {
        let names = PhoneSignInNames(of: secret)
        let state = signIn?.state(at: now) ?? .expired
        let left = signIn.map { $0.endsAt() - now } ?? .zero
        return PhoneSignInPage(
            secret: secret, id: names.id, shownCode: names.shownCode, state: state.rawValue,
            left: state.isOpen ? left.roundedUpSeconds : 0)
    }

    /// Takes the digits that the phone shows, typed where the session is to be.
    /// - Parameter current: the browser's session, which the new one takes the place of.
    package func confirm(
        _ typed: String, by secret: OpaqueSecret, replacing current: WebSession?, origin: RequestOrigin
    ) async throws -> PhoneSignInConfirmation {
        let id = PhoneSignInNames(of: secret).id
        let digits = String(decoding: typed.utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        for _ in 0..<Self.attempts {
            let now = time.now()
            guard let found = try await find(id, at: now) else { return .over(page(secret, nil, at: now)) }
            guard let next = found.signIn.confirmed(with: digits, at: now) else {
                let page = page(secret, found.signIn, at: now)
                return page.isOpen ? .notYet(page) : .over(page)
            }
            // Written before anything is answered or opened: of tries at the same time each counts, and of two right
            // ones the second finds it used up.
            guard try await records.replace(found.record, with: next.text, at: now) else { continue }
            guard try await countsTry(of: found.signIn, id), try await counts(next, of: id) else {
                try await record(.crossDeviceRefused, "used_before", phone: next.phone, origin: origin, at: now)
                return .over(page(secret, nil, at: now))
            }
            let reached = page(secret, next, at: now)
            guard next.stored == .completed, let phone = next.phone else {
                try await record(
                    .crossDeviceRefused, next.stored == .locked ? "locked" : "wrong_digits", phone: next.phone,
                    origin: origin, at: now)
                return next.stored == .locked ? .over(reached) : .wrong(reached)
            }
            guard let opened = try await open(for: phone, replacing: current, origin: origin, at: now) else {
                try await record(.crossDeviceRefused, "session_ended", phone: phone, origin: origin, at: now)
                return .over(reached)
            }
            return .signedIn(opened)
        }
        throw StorageError.unavailable("others were quicker every time")
    }

    /// A browser's session under the approving app's, which must still live.
    func open(
        for phone: ApprovingPhone, replacing current: WebSession?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> OpenedSession? {
        guard let session = try await apps.appSession(id: phone.sessionID), session.isAlive(at: now),
            session.subject == phone.subject, session.lineage.mayApproveSignIn
        else { return nil }
        return try await opener.openApproved(
            by: session, scope: phone.scope, replacing: current, origin: origin, at: now)
    }
}

// What both sides need.
extension PhoneSignIns {
    /// Whether what was written counts. The records' store may lose its last writes, as a Redis does that fails over, and a
    /// record be back as it was before: that a sign-in is over is therefore decided elsewhere as well, once and for good.
    /// - Returns: `false` for the end of one that had ended before.
    func counts(_ next: PhoneSignIn, of id: String) async throws -> Bool {
        if next.stored.isOpen { return true }
        return try await useUp(PhoneSignInNames.key(of: id), madeAt: next.createdAt, lifetime: PhoneSignIn.lifetime)
    }

    /// The same of one try of the digits, whichever they were: whoever brings the record back gets no more tries by it.
    private func countsTry(of before: PhoneSignIn, _ id: String) async throws -> Bool {
        try await useUp(
            "\(PhoneSignInNames.key(of: id)) try \(before.wrong + 1)", madeAt: before.createdAt,
            lifetime: PhoneSignIn.lifetime)
    }

    /// - Parameters:
    ///   - name: of something that counts once.
    ///   - start: when it was made, as it says itself: what a store says beside it, a writer of that store may have written.
    /// - Returns: `true` for one caller only.
    func useUp(_ name: String, madeAt start: Timestamp, lifetime: Duration) async throws -> Bool {
        try await uses.claimUse(
            digest: Base64URL.encode(Array(SHA256.hash(data: Array("cross-device \(name)".utf8)))),
            madeAfter: start - Self.leeway, until: start + lifetime + Self.clocks)
    }

    /// How far nodes' clocks may be apart (ADR-0010).
    private static let leeway = Duration.seconds(5)
    /// The same with much to spare, for what one of them may take to be alive still.
    private static let clocks = Duration.seconds(60)

    func find(
        _ id: String, at now: Timestamp
    ) async throws -> (signIn: PhoneSignIn, record: CrossDeviceRecords.Found)? {
        guard let record = try await records.find(PhoneSignInNames.key(of: id), at: now),
            let signIn = PhoneSignIn(record.content)
        else { return nil }
        return (signIn, record)
    }

    func key(ofCode code: String) -> String {
        "c:" + Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Array(code.utf8), using: codeKey)))
    }

    /// Records a refusal, in bounds.
    func record(
        _ type: AuditEventType, _ reason: String, phone: ApprovingPhone?, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await refusals.record(
            AuditEvent(
                at: now, type: type, outcome: .failure, reason: reason, subject: phone?.subject,
                clientID: phone?.clientID, sessionID: phone?.sessionID, origin: origin))
    }
}

extension PhoneSignIns {
    /// Whether a link is that of the browser's own page.
    package func isLink(_ id: String?, of secret: OpaqueSecret) -> Bool {
        guard let id else { return false }
        return ConstantTime.equals(Array(id.utf8), Array(PhoneSignInNames(of: secret).id.utf8))
    }
}
