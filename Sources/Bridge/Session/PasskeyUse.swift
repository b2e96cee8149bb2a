/// The use of a passkey that opens a session: noted in the same transaction, which decides whether it counts.
package struct PasskeyUse: Hashable, Sendable {
    /// Digest of the credential's id.
    package let mark: String
    /// The authenticator's count, which must go on where it counts.
    package let signCount: Int64
    /// What was signed, which is good once.
    package let challenge: UsedChallenge

    package init(mark: String, signCount: Int64, challenge: UsedChallenge) {
        self.mark = mark
        self.signCount = signCount
        self.challenge = challenge
    }
}

/// A challenge that was answered.
package struct UsedChallenge: Hashable, Sendable {
    package let digest: String
    /// Before which it was not made: it is not good where the database was restored since, because an answer to it may
    /// have been forgotten.
    package let madeAfter: Timestamp
    /// From then on it opens nothing anyway, and need not be remembered.
    package let expiresAt: Timestamp

    package init(digest: String, madeAfter: Timestamp, expiresAt: Timestamp) {
        self.digest = digest
        self.madeAfter = madeAfter
        self.expiresAt = expiresAt
    }
}
