import OAuth2

/// The phones' keys that stand for users, linked and unlinked by a user who signed in a moment ago (contract §10).
package final class LinkedKeys: Sendable {
    /// Where the keys are kept, and whose they are.
    package typealias Storage = LinkedKeyStore & UserStore

    /// How old the sign-in of a user who links or unlinks a key may be.
    static let linkFreshness = Duration.seconds(300)

    private let storage: any Storage
    private let endings: SessionEndings
    private let limiter: any RateLimiter
    private let gate: LimitGate
    let limits: LimitSettings
    let refusals: RefusalLog
    private let time: TimeSource

    package init(
        storage: any Storage, endings: SessionEndings, limiter: any RateLimiter, limits: LimitSettings,
        refusals: RefusalLog, time: TimeSource
    ) {
        self.storage = storage
        self.endings = endings
        self.limiter = limiter
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        self.refusals = refusals
        self.time = time
    }

    /// Whether a session may link or unlink keys: it must be the person's own sign-in, minutes old at most.
    ///
    /// With the second factor, where the user has one: a key signs in without it, so a person who has only the password
    /// must not get to link one.
    package func mayChangeKeys(_ session: WebSession) async throws -> Bool {
        guard session.isOwnSignIn, session.authentication.isFresh(within: Self.linkFreshness, at: time.now()) else {
            return false
        }
        return try await isStrongEnough(session.authentication, of: session.subject)
    }

    /// Whether a session may, as ``mayChangeKeys(_:)`` says, for an actual attempt: a refusal is written down.
    package func admitChange(in session: WebSession, origin: RequestOrigin) async throws -> Bool {
        guard try await !mayChangeKeys(session) else { return true }
        try await recordRefusal(.notSignedIn, in: session, origin: origin)
        return false
    }

    /// Whether a user may link keys at all: not one of an upstream provider, also with a password here besides. An
    /// account that is closed there must not stay open by a key here, no more than by a passkey (docs/sign-in.md).
    /// Keys that are there already may be unlinked.
    package func mayHaveKeys(_ subject: Subject) async throws -> Bool {
        try await storage.identities(of: subject).isEmpty
    }

    /// Writes down what was refused before there was an answer to judge.
    package func recordRefusal(
        _ reason: SelfIssuedRefusal.Reason, in session: WebSession? = nil, thumbprint: String? = nil,
        origin: RequestOrigin
    ) async throws {
        var refusal = SelfIssuedRefusal(reason, thumbprint: thumbprint, subject: session?.subject)
        refusal.sessionID = session?.id
        try await refusals.selfIssuedRefused(refusal, origin: origin, at: time.now())
    }

    func isStrongEnough(_ authentication: Authentication, of subject: Subject) async throws -> Bool {
        let account = try await storage.account(of: subject)
        // A key makes no other keys where there is a password: unlinking a stolen one would leave those behind. Nor
        // does it unlink the owner's.
        if account?.passwordHash != nil, authentication.amr.contains(Authentication.selfIssued) { return false }
        return account?.isSatisfied(by: authentication) ?? true
    }

    package func keys(of subject: Subject) async throws -> [LinkedKey] { try await storage.linkedKeys(of: subject) }

    /// "I have an account": links the key that the browser brought a proof of.
    /// - Parameter told: whether to keep what the phone told of its holder.
    package func link(
        _ parked: ParkedProof, told: Bool, in session: WebSession, origin: RequestOrigin
    ) async throws {
        let now = time.now()
        let proof = parked.proof
        try await recording(origin: origin, at: now) {
            try await naming(session.subject, in: session.id) {
                guard try await mayChangeKeys(session) else {
                    throw SelfIssuedRefusal(.notSignedIn, thumbprint: proof.thumbprint)
                }
                guard parked.mayBeLinked else {
                    throw SelfIssuedRefusal(
                        parked.isFromElsewhere ? .crossDeviceOff : .linkNotClaimed, thumbprint: proof.thumbprint)
                }
                try await link(proof, told: told, in: session, origin: origin, at: now)
            }
        }
    }

    func link(
        _ proof: SelfIssuedProof, told: Bool, in session: WebSession, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        let key = LinkedKey(
            thumbprint: proof.thumbprint, subject: session.subject, algorithm: proof.algorithm, origin: .linked,
            createdAt: now, told: told ? LinkedKey.Told(proof) : LinkedKey.Told())
        try await link(
            key, in: .browser(session.id),
            event: AuditEvent(
                at: now, type: .selfIssuedLinked, outcome: .success, reason: LinkedKey.Origin.linked.rawValue,
                subject: session.subject, sessionID: session.id, origin: origin,
                detail: Self.detail(proof.thumbprint)))
    }

    func link(_ key: LinkedKey, in session: LinkingSession, event: AuditEvent) async throws {
        let (subject, thumbprint) = (key.subject, key.thumbprint)
        try await checkStanding(of: subject, with: thumbprint)
        guard try await mayHaveKeys(subject) else {
            throw SelfIssuedRefusal(.upstreamUser, thumbprint: thumbprint, subject: subject)
        }
        switch try await storage.link(key, in: session, event: event) {
        case .linked: return
        case .sessionEnded: throw SelfIssuedRefusal(.notSignedIn, thumbprint: thumbprint, subject: subject)
        case .taken:
            // Whose it is already, it stays.
            guard try await liveKey(thumbprint)?.subject == subject else {
                throw SelfIssuedRefusal(.linkedElsewhere, thumbprint: thumbprint, subject: subject)
            }
        }
    }

    /// Unlinks a key for ever, and ends what was signed in with any key of the user: who has the phone has its
    /// sessions.
    package func unlink(_ thumbprint: String, in session: WebSession, origin: RequestOrigin) async throws -> Unlinking {
        let now = time.now()
        guard try await admitChange(in: session, origin: origin) else { throw SelfIssuedRefusal(.notSignedIn) }
        let event = AuditEvent(
            at: now, type: .selfIssuedUnlinked, outcome: .success, reason: AuditEvent.byTheUser,
            subject: session.subject, sessionID: session.id, origin: origin, detail: Self.detail(thumbprint))
        let outcome = try await storage.unlink(
            thumbprint, of: session.subject, sparing: session.id,
            Ending(at: now, reason: .keyUnlinked, origin: origin, by: EndingAsker(session.id)), event: event)
        switch outcome {
        case .unlinked(let ended): await endings.take(in: ended, of: .user(session.subject))
        case .unknown:
            await endings.take(in: .nothing, of: .user(session.subject))
            try await recordRefusal(.subjectUnknown, in: session, origin: origin)
        case .lastWayIn: try await recordRefusal(.lastWayIn, in: session, thumbprint: thumbprint, origin: origin)
        }
        return outcome
    }
}

// What every step shares that takes a proof of a key.
extension LinkedKeys {
    /// - Returns: `nil` for a key without an account.
    func liveKey(_ thumbprint: String) async throws -> LinkedKey? {
        guard let key = try await storage.linkedKey(thumbprint) else { return nil }
        guard key.revokedAt == nil else {
            throw SelfIssuedRefusal(.subjectRevoked, thumbprint: thumbprint, subject: key.subject)
        }
        return key
    }

    @discardableResult
    func checkStanding(of subject: Subject, with thumbprint: String) async throws -> Account {
        guard let account = try await storage.account(of: subject), account.disabledAt == nil else {
            throw SelfIssuedRefusal(.userDisabled, thumbprint: thumbprint, subject: subject)
        }
        return account
    }

    /// The member of an event's detail that names a key.
    static let thumbprintName = "thumbprint"

    /// What an event says of a key.
    static func detail(_ thumbprint: String) -> String {
        var object = JSONObjectWriter()
        object.add(thumbprintName, thumbprint)
        return object.finishedText()
    }

    /// - Throws: ``SelfIssuedRefusal`` past a limit.
    func admit(_ keys: [RateLimitKey], origin: RequestOrigin, at now: Timestamp) async throws {
        guard let wait = try await gate.take(keys, origin: origin, at: now).retryAfter else { return }
        throw SelfIssuedRefusal(.rateLimited, retryAfter: wait)
    }

    /// Runs the body and writes down why it refuses.
    func recording<Value: Sendable>(
        origin: RequestOrigin, at now: Timestamp, _ body: () async throws -> Value
    ) async throws -> Value {
        let network = limits.networkKey("self_issued.refused", of: origin, limits.refusedSelfIssuedPerNetwork)
        if let wait = try await gate.peek(network, origin: origin, at: now).retryAfter {
            throw SelfIssuedRefusal(.rateLimited, retryAfter: wait)
        }
        do {
            return try await body()
        } catch let refusal as SelfIssuedRefusal where refusal.reason != .rateLimited {
            _ = try await limiter.take(network, at: now)
            try await refusals.selfIssuedRefused(refusal, origin: origin, at: now)
            throw refusal
        }
    }

    /// Has what refuses the body name who wants a key for theirs, and the session in which they asked.
    /// - Parameter client: the app whose session it is; `nil` for a browser's.
    func naming<Value: Sendable>(
        _ subject: Subject, of client: ClientID? = nil, in session: SessionID, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let refusal as SelfIssuedRefusal {
            var named = refusal
            (named.subject, named.clientID, named.sessionID) = (subject, client, session)
            throw named
        }
    }
}
