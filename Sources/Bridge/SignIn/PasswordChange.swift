import OAuth2

/// How users change their password, and set the first one by a link that an administrator made.
package final class PasswordChange: Sendable {
    /// How long a link may wait; as long as its seal can hold.
    package static let linkLifetime = KeyAlgorithm.hs256.longestUse

    /// Where accounts are kept, and the log of what was changed.
    package typealias Storage = UserStore & AuditLog

    private let storage: any Storage
    private let hasher: PasswordHasher
    private let throttle: SignInThrottle
    private let opener: SessionOpener
    private let endings: SessionEndings
    private let refusals: RefusalLog
    private let links: ShortLivedSeal
    private let clients: Reloadable<ClientDirectory>
    private let time: TimeSource

    package init(
        storage: any Storage, hasher: PasswordHasher, throttle: SignInThrottle, opener: SessionOpener,
        endings: SessionEndings, refusals: RefusalLog, keys: Reloadable<SecretKeyRing>,
        clients: Reloadable<ClientDirectory>, time: TimeSource
    ) {
        self.storage = storage
        self.hasher = hasher
        self.throttle = throttle
        self.opener = opener
        self.endings = endings
        self.refusals = refusals
        links = ShortLivedSeal(keys: keys, purpose: .passwordLink, time: time)
        self.clients = clients
        self.time = time
    }

    /// The account whose password may be changed in a session: the person signed in with it here, with everything that
    /// the account asks for (contract §16.2).
    package func account(in session: WebSession) async throws -> Account? {
        guard session.isOwnSignIn, let account = try await storage.account(of: session.subject),
            account.passwordHash != nil, account.disabledAt == nil,
            account.isSatisfied(by: session.authentication)
        else { return nil }
        return account
    }

    /// Replaces the password and ends everything of the user, this session too, in whose place a new one opens.
    ///
    /// Old passwords are guessed at here as little as at the sign-in: each counts before it is looked at.
    package func change(
        from old: Secret<String>, to new: Secret<String>, in session: WebSession, origin: RequestOrigin
    ) async throws -> PasswordChangeOutcome {
        let verdict = try await hasher.turn { try await judge(old, new, in: session, origin: origin) }
        // Whatever is committed comes after the turn, which others wait for.
        let now = time.now()
        switch verdict {
        case .weakSession:
            try await record(.weakSession, of: session.subject, session.id, origin: origin, at: now)
            return .stale
        case .flawed(let flaw): return .flawed(flaw)
        case .limited(let excess):
            return .limited(retryAfter: try await throttle.tell(excess, origin: origin, at: now))
        case .wrong(let account):
            try await refusals.record(
                AuditEvent(
                    at: now, type: .userSignInFailed, outcome: .failure,
                    reason: SignInRefusal.wrongPassword.rawValue, subject: account.subject,
                    sessionID: session.id, origin: origin))
            return .wrongPassword
        case .right(let account, let hash):
            guard
                let changed = try await set(
                    hash, of: account, by: .session(session.id), AuditEvent.byTheUser, origin: origin, at: now)
            else { return .stale }
            // As strong as the one before, no younger, and no longer: the password alone proves no second factor again.
            guard
                var opened = try await opener.open(
                    for: account.subject, authentication: session.authentication,
                    provenBy: .password(setAt: changed.passwordChangedAt, after: changed.lastEnd), replacing: session,
                    isSameSignIn: true, until: session.expiresAt, origin: origin, at: now)
            else { return .stale }
            opened.recognition = recognition(of: changed, before: account, origin: origin, at: now)
            return .changed(opened)
        }
    }

    /// What the two passwords came to, before anything of it is written.
    private enum Verdict: Sendable {
        /// - Parameter hash: the new password's.
        case right(Account, hash: PasswordHash)
        case weakSession
        case flawed(PasswordFlaw)
        case limited(SignInThrottle.Excess)
        case wrong(Account)
    }

    /// Looks at both passwords; the account may have changed while this waited for its turn.
    private func judge(
        _ old: Secret<String>, _ new: Secret<String>, in session: WebSession, origin: RequestOrigin
    ) async throws -> Verdict {
        guard let account = try await account(in: session) else { return .weakSession }
        if let flaw = PasswordRules.flaw(of: new, for: account) { return .flawed(flaw) }
        if let excess = try await throttle.take(
            .password, of: account.username, account, origin: origin, at: time.now())
        {
            return .limited(excess)
        }
        let isHashable = old.expose().utf8.count <= PasswordRules.maximumBytes
        guard try await hasher.verify(old, against: isHashable ? account.passwordHash : nil) else {
            return .wrong(account)
        }
        if new.expose() == old.expose() { return .flawed(.same) }
        return .right(account, hash: try await hasher.hash(new))
    }

    // Links.

    /// Makes a link's secret part for an account, which sets a password once, and none after another was set.
    /// - Returns: `nil` for a user without an account here who could sign in with it.
    package func invite(_ subject: Subject, action: AdminAction) async throws -> Secret<String>? {
        guard let account = try await storage.account(of: subject), account.username != nil, account.disabledAt == nil
        else { return nil }
        // Without a standing it is refused for as long as its maker has none (ADR-0074).
        let maker = SetUpLink.Maker(
            actor: action.actor, standing: try await standing(of: action.actor) ?? Account.noEnd)
        let content = SetUpLink(for: account, by: maker)
        let link = Secret(try links.seal(content.text, lifetime: Self.linkLifetime))
        try await storage.append([action.event(.userSetUpLinkMade, subject: subject)])
        return link
    }

    /// What has to stay as it is for an administrator's links to count.
    /// - Returns: `nil` for one who does not administer (any more).
    private func standing(of actor: AdminActor) async throws -> Timestamp? {
        switch actor {
        case .login: return Account.noEnd
        case .client(let id):
            guard let client = clients.current[id], client.mayAdminister else { return nil }
            return client.adminEpoch
        case .account(let subject):
            guard let account = try await storage.account(of: subject), account.role == .admin,
                account.disabledAt == nil
            else { return nil }
            return account.everythingEndedAt ?? Account.noEnd
        }
    }

    /// The account that a link is for; `nil` when it is not ours, too old, or was used.
    /// - Parameter origin: who shows it, for the audit log where it is refused; `nil` where that was written already.
    package func account(invitedBy link: Secret<String>, origin: RequestOrigin?) async throws -> Account? {
        try await invitation(by: link, origin: origin)?.account
    }

    /// What a link that counts allows.
    private struct Invitation {
        let account: Account
        let start: Timestamp
        let maker: AdminActor?
    }

    private func invitation(by text: Secret<String>, origin: RequestOrigin?) async throws -> Invitation? {
        guard let link = links.open(text.expose()).flatMap({ SetUpLink($0) }),
            let start = ShortLivedSeal.start(of: text.expose(), lifetime: Self.linkLifetime)
        else { return try await refuse(.unknownLink, nil, origin: origin) }
        guard let account = try await storage.account(of: link.subject, linkMadeAfter: start), account.username != nil,
            link.fits(account)
        else { return try await refuse(.usedLink, link, origin: origin) }
        guard account.disabledAt == nil else { return try await refuse(.disabled, link, origin: origin) }
        if let maker = link.maker {
            // A later one than is known here is of a state that this node has not heard of yet.
            guard let current = try await standing(of: maker.actor), maker.standing >= current else {
                return try await refuse(.formerMaker, link, origin: origin)
            }
        }
        return Invitation(account: account, start: start, maker: link.maker?.actor)
    }

    private func refuse(_ reason: Refusal, _ link: SetUpLink?, origin: RequestOrigin?) async throws -> Invitation? {
        if let origin {
            try await record(
                reason, of: link?.subject, nil, detail: AuditDetail.linkMade(by: link?.maker?.actor), origin: origin,
                at: time.now())
        }
        return nil
    }

    private func record(
        _ reason: Refusal, of subject: Subject?, _ session: SessionID?, detail: String? = nil, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        try await refusals.record(
            AuditEvent(
                at: now, type: .userPasswordChanged, outcome: .failure, reason: reason.rawValue, subject: subject,
                sessionID: session, origin: origin, detail: detail),
            within: .network("audit.password", of: origin, perMinute: 10))
    }

    /// Why no password was set; the words of the audit log.
    enum Refusal: String, CaseIterable {
        case unknownLink = "link_unknown"
        /// A password was set since, everything of the user ended, or the database was restored: it may have been.
        case usedLink = "link_used"
        case disabled = "user_disabled"
        /// Whoever made it administers no longer, or everything of theirs ended since: a thief may have made it.
        case formerMaker = "link_of_former_administrator"
        /// The session is not a sign-in of the user's own, or is weaker than the account asks for.
        case weakSession = "session_too_weak"
        /// Another password was set meanwhile, or the session ended.
        case outrun = "changed_meanwhile"
    }

    /// Sets the password of a link's account; does not sign in, so that a second factor is asked for all the same.
    package func setUp(
        _ new: Secret<String>, invitedBy link: Secret<String>, origin: RequestOrigin
    ) async throws -> PasswordSetUpOutcome {
        guard let invitation = try await invitation(by: link, origin: origin) else { return .stale }
        let account = invitation.account
        if let flaw = PasswordRules.flaw(of: new, for: account) { return .flawed(flaw) }
        let hash = try await hasher.turn { try await hasher.hash(new) }
        // Later than the password before, which the link names.
        let now = max(time.now(), account.passwordChangedAt + .milliseconds(1))
        guard
            let changed = try await set(
                hash, of: account, by: .link(madeAfter: invitation.start), AuditEvent.bySetUpLink,
                facts: AuditDetail.facts(ofLinkMadeBy: invitation.maker), origin: origin, at: now)
        else { return .stale }
        return .isSet(changed, recognition: recognition(of: changed, before: account, origin: origin, at: now))
    }

    /// By what the browser stays known in which the user has set the password.
    private func recognition(
        of changed: Account, before account: Account, origin: RequestOrigin, at now: Timestamp
    ) -> Secret<String>? {
        throttle.knownBrowsers.cookie(knowing: changed, knownBefore: account, in: origin.recognition, at: now)
    }

    /// - Returns: the account as it is by this and by nothing else; `nil` when another was set since it was read.
    private func set(
        _ hash: PasswordHash, of account: Account, by warrant: PasswordWarrant, _ reason: String,
        facts: [String: String] = [:], origin: RequestOrigin, at now: Timestamp
    ) async throws -> Account? {
        let event = AuditEvent.byUser(
            .userPasswordChanged, account.subject, sessionID: warrant.session, reason: reason, facts: facts,
            origin: origin, at: now)
        let replaced = try await storage.replacePassword(
            hash, of: account, by: warrant, event: event,
            ending: Ending(
                at: now, reason: .passwordChanged, origin: origin, by: warrant.session.map { EndingAsker($0) }))
        guard let replaced else {
            await endings.take(in: .nothing, of: .user(account.subject))
            try await record(.outrun, of: account.subject, warrant.session, origin: origin, at: now)
            return nil
        }
        await endings.take(in: replaced.ended, of: .user(account.subject))
        var changed = account
        changed.passwordHash = hash
        changed.passwordChangedAt = now
        changed.lastEnd = replaced.lastEnd
        return changed
    }
}

/// The outcome of replacing a password.
package enum PasswordChangeOutcome: Sendable {
    /// - Parameter opened: this browser's new session.
    case changed(OpenedSession)
    case flawed(PasswordFlaw)
    case wrongPassword
    case limited(retryAfter: Duration)
    /// The session does not allow it (any more), or another password was set meanwhile.
    case stale
}

/// The outcome of setting a password by a link.
package enum PasswordSetUpOutcome: Sendable {
    /// Nobody is signed in by it.
    /// - Parameters:
    ///   - account: as it is by this.
    ///   - recognition: by what this browser stays known for it; `nil` where it was not.
    case isSet(_ account: Account, recognition: Secret<String>?)
    case flawed(PasswordFlaw)
    /// The link does not allow it (any more), or another password was set meanwhile.
    case stale
}
