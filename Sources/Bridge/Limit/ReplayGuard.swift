import Synchronization

/// The fast refusal of used tokens, ahead of the durable arbiter.
///
/// A hint in one direction only: `.claimedBefore` sends the caller to the ``LoginTokenStore`` to ask, and `.claimed`
/// still lets the store decide. So a guard that forgets (a restart, a failover) costs a write, never a second session.
package protocol ReplayGuard: Sendable {
    /// Claims an id until `expiry`: only one of any number of concurrent callers gets `.claimed`.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when the guard cannot say; `CancellationError` in a task that
    ///   is cancelled, and then the id may be claimed.
    func claim(_ id: TokenID, until expiry: Timestamp, at now: Timestamp) async throws -> ReplayClaim
}

/// Whether an id was claimed for the first time.
package enum ReplayClaim: Hashable, Sendable {
    case claimed
    case claimedBefore
    /// The guard has no room for another id: it says nothing about this one.
    case full
}

/// The replay guard of a single process: ids in memory until their tokens have expired.
///
/// Ids are kept as 128-bit numbers in one set per span of expiry, so that a whole span is dropped at once and a claim
/// costs about 40 bytes: at 10 000 redemptions a second and 60 s of life about 24 MB.
package final class InProcessReplayGuard: ReplayGuard {
    private struct Generation {
        let span: Int64
        /// An instant of the monotonic clock.
        var keptUntil: ContinuousClock.Instant
        var ids: Set<UInt128>
    }

    /// Ten seconds a generation: at most seven are alive for tokens of at most 60 s.
    private static let spanLength: Int64 = 10_000

    private let capacity: Int
    private let time: TimeSource
    private let generations = Mutex<[Generation]>([])

    /// - Parameter capacity: ids at once; at about 40 bytes each.
    package init(capacity: Int = 1_000_000, time: TimeSource = .system) {
        self.capacity = max(1, capacity)
        self.time = time
    }

    package func claim(_ id: TokenID, until expiry: Timestamp, at now: Timestamp) -> ReplayClaim {
        let key = Self.fingerprint(of: id)
        let span = expiry.milliseconds / Self.spanLength
        let oldestLive = now.milliseconds / Self.spanLength
        let uptime = time.uptime()
        let keptUntil = uptime.advanced(by: expiry - now)
        return generations.withLock { generations in
            // An id goes when it is over by both clocks: a wall clock that jumped ahead may be set right again, and one
            // that was set back has a used token live on for as long.
            generations.removeAll { $0.span < oldestLive && $0.keptUntil < uptime }
            // A login token always comes with one expiry; a DPoP proof's id may come with several of its maker's
            // choosing.
            guard !generations.contains(where: { $0.ids.contains(key) }) else { return .claimedBefore }
            guard generations.reduce(0, { $0 + $1.ids.count }) < capacity else { return .full }
            guard let index = generations.firstIndex(where: { $0.span == span }) else {
                generations.append(Generation(span: span, keptUntil: keptUntil, ids: [key]))
                return .claimed
            }
            generations[index].keptUntil = max(generations[index].keptUntil, keptUntil)
            generations[index].ids.insert(key)
            return .claimed
        }
    }

    /// The text's 128-bit FNV hash: FNV-0, which starts at zero. Should two ever collide, the second is sent to the
    /// store to ask, which is right as well.
    private static func fingerprint(of id: TokenID) -> UInt128 {
        id.rawValue.utf8.reduce(0) { $0 &* 0x0000_0000_0100_0000_0000_0000_0000_013B ^ UInt128($1) }
    }
}

/// What a redemption does while the shared replay guard is away (setting `redis.on_failure`).
package enum ReplayGuardOutagePolicy: String, Sendable, CaseIterable {
    /// Goes on: the session row is unique per token, so the database refuses the second use by itself.
    case database
    /// Is refused with 503 until the guard is back.
    case refuse
}

/// A shared replay guard whose outage does not stop redemptions, unless the operator wants it to.
package struct FailoverReplayGuard: ReplayGuard {
    private let shared: any ReplayGuard
    private let policy: ReplayGuardOutagePolicy
    private let degradation: Degradation

    package init(_ shared: any ReplayGuard, policy: ReplayGuardOutagePolicy, degradation: Degradation) {
        self.shared = shared
        self.policy = policy
        self.degradation = degradation
    }

    package func claim(_ id: TokenID, until expiry: Timestamp, at now: Timestamp) async throws -> ReplayClaim {
        try await degradation.run {
            try await shared.claim(id, until: expiry, at: now)
        } orElse: { error in
            switch policy {
            // The guard is a hint in one direction only: `.claimed` lets the durable arbiter decide.
            case .database: return .claimed
            case .refuse: throw error
            }
        }
    }
}
