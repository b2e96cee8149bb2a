package import OAuth2

/// The signing keys of a database, which all its nodes share; their secrets are sealed before they come here.
///
/// The keys change as a whole: the caller says which state it saw, and nothing is written when that is no longer the
/// present one. So every rule about them is decided in one place, ``KeySchedule``.
package protocol SigningKeyStore: Sendable {
    /// Grows with every change, in the order of commits; 0 before the first.
    func signingKeysNumber() async throws -> Int64

    func signingKeys() async throws -> StoredSigningKeys

    /// Makes a change to the keys that the caller has seen.
    /// - Parameter number: that of ``StoredSigningKeys/number``.
    /// - Returns: `false` when they were changed since; then nothing was written.
    func changeSigningKeys(_ change: SigningKeyChange, seenAs number: Int64, events: [AuditEvent]) async throws -> Bool

    /// Notes that a node lives, and which state of the keys it has taken in.
    func noteSigningKeys(_ number: Int64, knownTo node: String, at now: Timestamp) async throws

    /// Removes the note of a node that stops.
    func forgetSigningKeys(knownTo node: String) async throws

    /// What each node noted that has been heard of since `instant`.
    func signingKeyNumbers(notedSince instant: Timestamp) async throws -> [String: Int64]

    /// What time the database has; `nil` where it has no clock but this machine's.
    func databaseTime() async throws -> Timestamp?
}

/// All signing keys at one moment.
package struct StoredSigningKeys: Hashable, Sendable {
    package let number: Int64
    package let keys: [SealedSigningKey]

    package init(number: Int64, keys: [SealedSigningKey]) {
        self.number = number
        self.keys = keys
    }
}

/// What a change writes and removes.
package struct SigningKeyChange: Hashable, Sendable {
    /// Keys that are added, and those whose times change.
    package let saved: [SealedSigningKey]
    package let removed: [String]

    package init(saved: [SealedSigningKey], removed: [String] = []) {
        self.saved = saved
        self.removed = removed
    }
}

/// A signing key as the database keeps it: useless without the master key.
package struct SealedSigningKey: Hashable, Sendable {
    /// `kid`.
    package let id: String
    package let algorithm: KeyAlgorithm
    /// The private key or shared secret, sealed by ``MasterKey``; base64url.
    package let sealedKey: String
    /// As the JWK set shows it; empty for a shared secret.
    package let publicKey: JSONValue
    package let createdAt: Timestamp
    /// When it begins to sign; every verifier has it before (Core §10.1.1).
    package var signsFrom: Timestamp
    /// Whether it signs earlier when every living node has it.
    package var signsWhenKnown: Bool
    /// When it stops verifying; `nil` while nothing follows it.
    package var retiresAt: Timestamp?
    /// When it was retired at once: nothing that it signed is believed, whenever that was.
    package var withdrawnAt: Timestamp?
    /// The number of the change that added it; 0 for one that is not stored yet.
    package let addedIn: Int64

    package init(
        id: String, algorithm: KeyAlgorithm, sealedKey: String, publicKey: JSONValue, createdAt: Timestamp,
        signsFrom: Timestamp, signsWhenKnown: Bool = false, retiresAt: Timestamp? = nil,
        withdrawnAt: Timestamp? = nil, addedIn: Int64 = 0
    ) {
        self.id = id
        self.algorithm = algorithm
        self.sealedKey = sealedKey
        self.publicKey = publicKey
        self.createdAt = createdAt
        self.signsFrom = signsFrom
        self.signsWhenKnown = signsWhenKnown
        self.retiresAt = retiresAt
        self.withdrawnAt = withdrawnAt
        self.addedIn = addedIn
    }

    /// Whether its time to sign has come.
    package func hasBegun(at now: Timestamp) -> Bool { KeyAlgorithm.hasBegun(signsFrom, at: now) }

    /// Whether what it signed is believed at `now`.
    package func isLive(at now: Timestamp) -> Bool { withdrawnAt == nil && retiresAt.map { now < $0 } ?? true }
}

/// Remembers beside the database which keys were retired at once, so that a backup of the database that is older than
/// that does not bring them back.
package protocol WithdrawnKeyRecord: Sendable {
    /// The `kid`s of all keys that were ever seen retired so.
    func ids() throws -> Set<String>

    func add(_ ids: Set<String>) throws
}

/// Answers what a node does not know yet.
package protocol KeyInquiry: Sendable {
    /// Takes in a key that a token names, if the database has it.
    ///
    /// Tokens can name keys that never were, as often as their sender likes; asking about them costs the database
    /// nothing to speak of.
    /// - Throws: ``StorageError`` when the database cannot say.
    func learn(_ keyID: String) async throws
}

/// A change to the keys of a database while it is being decided.
struct SigningKeyDraft {
    let now: Timestamp
    private let before: [SealedSigningKey]
    private(set) var keys: [SealedSigningKey]
    private var saved: [SealedSigningKey] = []
    private var removed: [String] = []
    /// Go with the change.
    var events: [AuditEvent] = []

    init(_ keys: [SealedSigningKey], at now: Timestamp) {
        self.now = now
        before = keys
        self.keys = keys
    }

    /// `nil` when nothing is to be changed.
    var change: SigningKeyChange? {
        saved.isEmpty && removed.isEmpty ? nil : SigningKeyChange(saved: saved, removed: removed)
    }

    /// The keys that were not there before.
    var added: [SealedSigningKey] { saved.filter { key in !before.contains { $0.id == key.id } } }

    func has(_ algorithm: KeyAlgorithm) -> Bool { keys.contains { $0.algorithm == algorithm } }

    func schedule(of algorithm: KeyAlgorithm) -> KeySchedule { KeySchedule(keys, of: algorithm, at: now) }

    /// Takes over what a schedule changed; each algorithm's once.
    mutating func take(_ schedule: KeySchedule) {
        let changes = schedule.changes
        let ids = Set(changes.map(\.id))
        keys = keys.filter { !ids.contains($0.id) } + changes
        saved += changes
    }

    /// Lets go of keys that ended before an instant, one way or the other.
    mutating func removeEnded(before cutoff: Timestamp) {
        removed += keys.filter { key in
            let end = [key.withdrawnAt, key.retiresAt].compactMap(\.self).min()
            return end.map { $0 < cutoff } ?? false
        }.map(\.id)
    }
}
