import Bridge
import OAuth2
import Synchronization

/// The keys at one `jwks_uri`.
struct ClientKeyAddress: Sendable {
    let document: RemoteDocument<FetchedClientKeys>
    let missed = MissedKeyIDs()
}

/// What was found there.
struct FetchedClientKeys: Sendable {
    let keys: [VerificationKey]
    let askedAt: Timestamp

    /// Whether one of them may have signed an assertion with this `kid`.
    func mayHave(_ keyID: String?) -> Bool {
        keyID == nil || keys.contains { $0.id == nil || $0.id == keyID }
    }
}

/// The ids of keys that were wanted and were not among those that are known.
final class MissedKeyIDs: Sendable {
    /// An id that was missed longer ago may be that of a key that has come since: one that can be predicted could be missed
    /// before its key is there.
    private static let memory = Duration.seconds(60)
    /// Anyone can invent them; beyond that all are forgotten, and a caller that comes again is told to wait once more.
    private static let capacity = 64

    /// By the ids' digests, which are short.
    private let firstMissed = Mutex<[String: Timestamp]>([:])

    /// - Returns: when this one was first missed, as far as that is remembered.
    func note(_ keyID: String, at now: Timestamp) -> Timestamp {
        let digest = SHA256Hash(of: keyID).base64URL
        return firstMissed.withLock { known in
            if let first = known[digest], now - first < Self.memory { return first }
            if known.count >= Self.capacity { known.removeAll() }
            known[digest] = now
            return now
        }
    }
}
