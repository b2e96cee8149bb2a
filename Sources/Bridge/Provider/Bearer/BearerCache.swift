import Synchronization

/// Bearers that were verified, by digest of the token, so that the next request with the same token costs a hash.
///
/// Holds at most `capacity` entries and gives up the one unused for longest; refusals are not kept, so it cannot be
/// filled with rubbish. All operations take constant time.
package final class BearerCache: Sendable {
    private let entries: Mutex<BearerCacheEntries>
    private let time: TimeSource

    /// - Parameter capacity: at least 1.
    package init(capacity: Int = 10_000, time: TimeSource) {
        entries = Mutex(BearerCacheEntries(capacity: max(1, capacity)))
        self.time = time
    }

    /// What the token was found to be, unless that is too old.
    package func identity(for key: TokenDigest, at now: Timestamp) -> BearerIdentity? {
        entries.withLock { $0.use(key, at: now, uptime: time.uptime()) }
    }

    /// Names the present content; see ``insert(_:for:verifiedIn:at:)``.
    package var generation: Int { entries.withLock { $0.generation } }

    /// Keeps an answer until its `cacheableUntil`, and for no longer than it is until then now: a wall clock that is
    /// set back later must not have an issuer's "active" believed for that much more.
    /// - Parameter generation: the ``generation`` before the verification began. An answer that was found with keys
    ///   that were dropped meanwhile is not kept.
    package func insert(
        _ identity: BearerIdentity, for key: TokenDigest, verifiedIn generation: Int, at now: Timestamp
    ) {
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

/// The entries of a ``BearerCache``: a dictionary into a doubly linked list, newest use first, kept in one array.
struct BearerCacheEntries {
    private struct Node {
        let key: TokenDigest
        var identity: BearerIdentity
        /// By the monotonic clock: how long the answer is believed whatever the wall clock says.
        var believedUntil: ContinuousClock.Instant
        var newer: Int?
        var older: Int?
    }

    private let capacity: Int
    private var positions: [TokenDigest: Int] = [:]
    private var nodes: [Node] = []
    private var newest: Int?
    private var oldest: Int?
    private(set) var generation = 0

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { nodes.count }

    mutating func use(
        _ key: TokenDigest, at now: Timestamp, uptime: ContinuousClock.Instant
    ) -> BearerIdentity? {
        guard let position = positions[key] else { return nil }
        let identity = nodes[position].identity
        guard identity.cacheableUntil > now, nodes[position].believedUntil > uptime else {
            remove(at: position)
            return nil
        }
        if newest != position {
            unlink(position)
            linkAsNewest(position)
        }
        return identity
    }

    mutating func insert(
        _ identity: BearerIdentity, for key: TokenDigest, believedUntil: ContinuousClock.Instant
    ) {
        if let position = positions[key] {
            nodes[position].identity = identity
            nodes[position].believedUntil = believedUntil
            unlink(position)
            linkAsNewest(position)
            return
        }
        if nodes.count == capacity, let oldest { remove(at: oldest) }
        nodes.append(Node(key: key, identity: identity, believedUntil: believedUntil))
        positions[key] = nodes.count - 1
        linkAsNewest(nodes.count - 1)
    }

    mutating func removeAll() {
        positions = [:]
        nodes = []
        newest = nil
        oldest = nil
        generation += 1
    }

    // The last node moves into the hole, so that the array stays dense.
    private mutating func remove(at position: Int) {
        unlink(position)
        positions[nodes[position].key] = nil
        let last = nodes.count - 1
        if position != last {
            let moved = nodes[last]
            nodes[position] = moved
            positions[moved.key] = position
            if let newer = moved.newer { nodes[newer].older = position } else { newest = position }
            if let older = moved.older { nodes[older].newer = position } else { oldest = position }
        }
        nodes.removeLast()
    }

    private mutating func unlink(_ position: Int) {
        let (newer, older) = (nodes[position].newer, nodes[position].older)
        if let newer { nodes[newer].older = older } else { newest = older }
        if let older { nodes[older].newer = newer } else { oldest = newer }
    }

    private mutating func linkAsNewest(_ position: Int) {
        nodes[position].newer = nil
        nodes[position].older = newest
        if let newest { nodes[newest].newer = position } else { oldest = position }
        newest = position
    }
}

/// Remembers what an authenticator found, so that a busy app's token is verified once.
package struct CachedBearerAuthenticator: BearerAuthenticator {
    private let verifier: any BearerAuthenticator
    private let cache: BearerCache

    package init(_ verifier: any BearerAuthenticator, cache: BearerCache) {
        self.verifier = verifier
        self.cache = cache
    }

    package func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity {
        let key = TokenDigest(token)
        if let known = cache.identity(for: key, at: now) { return known }
        let generation = cache.generation
        let identity = try await verifier.authenticate(token, at: now)
        cache.insert(identity, for: key, verifiedIn: generation, at: now)
        return identity
    }

    package func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool {
        // The cheaper question first: most services have no such issuer.
        verifier.mustAskIssuer(about: token, at: now) && cache.identity(for: TokenDigest(token), at: now) == nil
    }

    package func claimedIssuer(of token: Secret<String>) -> String? { verifier.claimedIssuer(of: token) }

    package func mismatch(of token: Secret<String>, refusedFor reason: BearerRefusal.Reason) -> BearerMismatch? {
        verifier.mismatch(of: token, refusedFor: reason)
    }

    /// Forgets everything; call it when keys or issuers were changed.
    package func reload() { cache.removeAll() }
}
