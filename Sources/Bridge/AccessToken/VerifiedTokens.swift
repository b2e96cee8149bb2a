import Synchronization

/// Access tokens whose signature was checked, by digest of the token; bounded by two generations.
final class VerifiedTokens: Sendable {
    private struct State {
        var young: [BearerCache.Key: AccessTokenClaims] = [:]
        var old: [BearerCache.Key: AccessTokenClaims] = [:]
    }

    private let state = Mutex(State())
    private let generationSize: Int

    init(capacity: Int) { generationSize = max(1, capacity / 2) }

    func claims(for key: BearerCache.Key) -> AccessTokenClaims? {
        state.withLock { state in
            if let claims = state.young[key] { return claims }
            guard let claims = state.old[key] else { return nil }
            insert(claims, for: key, into: &state)
            return claims
        }
    }

    func insert(_ claims: AccessTokenClaims, for key: BearerCache.Key) {
        state.withLock { insert(claims, for: key, into: &$0) }
    }

    private func insert(_ claims: AccessTokenClaims, for key: BearerCache.Key, into state: inout State) {
        if state.young.count >= generationSize {
            state.old = state.young
            state.young = [:]
        }
        state.young[key] = claims
    }
}
