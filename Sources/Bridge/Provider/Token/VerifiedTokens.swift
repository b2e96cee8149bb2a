import Synchronization

/// Access tokens whose signature was checked, by digest of the token; bounded by two generations. With other keys in
/// force it begins anew: one of those that signed them may have been retired.
final class VerifiedTokens: Sendable {
    private struct State {
        /// Which keys the signatures were checked with.
        var ring: Int64 = 0
        var young: [BearerCache.Key: AccessTokenClaims] = [:]
        var old: [BearerCache.Key: AccessTokenClaims] = [:]
    }

    private let state = Mutex(State())
    private let generationSize: Int

    init(capacity: Int) { generationSize = max(1, capacity / 2) }

    /// - Parameter ring: the number of the keys that are in force.
    func claims(for key: BearerCache.Key, in ring: Int64) -> AccessTokenClaims? {
        state.withLock { state in
            if state.ring != ring { state = State(ring: ring) }
            if let claims = state.young[key] { return claims }
            guard let claims = state.old[key] else { return nil }
            insert(claims, for: key, into: &state)
            return claims
        }
    }

    /// - Parameter ring: as it was before the signature was checked.
    func insert(_ claims: AccessTokenClaims, for key: BearerCache.Key, in ring: Int64) {
        state.withLock { state in
            if state.ring == ring { insert(claims, for: key, into: &state) }
        }
    }

    private func insert(_ claims: AccessTokenClaims, for key: BearerCache.Key, into state: inout State) {
        if state.young.count >= generationSize {
            state.old = state.young
            state.young = [:]
        }
        state.young[key] = claims
    }
}
