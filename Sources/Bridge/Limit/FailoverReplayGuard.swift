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
        do {
            let claim = try await shared.claim(id, until: expiry, at: now)
            degradation.end()
            return claim
        } catch let error as StorageError {
            degradation.begin(because: error)
            switch policy {
            // The guard is a hint in one direction only: `.claimed` lets the durable arbiter decide.
            case .database: return .claimed
            case .refuse: throw error
            }
        }
    }
}
