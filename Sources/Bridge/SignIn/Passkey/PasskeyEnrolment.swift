import OAuth2

/// How users add passkeys, and remove them.
///
/// A passkey alone is two factors, for as long as it is not removed: a user who adds one must have signed in here a
/// moment ago, with everything that the account asks for (contract §16.2).
package final class PasskeyEnrolment: Sendable {
    /// Where passkeys are kept, and the accounts that they belong to.
    package typealias Storage = PasskeyStore & UserStore

    private let storage: any Storage
    private let refusals: RefusalLog
    private let seal: ShortLivedSeal
    private let time: TimeSource
    private let random: RandomSource

    package init(
        storage: any Storage, refusals: RefusalLog, keys: Reloadable<SecretKeyRing>, time: TimeSource,
        random: RandomSource = .system
    ) {
        self.storage = storage
        self.refusals = refusals
        seal = ShortLivedSeal(keys: keys, purpose: .passkeyEnrolment, time: time)
        self.time = time
        self.random = random
    }

    package func passkeys(of subject: Subject) async throws -> [Passkey] {
        try await storage.passkeys(of: subject)
    }

    /// Where the user of a session stands.
    package enum Standing: Sendable {
        /// A trusted issuer's user, who has no account here.
        case noAccount
        /// May have none: without a password here, disabled, or with another place to sign in, also with a password
        /// here besides. An account that is closed there must not stay open by a passkey here, and what another
        /// provider says of factors is not ours.
        case unavailable
        /// May have some, and change them after a newer sign-in, or a stronger one.
        case needsSignIn
        /// May change them in this session.
        case open(Account)
    }

    package func standing(in session: WebSession) async throws -> Standing {
        guard let account = try await storage.account(of: session.subject) else { return .noAccount }
        guard account.passwordHash != nil, account.disabledAt == nil,
            try await storage.identities(of: account.subject).isEmpty
        else { return .unavailable }
        guard session.isFreshSignInWithoutPhone(at: time.now()), account.isSatisfied(by: session.authentication) else {
            return .needsSignIn
        }
        return .open(account)
    }

    /// The account whose passkeys may be changed in a session.
    func account(in session: WebSession) async throws -> Account? {
        guard case .open(let account) = try await standing(in: session) else { return nil }
        return account
    }

    /// What a page asks the browser for.
    /// - Parameter known: the account's passkeys.
    package func draft(
        for account: Account, besides known: [Passkey], in session: WebSession, at party: PasskeyParty
    ) throws -> PasskeyDraft {
        let handle = known.first.flatMap { Base64URL.decode($0.userHandle) } ?? random.bytes(32)
        return PasskeyDraft(
            challenge: PasskeyChallenge(
                sealed: try seal.seal(
                    handle, binding: Self.binding(session, party), lifetime: PasskeyChallenge.lifetime)),
            userHandle: Base64URL.encode(handle), username: account.username?.text ?? account.shownName,
            displayName: account.shownName,
            excluded: known.filter { $0.relyingParty == party.id }.map(\.credentialID))
    }

    /// Adds what the browser made.
    /// - Parameters:
    ///   - made: `nil` when it is not of the form that it has to have.
    ///   - sealed: the draft's challenge.
    package func add(
        _ made: MadePasskey?, to sealed: String, named name: String, at party: PasskeyParty, in session: WebSession,
        origin: RequestOrigin
    ) async throws -> PasskeyOutcome {
        let now = time.now()
        guard let account = try await account(in: session) else {
            return try await refuse(.notSignedIn, session, as: .notSignedIn, origin: origin, at: now)
        }
        guard let handle = seal.open(sealed, binding: Self.binding(session, party)) else {
            return try await refuse(.stale, session, as: .stale, origin: origin, at: now)
        }
        let challenge = PasskeyChallenge(sealed: sealed)
        let passkey: Passkey
        do throws(PasskeyRefusal) {
            guard let made else { throw .malformed }
            let (id, key, count) = try made.credential(for: challenge, at: party)
            guard let algorithm = key.coseAlgorithm else { throw .malformed }
            passkey = Passkey(
                mark: Passkey.mark(ofCredential: id), subject: account.subject, relyingParty: party.id,
                credentialID: Base64URL.encode(id), algorithm: algorithm, publicKey: key.bareJWK.text,
                userHandle: Base64URL.encode(handle), name: name, signCount: Int64(count), createdAt: now)
        } catch {
            return try await refuse(error, session, origin: origin, at: now)
        }
        switch try await storage.add(
            passkey, for: challenge.used(at: now), in: session.id,
            event: Self.event(.userPasskeyAdded, passkey.mark, session, origin, now))
        {
        case .added: return .added
        case .taken: return try await refuse(.taken, session, as: .taken, origin: origin, at: now)
        case .tooMany:
            return try await refuse(.tooMany, session, as: .tooMany, origin: origin, at: now)
        case .challengeUsed: return try await refuse(.challengeUsed, session, origin: origin, at: now)
        case .anotherHandle: return try await refuse(.stale, session, as: .stale, origin: origin, at: now)
        case .sessionEnded:
            return try await refuse(.notSignedIn, session, as: .notSignedIn, origin: origin, at: now)
        }
    }

    /// Removes a passkey for good. What was signed in with it goes on.
    package func remove(
        _ mark: String, in session: WebSession, origin: RequestOrigin
    ) async throws -> PasskeyOutcome {
        let now = time.now()
        guard try await account(in: session) != nil else {
            return try await refuse(
                .notSignedIn, session, as: .notSignedIn, origin: origin, at: now)
        }
        let isRemoved = try await storage.removePasskey(
            mark, of: session.subject, event: Self.event(.userPasskeyRemoved, mark, session, origin, now))
        guard isRemoved else {
            // Another tab was first; or it never was this user's.
            return try await refuse(.unknown, session, as: .removed, origin: origin, at: now)
        }
        return .removed
    }

    private func refuse(
        _ refusal: PasskeyRefusal, _ session: WebSession,
        as outcome: PasskeyOutcome = .refused, origin: RequestOrigin, at now: Timestamp
    ) async throws -> PasskeyOutcome {
        try await refusals.record(
            AuditEvent(
                at: now, type: .userPasskeyRefused, outcome: .failure, reason: refusal.rawValue,
                subject: session.subject,
                sessionID: session.id, origin: origin),
            within: .network("audit.passkey", of: origin, perMinute: 120))
        return outcome
    }

    private static func event(
        _ type: AuditEventType, _ mark: String, _ session: WebSession, _ origin: RequestOrigin, _ now: Timestamp
    ) -> AuditEvent {
        .byUser(
            type, session.subject, sessionID: session.id, facts: [PasskeySignIn.markName: mark], origin: origin,
            at: now)
    }

    private static func binding(_ session: WebSession, _ party: PasskeyParty) -> String {
        "\(session.id.rawValue) \(session.subject.rawValue) \(party.origin)"
    }
}

/// What a browser needs to make a passkey.
package struct PasskeyDraft: Sendable {
    package let challenge: PasskeyChallenge
    package let userHandle: String
    /// What the authenticator shows.
    package let username: String
    package let displayName: String
    /// Credentials whose authenticators have one already.
    package let excluded: [String]
}

/// The outcome of a user's change to their passkeys.
package enum PasskeyOutcome: Sendable {
    case added, removed
    case refused
    /// The page was open for too long, or is another browser's.
    case stale
    case taken, tooMany
    /// This takes a newer sign-in, or a stronger one.
    case notSignedIn
}
