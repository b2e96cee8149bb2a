import Crypto
import Synchronization

/// Bearers that were verified, by digest of the token, so that the next request with the same token costs a hash.
///
/// Holds at most `capacity` entries and gives up the one unused for longest; refusals are not kept, so nobody can
/// fill it with rubbish. All operations take constant time.
package final class BearerCache: Sendable {
    /// SHA-256 of a token. The cache holds no token.
    package struct Key: Hashable, Sendable {
        private let first: UInt64
        private let second: UInt64
        private let third: UInt64
        private let fourth: UInt64

        package init(_ token: Secret<String>) {
            var text = token.expose()
            let digest = text.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
            (first, second, third, fourth) = digest.withUnsafeBytes { bytes in
                (
                    bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
                    bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
                )
            }
        }
    }

    private let entries: Mutex<BearerCacheEntries>
    private let time: TimeSource

    /// - Parameter capacity: at least 1.
    package init(capacity: Int = 10_000, time: TimeSource = .system) {
        entries = Mutex(BearerCacheEntries(capacity: max(1, capacity)))
        self.time = time
    }

    /// What the token was found to be, unless that is too old.
    package func identity(for key: Key, at now: Timestamp) -> BearerIdentity? {
        entries.withLock { $0.use(key, at: now, uptime: time.uptime()) }
    }

    /// Names the present content; see ``insert(_:for:verifiedIn:at:)``.
    package var generation: Int { entries.withLock { $0.generation } }

    /// Keeps an answer until its `cacheableUntil`, and for no longer than it is until then now: a wall clock that is
    /// set back later must not have an issuer's "active" believed for that much more.
    /// - Parameter generation: the ``generation`` before the verification began. An answer that was found with keys
    ///   that were dropped meanwhile is not kept.
    package func insert(_ identity: BearerIdentity, for key: Key, verifiedIn generation: Int, at now: Timestamp) {
        guard identity.cacheableUntil > now else { return }
        let believedUntil = time.uptime().advanced(by: identity.cacheableUntil - now)
        entries.withLock { entries in
            if entries.generation == generation {
                entries.insert(identity, for: key, believedUntil: believedUntil)
            }
        }
    }

    /// Forgets everything.
    package func removeAll() { entries.withLock { $0.removeAll() } }

    package var count: Int { entries.withLock { $0.count } }
}
