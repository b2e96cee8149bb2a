package import OAuth2

/// A key in an authenticator that signs its user in (Web Authentication).
package struct Passkey: Hashable, Sendable {
    /// How many one user may have.
    package static let limit = 20
    /// Bytes of a name at most.
    package static let longestName = 64

    /// Digest of the credential's id: what pages and the log name it by. Unique over all users.
    package let mark: String
    package let subject: Subject
    /// The host that it is for, and no other.
    package let relyingParty: String
    /// In base64url, for browsers: none makes a second one in the same authenticator.
    package let credentialID: String
    package let algorithm: SignatureAlgorithm
    /// The public key as a JSON Web Key.
    package let publicKey: String
    /// What the authenticator knows its user by: random, the same for all passkeys of a user, and not told to others.
    package let userHandle: String
    /// The user's own word for it.
    package let name: String
    /// The authenticator's count of signatures; 0 where it does not count.
    package let signCount: Int64
    package let createdAt: Timestamp
    package let lastUsedAt: Timestamp?

    package init(
        mark: String, subject: Subject, relyingParty: String, credentialID: String, algorithm: SignatureAlgorithm,
        publicKey: String, userHandle: String, name: String, signCount: Int64, createdAt: Timestamp,
        lastUsedAt: Timestamp? = nil
    ) {
        self.mark = mark
        self.subject = subject
        self.relyingParty = relyingParty
        self.credentialID = credentialID
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.userHandle = userHandle
        self.name = name
        self.signCount = signCount
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }

    static func mark(ofCredential id: [UInt8]) -> String { SHA256Hash(of: id).base64URL }

    /// - Returns: `nil` for a key that is not kept as it was.
    var key: VerificationKey? {
        JSONValue.parse(publicKey.utf8).flatMap { VerificationKey(jwk: $0, for: [algorithm]) }
    }

    /// A name as it is kept: one line, not too long; `nil` for none.
    package static func name(_ text: String) -> String? {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard (1...longestName).contains(line.utf8.count),
            line.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control && $0 != "\u{FFFD}" })
        else { return nil }
        return line
    }
}

/// Whose passkeys are whose.
package protocol PasskeyStore: Sendable {
    func passkey(_ mark: String) async throws -> Passkey?

    /// A user's, the oldest first.
    func passkeys(of subject: Subject) async throws -> [Passkey]

    /// Adds a passkey, and uses up the challenge that it was made for.
    /// - Parameter session: the one in which the user does so, which must live.
    func add(
        _ passkey: Passkey, for challenge: UsedChallenge, in session: SessionID, event: AuditEvent
    ) async throws -> PasskeyAdding

    /// Removes a user's passkey.
    /// - Returns: whether it was there.
    func removePasskey(_ mark: String, of subject: Subject, event: AuditEvent) async throws -> Bool

    /// Whether a challenge was used up, or may have been before the database was restored.
    func hasUsed(_ challenge: UsedChallenge) async throws -> Bool

    /// Forgets used challenges whose end is before `cutoff`.
    /// - Returns: how many, at most `limit` of them.
    func purgeChallenges(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

/// The outcome of adding a passkey. If it is not added, nothing was written.
package enum PasskeyAdding: Hashable, Sendable {
    case added
    /// This user's or another's already.
    case taken
    /// The user has ``Passkey/limit`` of them.
    case tooMany
    /// The user's others were made for another handle: two pages were open, and this one came second.
    case anotherHandle
    case challengeUsed
    /// The session in which the user asked for it is over, or the account disabled.
    case sessionEnded
}
