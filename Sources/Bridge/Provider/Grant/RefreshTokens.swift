import Crypto
package import OAuth2

/// Makes refresh tokens and their successors.
package struct RefreshTokens: Sendable {
    /// How long one may stay unused, unless the settings say otherwise (RFC 9700 §4.14.2).
    package static let defaultIdleLifetime = Duration.seconds(30 * 86_400)
    /// How long a parent still gives its successor: the answer to the first try may have been lost.
    package static let grace = Duration.seconds(10)

    private let successorKey: SymmetricKey
    private let random: RandomSource
    private let idleLifetime: Duration
    /// How long the session of an app lasts at most.
    let sessionLifetime: Duration

    package init(
        master: MasterKey, idleLifetime: Duration = defaultIdleLifetime,
        sessionLifetime: Duration = AppSession.defaultLifetime, random: RandomSource = .system
    ) {
        self.idleLifetime = idleLifetime
        self.sessionLifetime = sessionLifetime
        successorKey = master.derived("refresh token successor")
        self.random = random
    }

    package func make(at now: Timestamp) -> OpaqueSecret {
        OpaqueSecret.make(.refreshToken, at: now, random: random)
    }

    /// The one successor of a token: computed from it, so that it can be given twice and kept as a digest only.
    func successor(of parent: OpaqueSecret) -> OpaqueSecret {
        parent.sibling(
            Array(HMAC<SHA256>.authenticationCode(for: Array(parent.expose().utf8), using: successorKey)))
    }

    package func record(
        _ token: OpaqueSecret, for session: AppSession, scope: Scope, proofKeyThumbprint: String?, at now: Timestamp
    ) -> RefreshTokenRecord {
        RefreshTokenRecord(
            digest: token.digest, sessionID: session.id, scope: scope, proofKeyThumbprint: proofKeyThumbprint,
            issuedAt: now, expiresAt: end(in: session, at: now))
    }

    /// When a token ends that is given or used now, if it is not used again.
    func end(in session: AppSession, at now: Timestamp) -> Timestamp { min(now + idleLifetime, session.expiresAt) }
}

/// A refresh token as it is kept.
package struct RefreshTokenRecord: Hashable, Sendable {
    /// ``OpaqueSecret/digest`` of the token.
    package let digest: String
    package let sessionID: SessionID
    /// What was granted with it.
    package let scope: Scope
    /// The key it is bound to (RFC 9449 §5).
    package let proofKeyThumbprint: String?
    package let issuedAt: Timestamp
    /// When it ends if it is not used; for one that has a successor, until when it is remembered.
    package let expiresAt: Timestamp

    package init(
        digest: String, sessionID: SessionID, scope: Scope, proofKeyThumbprint: String? = nil, issuedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.digest = digest
        self.sessionID = sessionID
        self.scope = scope
        self.proofKeyThumbprint = proofKeyThumbprint
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}

/// A stored refresh token with its session, and where it stands in its rotation (contract §5.2).
package struct RefreshTokenState: Hashable, Sendable {
    package let record: RefreshTokenRecord
    /// When a successor took its place, and which.
    package let rotatedAt: Timestamp?
    package let successorDigest: String?
    /// Whether the successor has a successor.
    package let isSuccessorRotated: Bool
    package let session: AppSession

    package init(
        record: RefreshTokenRecord, rotatedAt: Timestamp?, successorDigest: String?, isSuccessorRotated: Bool,
        session: AppSession
    ) {
        self.record = record
        self.rotatedAt = rotatedAt
        self.successorDigest = successorDigest
        self.isSuccessorRotated = isSuccessorRotated
        self.session = session
    }
}

/// Whether a refresh token was replaced by its successor (contract §5.2).
package enum RefreshTokenRotation: Hashable, Sendable {
    case rotated
    /// Another call was first; what stands now.
    case rotatedBefore(RefreshTokenState)
    /// Unknown, or its session has ended.
    case gone
}
