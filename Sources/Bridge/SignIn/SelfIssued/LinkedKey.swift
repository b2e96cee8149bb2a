package import OAuth2

/// A phone's key that belongs to a user.
package struct LinkedKey: Hashable, Sendable {
    /// How it came to be the user's.
    package enum Origin: String, Sendable, CaseIterable {
        /// The account was made for it.
        case account
        /// The user linked it to the account that was there.
        case linked
    }

    /// RFC 7638, SHA-256; unique over all users, ever.
    package let thumbprint: String
    package let subject: Subject
    package let algorithm: SignatureAlgorithm
    package let origin: Origin
    package let createdAt: Timestamp
    package let lastUsedAt: Timestamp?
    /// When it was unlinked: it can no longer sign in or be linked.
    package let revokedAt: Timestamp?
    /// What the holder told of themselves, and had kept when the key became theirs; unverified: a note,
    /// never the account's own name or address.
    package let told: Told

    /// Words of a phone's holder.
    package struct Told: Hashable, Sendable {
        package let name: String?
        package let email: String?

        package init(name: String? = nil, email: String? = nil) {
            self.name = name
            self.email = email
        }

        /// All that a phone told with its key.
        package init(_ proof: SelfIssuedProof) { self.init(name: proof.name, email: proof.email) }

        package var isEmpty: Bool { self == Told() }
    }

    package init(
        thumbprint: String, subject: Subject, algorithm: SignatureAlgorithm, origin: Origin, createdAt: Timestamp,
        lastUsedAt: Timestamp? = nil, revokedAt: Timestamp? = nil, told: Told = Told()
    ) {
        self.thumbprint = thumbprint
        self.subject = subject
        self.algorithm = algorithm
        self.origin = origin
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.revokedAt = revokedAt
        self.told = told
    }
}

/// Which keys belong to whom.
package protocol LinkedKeyStore: Sendable {
    /// The key, unlinked or not.
    func linkedKey(_ thumbprint: String) async throws -> LinkedKey?

    /// A user's keys that are not unlinked, the oldest first.
    func linkedKeys(of subject: Subject) async throws -> [LinkedKey]

    /// Links a key to a user.
    /// - Parameter session: the one in which the user says so; `nil` where an operator does.
    func link(_ key: LinkedKey, in session: LinkingSession?, event: AuditEvent) async throws -> Linking

    /// Adds an account, makes its user known, and links its first key.
    /// - Returns: whether the key had no account before; otherwise nothing was written.
    func addAccount(_ account: Account, issuer: String, key: LinkedKey, events: [AuditEvent]) async throws -> Bool

    /// Unlinks a key of a user, for ever, and ends in the same transaction what was signed in with a key: web sessions,
    /// and what was granted in one and outlived it.
    /// - Parameter spared: the session in which the user says so; it goes on. `nil` where an administrator does.
    func unlink(
        _ thumbprint: String, of subject: Subject, sparing spared: SessionID?, _ ending: Ending, event: AuditEvent
    ) async throws -> Unlinking
}

/// The session in which a user says that a key is theirs: it must be alive at the moment that the key is linked.
package enum LinkingSession: Hashable, Sendable {
    case browser(SessionID)
    case app(SessionID)
}

/// The outcome of unlinking.
package enum Unlinking: Hashable, Sendable {
    /// - Parameter ended: what was signed in with a key of the user's.
    case unlinked(Ended)
    /// Not this user's, or unlinked before.
    case unknown
    /// Without it nothing would be left to sign in with.
    case lastWayIn
}

/// The outcome of linking a key. If it is not linked, nothing was written.
package enum Linking: Hashable, Sendable {
    case linked
    /// Linked before, to this user or another, and perhaps unlinked since.
    case taken
    /// The session in which the user asked for it is over.
    case sessionEnded
}
