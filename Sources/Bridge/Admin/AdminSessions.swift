package import Logging

/// Opens, finds and ends the console's sessions.
package final class AdminSessions: Sendable {
    private let store: any AdminSessionStore
    private let authenticator: any AdminAuthenticator
    private let time: TimeSource
    private let random: RandomSource
    private let logger: Logger

    /// Written at most this often; a crash may shorten a session by it, never lengthen it.
    private static let touchPause = Duration.seconds(20)
    /// Why a session was ended that its token no longer carries.
    private static let endedReason = "credential_ended"

    /// - Parameter authenticator: says whether the token that opened a session still administers.
    package init(
        store: any AdminSessionStore, authenticator: any AdminAuthenticator, time: TimeSource,
        random: RandomSource = .system, logger: Logger = Logger(label: "drawbridge.sessions")
    ) {
        self.store = store
        self.authenticator = authenticator
        self.time = time
        self.random = random
        self.logger = logger
    }

    /// Opens a session for a user who has just proved to be an administrator.
    package func open(_ administrator: Administrator, origin: RequestOrigin) async throws -> OpaqueSecret {
        let now = time.now()
        let secret = OpaqueSecret.make(.adminSession, random: random)
        let longest = now + AdminSession.lifetime
        try await store.open(
            AdminSession(
                secretDigest: secret.digest, actor: administrator.actor, credential: administrator.credential,
                createdAt: now, expiresAt: min(administrator.expiresAt, longest), lastSeenAt: now),
            event: AdminAction(actor: administrator.actor, origin: origin, at: now).event(.adminSignedIn))
        return secret
    }

    /// The live session of a cookie, as long as what opened it would open it still (contract §16.9).
    /// - Parameter isUse: whether this puts its idle end off.
    package func lookUp(_ secret: OpaqueSecret, isUse: Bool = true) async throws -> AdminSession? {
        let now = time.now()
        guard let session = try await store.adminSession(secretDigest: secret.digest), session.isAlive(at: now) else {
            return nil
        }
        guard try await authenticator.stillAdministers(session.administrator, at: now) else {
            let action = AdminAction(actor: session.actor, reason: Self.endedReason, origin: nil, at: now)
            _ = try await store.endAdminSession(session.secretDigest, event: action.event(.adminSignedOut))
            return nil
        }
        if isUse, now - session.lastSeenAt >= Self.touchPause { try await touch(session, at: now) }
        return session
    }

    private func touch(_ session: AdminSession, at now: Timestamp) async throws {
        do {
            try await store.touchAdminSession(session.secretDigest, at: now)
        } catch let error as StorageError {
            // As with ``WebSessions``: it is alive by what is stored, and an outage is when the console is needed.
            logger.warning("could not note that a console session was seen", metadata: ["error": "\(error)"])
        }
    }

    package func end(_ secret: OpaqueSecret, origin: RequestOrigin) async throws {
        guard let session = try await store.adminSession(secretDigest: secret.digest) else { return }
        let action = AdminAction(actor: session.actor, origin: origin, at: time.now())
        _ = try await store.endAdminSession(session.secretDigest, event: action.event(.adminSignedOut))
    }
}
