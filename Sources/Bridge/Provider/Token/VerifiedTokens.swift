import Synchronization

/// Access tokens whose signature was checked, by digest of the token; bounded by two generations. With other keys in
/// force it begins empty: one of those that signed them may have been retired.
final class VerifiedTokens: Sendable {
    private struct State {
        /// Which keys the signatures were checked with.
        var ring: Int64 = 0
        var claims: Generations<TokenDigest, AccessTokenClaims>
    }

    private let state: Mutex<State>
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        state = Mutex(State(claims: Generations(capacity: capacity)))
    }

    /// - Parameter ring: the number of the keys that are in force.
    func claims(for key: TokenDigest, in ring: Int64) -> AccessTokenClaims? {
        state.withLock { state in
            if state.ring != ring { state = State(ring: ring, claims: Generations(capacity: capacity)) }
            return state.claims.value(for: key)
        }
    }

    /// - Parameter ring: as it was before the signature was checked.
    func insert(_ claims: AccessTokenClaims, for key: TokenDigest, in ring: Int64) {
        state.withLock { state in
            if state.ring == ring { state.claims.insert(claims, for: key) }
        }
    }
}
