import OAuth2

/// Opens a browser's session after a sign-in at Drawbridge itself.
package final class SessionOpener: Sendable {
    private let sessions: WebSessions
    private let store: any SessionStore
    private let clients: Reloadable<ClientDirectory>
    private let random: RandomSource

    /// The session's client where no default web client is configured.
    static let ownClient: ClientID = "drawbridge"

    package init(
        sessions: WebSessions, store: any SessionStore, clients: Reloadable<ClientDirectory>,
        random: RandomSource = .system
    ) {
        self.sessions = sessions
        self.store = store
        self.clients = clients
        self.random = random
    }

    /// A new session with a new id and secret, whatever the browser held before (no fixation).
    /// - Parameters:
    ///   - basis: what was checked; `nil` when that is not kept here.
    ///   - current: the browser's session, which ends.
    ///   - isSameSignIn: whether the new session goes on from the sign-in that `current` resulted from.
    ///   - way: how the user showed who they are.
    ///   - end: when it is over at the latest.
    /// - Returns: `nil` when the user is disabled, or has another password by now, or the key or passkey
    ///   is not good any more, or everything has ended since it was shown.
    func open(
        for subject: Subject, authentication: Authentication, provenBy basis: SignInBasis?,
        replacing current: WebSession?, isSameSignIn: Bool = false, by way: SignInMethod = .here,
        until end: Timestamp? = nil, origin: RequestOrigin, at now: Timestamp
    ) async throws -> OpenedSession? {
        let secret = OpaqueSecret.make(.webSession, at: now, random: random)
        let website = clients.current.defaultWebsite
        let whole = website?.sessionLifetime ?? Client.defaultSessionLifetime
        let lifetime = end.map { min(whole, $0 - now) } ?? whole
        let session = WebSession(
            id: .make(at: now, random: random), secretDigest: secret.digest,
            lineage: way == .phoneElsewhere
                ? .approvedElsewhere(of: subject, authentication: authentication, at: now, lifetime: lifetime)
                : .signIn(of: subject, authentication: authentication, at: now, lifetime: lifetime),
            clientID: website?.id ?? Self.ownClient, createdAt: now,
            idleLifetime: website?.sessionIdle ?? Client.defaultSessionIdle, lastSeenAt: now)
        return try await open(
            session, secret,
            replacing: current.map {
                ReplacedSession($0, by: subject, isSameSignIn: isSameSignIn, origin: origin, at: now)
            },
            provenBy: basis, reason: way.reason, detail: way.detail ?? basis?.detail, origin: origin, at: now)
    }

    /// A browser's session that an app's user approved from another device: under the app's, and never more than that.
    /// - Parameters:
    ///   - scope: what the approving bearer has.
    ///   - detail: what else there is to say of the approval.
    /// - Returns: `nil` when the app's session has ended, or the user is disabled.
    func openApproved(
        by app: AppSession, scope: Scope, replacing current: WebSession?, detail: String? = nil,
        origin: RequestOrigin, at now: Timestamp
    ) async throws -> OpenedSession? {
        let secret = OpaqueSecret.make(.webSession, at: now, random: random)
        let website = clients.current.defaultWebsite
        let session = WebSession(
            id: .make(at: now, random: random), secretDigest: secret.digest,
            lineage: app.approved(scope, at: now, lifetime: website?.sessionLifetime ?? Client.defaultSessionLifetime),
            clientID: website?.id ?? Self.ownClient, appClientID: app.clientID, createdAt: now,
            idleLifetime: website?.sessionIdle ?? Client.defaultSessionIdle, lastSeenAt: now)
        return try await open(
            session, secret,
            replacing: current.map { ReplacedSession($0, by: app.subject, origin: origin, at: now) }, provenBy: nil,
            reason: SessionOpening.deviceCode.rawValue, detail: detail, origin: origin, at: now)
    }

    /// A stronger session in a session's place: with a new id and secret, and as long as the one before would have
    /// lived. The password was not given again, so nothing may last longer for it.
    /// - Returns: `nil` when `current` has ended or is not a sign-in of its own, or the user is disabled.
    func raise(
        _ current: WebSession, to authentication: Authentication, origin: RequestOrigin, at now: Timestamp
    ) async throws -> OpenedSession? {
        guard let lineage = current.lineage.raised(to: authentication) else { return nil }
        let secret = OpaqueSecret.make(.webSession, at: now, random: random)
        let session = WebSession(
            id: .make(at: now, random: random), secretDigest: secret.digest, lineage: lineage,
            clientID: current.clientID, createdAt: now, idleLifetime: current.idleLifetime, lastSeenAt: now)
        return try await open(
            session, secret,
            replacing: ReplacedSession(current, by: current.subject, isRaised: true, origin: origin, at: now),
            provenBy: nil, reason: "second_factor", origin: origin, at: now)
    }

    /// Whether a session lives by what is stored, which is newer than what a browser's cookie was looked up with.
    func isAlive(_ session: WebSession) async throws -> Bool { try await sessions.peek(session.id) != nil }

    private func open(
        _ session: WebSession, _ secret: OpaqueSecret, replacing replaced: ReplacedSession?,
        provenBy basis: SignInBasis?, reason: String?, detail: String? = nil, origin: RequestOrigin, at now: Timestamp
    ) async throws -> OpenedSession? {
        func event(_ type: AuditEventType, _ reason: String? = nil, _ detail: String? = nil) -> AuditEvent {
            AuditEvent(
                at: now, type: type, outcome: .success, reason: reason, subject: session.subject,
                clientID: session.appClientID, targetClientID: session.clientID, sessionID: session.id, origin: origin,
                detail: detail)
        }
        let action = AdminAction(actor: .account(session.subject), reason: reason, origin: origin, at: now)
        let isOpened = try await store.open(
            session, replacing: replaced, provenBy: basis,
            events: [
                event(.userSignedIn, reason, detail),
                event(.webSessionOpened, session.openingName, AuditDetail.opening(under: session.parentID)),
            ],
            // The console lets in by no other session (contract §16.2).
            ofAdministrator: !session.isOwnSignIn
                ? nil
                : action.event(
                    .adminSignedIn, subject: session.subject, targetClientID: session.clientID, sessionID: session.id))
        // Also when it was not: the one in the way may have ended elsewhere.
        if let replaced { await sessions.forget([replaced.id]) }
        guard isOpened else { return nil }
        sessions.remember(session)
        return OpenedSession(session: session, secret: secret)
    }
}

extension SignInBasis {
    /// The detail in the audit log: with which of the user's keys.
    fileprivate var detail: String? {
        guard case .key(let thumbprint, _) = self else { return nil }
        return LinkedKeys.detail(thumbprint)
    }
}

/// How a user shows at a sign-in who they are.
enum SignInMethod: Hashable, Sendable {
    /// With a password, or at an upstream provider.
    case here
    /// - Parameter mark: the passkey's.
    case passkey(_ mark: String)
    /// With a key on this device (docs/self-issued.md).
    case phone
    /// With a key on another device than the browser's.
    case phoneElsewhere

    /// The reason in the audit log.
    var reason: String? {
        switch self {
        case .here: nil
        case .passkey: PasskeySignIn.method
        case .phone, .phoneElsewhere: SelfIssuedSignIn.method
        }
    }

    /// The detail in the audit log: what there is to say besides.
    var detail: String? {
        guard case .passkey(let mark) = self else { return nil }
        return PasskeySignIn.detail(mark)
    }
}
