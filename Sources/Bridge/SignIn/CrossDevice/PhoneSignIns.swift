import OAuth2

/// Signing in a computer's browser with a phone (contract §9): this is the computer's side; the phone's is
/// ``PhoneApprovals``.
package final class PhoneSignIns: Sendable {
    private let records: PhoneSignInRecords
    let watch: CrossDeviceWatch
    private let approvers: PhoneApprovers
    private let opener: SessionOpener
    /// `nil` where an approval leads to no website elsewhere.
    private let handOffs: HandOffs?
    private let log: CrossDeviceLog
    private let time: TimeSource
    private let random: RandomSource

    package init(
        records: PhoneSignInRecords, watch: CrossDeviceWatch, approvers: PhoneApprovers, opener: SessionOpener,
        handOffs: HandOffs? = nil, log: CrossDeviceLog, time: TimeSource, random: RandomSource = .system
    ) {
        self.records = records
        self.watch = watch
        self.approvers = approvers
        self.opener = opener
        self.handOffs = handOffs
        self.log = log
        self.time = time
        self.random = random
    }
}

/// What a computer's page shows.
package struct PhoneSignInPage: Sendable {
    /// How long the secret is good, from its first page.
    package static let lifetime = PhoneSignIn.lifetime

    /// The browser's, for its cookie.
    package let secret: OpaqueSecret
    /// What the phone's link names.
    package let id: String
    /// By which it says which page it is, in questions for news: an address of ours, which proxies write down, must not
    /// name the link.
    package let tab: String
    /// The eight letters, in two groups.
    package let shownCode: String
    package let state: PhoneSignInState
    /// Seconds until it is over.
    package let left: Int
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

/// Whether a sign-in by phone began, or the browser has to wait (contract §9).
package enum PhoneSignInStart: Sendable {
    case started(PhoneSignInPage)
    case limited(retryAfter: Duration)
}

/// The outcome of the digits that the browser's user typed in (contract §9).
package enum PhoneSignInConfirmation: Sendable {
    case signedIn(OpenedSession)
    /// The session will be at the website that the sign-in is for, which this link opens for the user who approved;
    /// there is none here.
    case handedOn(LoginTokenAnswer, of: Subject)
    /// The approval leads to no session at the website that the sign-in is for, and the browser has a sign-in of the
    /// same user, which stays.
    case notEnough
    /// What was typed cannot be the digits, and was not an attempt.
    case noDigits(PhoneSignInPage)
    /// The digits are wrong, and may be tried again.
    case wrong(PhoneSignInPage)
    /// The phone shows no digits yet.
    case notYet(PhoneSignInPage)
    /// It can no longer be completed.
    case over(PhoneSignInPage)
}

// The computer's steps.
extension PhoneSignIns {
    /// Begins one for a browser.
    /// - Parameter previous: the browser's before, which ends: a browser has one at a time.
    package func begin(replacing previous: OpaqueSecret?, origin: RequestOrigin) async throws -> PhoneSignInStart {
        let now = time.now()
        if let wait = try await log.blocked(origin, at: now) { return .limited(retryAfter: wait) }
        let taken = try await log.gate.take(log.limits.phonePageKeys(origin: origin), origin: origin, at: now)
        if let wait = taken.retryAfter { return .limited(retryAfter: wait) }
        if let previous { try await records.withdraw(PhoneSignInNames(of: previous), at: now) }
        let signIn = PhoneSignIn(
            page: .init(
                address: origin.address, userAgent: origin.userAgent, recognition: origin.recognition?.expose()),
            at: now)
        for _ in 0..<CrossDeviceRecords.attempts {
            let secret = OpaqueSecret.make(.phoneSignIn, random: random)
            // Another page's letters: make others.
            guard try await records.add(signIn, named: PhoneSignInNames(of: secret), at: now) else { continue }
            return .started(page(secret, signIn, at: now))
        }
        throw StorageError.unavailable("no free code was found")
    }

    /// The current state, for the browser that began it.
    package func page(of secret: OpaqueSecret) async throws -> PhoneSignInPage {
        let now = time.now()
        return page(secret, try await records.find(PhoneSignInNames(of: secret).id, at: now)?.signIn, at: now)
    }

    /// The browser's page as soon as it differs from what is shown, or after a while; at once where no more pages may
    /// wait.
    /// - Parameters:
    ///   - shown: ``PhoneSignInPage/tab`` of the page, where it says so. Once another tab has begun the browser's next
    ///     one, the secret is that one's, and what the page shows is over (``begin(replacing:origin:)``).
    ///   - seen: the state that the page shows.
    /// - Throws: `OAuthError(.rateLimited)` for a page that asks more than once a second.
    package func news(
        of secret: OpaqueSecret, on shown: String? = nil, seen: PhoneSignInState?
    ) async throws -> PhoneSignInNews {
        let now = time.now()
        let names = PhoneSignInNames(of: secret)
        if let shown, !ConstantTime.equals(shown.utf8, names.tab.utf8) {
            return PhoneSignInNews(page(secret, nil, at: now))
        }
        let id = names.id
        let key = PhoneSignInNames.key(of: id)
        if case .exceeded(let wait, _) = try await log.limiter.take([LimitSettings.pollKey(key)], at: now) {
            throw OAuthError(.rateLimited, "ask once a second", retryAfter: wait.roundedUpSeconds)
        }
        guard let found = try await records.find(id, at: now) else {
            return PhoneSignInNews(page(secret, nil, at: now))
        }
        let current = page(secret, found.signIn, at: now)
        guard current.state == seen, current.state.isOpen else { return PhoneSignInNews(current) }
        let patience = min(Self.patience, found.signIn.endsAt() - now)
        switch try await watch.change(of: key, from: found.version, within: patience) {
        case .noPlace: return PhoneSignInNews(current, nextQuestionAfter: Self.pauseWithoutPlace)
        case .ended: break
        }
        // The page is gone, and a store asks nothing for a task that was cancelled.
        if Task.isCancelled { return PhoneSignInNews(current) }
        let later = time.now()
        return PhoneSignInNews(page(secret, try await records.find(id, at: later)?.signIn, at: later))
    }

    /// Answers all pages that wait with the current state: the node stops, and they ask another.
    package func stopWaiting() { watch.stop() }

    /// How long a page's question is held.
    private static let patience = Duration.seconds(25)

    /// How long a page looks away that cannot be kept waiting. Its question takes a connection of its own, which costs
    /// more than the answer: with a thousand pages, shorter pauses would cost more than all that are kept waiting.
    private static let pauseWithoutPlace = Duration.seconds(10)

    private func page(_ secret: OpaqueSecret, _ signIn: PhoneSignIn?, at now: Timestamp) -> PhoneSignInPage {
        let names = PhoneSignInNames(of: secret)
        let state = signIn?.state(at: now) ?? .expired
        let left = signIn.map { $0.endsAt() - now } ?? .zero
        return PhoneSignInPage(
            secret: secret, id: names.id, tab: names.tab, shownCode: names.userCode.shown, state: state,
            left: state.isOpen ? left.roundedUpSeconds : 0)
    }

    /// Takes the digits that the phone shows, typed where the session is to be.
    /// - Parameters:
    ///   - handOff: what the browser is to go on to at a website elsewhere, where it is.
    ///   - current: the browser's session, which the new one takes the place of.
    package func confirm(
        _ typed: String, by secret: OpaqueSecret, for handOff: HandOffs.Request? = nil,
        replacing current: WebSession?, origin: RequestOrigin
    ) async throws -> PhoneSignInConfirmation {
        let id = PhoneSignInNames(of: secret).id
        guard let digits = SixDigits.read(typed) else { return try await withoutDigits(secret) }
        for _ in 0..<CrossDeviceRecords.attempts {
            let now = time.now()
            guard let found = try await records.find(id, at: now) else { return .over(page(secret, nil, at: now)) }
            guard let next = found.signIn.confirmed(with: digits, at: now) else {
                let page = page(secret, found.signIn, at: now)
                return page.state.isOpen ? .notYet(page) : .over(page)
            }
            // Written before anything is answered or opened: simultaneous attempts each count, and the second of two
            // right ones finds it used up.
            guard try await records.replace(found, with: next, at: now) else { continue }
            guard try await records.countsTry(of: found.signIn, id), try await records.counts(next, of: id) else {
                try await log.recordRefusal(.usedBefore, of: next.phone, origin: origin, at: now)
                return .over(page(secret, nil, at: now))
            }
            let reached = page(secret, next, at: now)
            guard case .completed(let phone, let approvedAt) = next.step else {
                try await log.recordRefusal(
                    next.stored == .locked ? .locked : .wrongDigits, of: next.phone, origin: origin, at: now)
                return next.stored == .locked ? .over(reached) : .wrong(reached)
            }
            switch try await approvers.standing(of: phone, since: approvedAt, at: now) {
            case .good(let app):
                let opened = try await open(
                    by: app, phone, detail: PhoneSignInNames.auditDetail(of: id), for: handOff, replacing: current,
                    origin: origin, at: now)
                return opened ?? .over(reached)
            case .over(let reason):
                try await log.recordRefusal(reason, of: phone, origin: origin, at: now)
                return .over(reached)
            }
        }
        throw StorageError.unavailable("others were quicker every time")
    }

    /// Opens what a good approval opens: a session at the website elsewhere that the sign-in is for, where the app may
    /// open that one, and otherwise one here, unless it would take the place of a better one (ADR-0077).
    /// - Returns: `nil` where the app's session has just ended.
    private func open(
        by app: AppSession, _ phone: ApprovingPhone, detail: String, for handOff: HandOffs.Request?,
        replacing current: WebSession?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> PhoneSignInConfirmation? {
        if let handOff {
            if let link = try await handOffs?.link(
                for: handOff, approvedIn: app, scope: phone.scope, detail: detail, origin: origin)
            {
                return .handedOn(link, of: app.subject)
            }
            if current?.handsOnMore(than: app, at: now) == true { return .notEnough }
        }
        let opened = try await opener.openApproved(
            by: app, scope: phone.scope, replacing: current, detail: detail, origin: origin, at: now)
        if let opened { return .signedIn(opened) }
        try await log.recordRefusal(.sessionEnded, of: phone, origin: origin, at: now)
        return nil
    }

    /// What an empty or a half-filled field comes to: it guesses nothing, so it is none of the three attempts.
    private func withoutDigits(_ secret: OpaqueSecret) async throws -> PhoneSignInConfirmation {
        let reached = try await page(of: secret)
        return switch reached.state {
        case .created, .scanned: .notYet(reached)
        case .approved: .noDigits(reached)
        case .denied, .locked, .completed, .expired: .over(reached)
        }
    }
}

extension WebSession {
    /// Whether it is a live sign-in of an approving app's user, which hands on what a session by that approval does not
    /// (contract §16.4).
    func handsOnMore(than app: AppSession, at now: Timestamp) -> Bool {
        isOwnSignIn && subject == app.subject && isAlive(at: now)
    }
}

extension PhoneSignIns {
    /// Whether an app's approval may lead a browser on to a website elsewhere.
    package func mayLeadOn(to website: ClientID) -> Bool { handOffs?.takesApprovals(atWebsite: website) ?? false }

    /// Whether a link is that of the browser's own page.
    package func isLink(_ id: String?, of secret: OpaqueSecret) -> Bool {
        guard let id else { return false }
        return ConstantTime.equals(id.utf8, PhoneSignInNames(of: secret).id.utf8)
    }
}
