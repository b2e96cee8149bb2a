import Bridge
import Foundation
import OAuth2

/// The signing keys of login tokens as they lie on disk (ADR-0005).
struct LoginTokenKeyFile: Sendable {
    /// One key. It signs from `signsFrom` until a younger one does, and verifies until `retiresAt`.
    struct Entry: Sendable {
        let id: String
        let createdAt: Timestamp
        let signsFrom: Timestamp
        var retiresAt: Timestamp?
        let secret: Secret<[UInt8]>
    }

    static let format = "drawbridge-login-token-keys-v1"
    /// HS256 keys have the hash's length at least (RFC 7518 3.2).
    static let secretLength = 32

    private(set) var entries: [Entry]

    init(entries: [Entry]) { self.entries = entries }

    /// A file with one key that signs at once.
    static func initial(at now: Timestamp, random: RandomSource) -> LoginTokenKeyFile {
        LoginTokenKeyFile(entries: [makeEntry(at: now, signsFrom: now, random: random)])
    }

    /// The key that signs at `now`: the youngest whose time has come.
    func signing(at now: Timestamp) -> Entry? {
        entries.filter { $0.signsFrom <= now && !$0.isRetired(at: now) }.max { $0.signsFrom < $1.signsFrom }
    }

    /// Adds a key that signs from `activation` on.
    ///
    /// Every older key goes on verifying until the last token that it can have signed has expired; keys past that
    /// are dropped.
    /// - Parameter tokenLifetime: the longest that any server lets a token live.
    /// - Returns: the key that was added, and the ids of those that were dropped.
    mutating func rotate(
        at now: Timestamp, activation: Timestamp, tokenLifetime: Duration, random: RandomSource
    ) -> (added: Entry, dropped: [String]) {
        let dropped = entries.filter { $0.isRetired(at: now) }.map(\.id)
        let added = Self.makeEntry(at: now, signsFrom: max(activation, now), random: random)
        entries = entries.filter { !$0.isRetired(at: now) }.map { entry in
            var entry = entry
            // A key that is to sign later than the added one would never be the youngest before it.
            let lastUse = max(added.signsFrom, entry.signsFrom)
            entry.retiresAt = entry.retiresAt ?? (lastUse + tokenLifetime)
            return entry
        }
        entries.append(added)
        return (added, dropped)
    }

    private static func makeEntry(at now: Timestamp, signsFrom: Timestamp, random: RandomSource) -> Entry {
        Entry(
            id: random.text(9), createdAt: now, signsFrom: signsFrom, retiresAt: nil,
            secret: Secret(random.bytes(secretLength)))
    }
}

extension LoginTokenKeyFile.Entry {
    /// Whether no token that this key signed can be alive any more.
    func isRetired(at now: Timestamp) -> Bool { retiresAt.map { $0 <= now } ?? false }
}
