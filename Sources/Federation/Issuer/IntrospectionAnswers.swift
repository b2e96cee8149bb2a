import Bridge
import OAuth2
import Synchronization

/// What an introspection endpoint says of tokens. Callers that ask about the same one at once share a request, and "not
/// active" is remembered for a moment: sending a bad token again and again costs its issuer nothing.
final class IntrospectionAnswers: Sendable {
    typealias Members = [String: JSONValue]

    private struct State {
        /// The questions that are under way.
        var requests: [TokenDigest: Task<Members, any Error>] = [:]
        /// When each was asked about that is not active.
        var inactive: [TokenDigest: Timestamp] = [:]
    }

    private let limits: FetchLimits
    private let state = Mutex(State())

    init(limits: FetchLimits) { self.limits = limits }

    /// Whether a token was just said not to be active. A clock that is set back has it asked about again.
    func isKnownInactive(_ key: TokenDigest, at now: Timestamp) -> Bool {
        state.withLock { state in
            guard let askedAt = state.inactive[key] else { return false }
            return (.zero..<limits.inactiveLifetime).contains(now - askedAt)
        }
    }

    /// What the endpoint says of one that ``isKnownInactive(_:at:)`` does not know.
    /// - Parameter ask: in bounded time.
    func members(
        for key: TokenDigest, at now: Timestamp, ask: @escaping @Sendable () async throws -> Members
    ) async throws -> Members {
        let request = state.withLock { state in
            if let request = state.requests[key] { return request }
            let request = Task { try await self.answer(for: key, at: now, ask: ask) }
            state.requests[key] = request
            return request
        }
        return try await request.value
    }

    func forget() { state.withLock { $0.inactive = [:] } }

    private func answer(
        for key: TokenDigest, at now: Timestamp, ask: @Sendable () async throws -> Members
    ) async throws -> Members {
        let answer: Result<Members, any Error>
        do {
            answer = .success(try await ask())
        } catch {
            answer = .failure(error)
        }
        state.withLock { state in
            state.requests[key] = nil
            guard case .success(let members) = answer, members["active"]?.bool == false else { return }
            // They are too young to be worth choosing among.
            if state.inactive.count >= limits.maximumInactive { state.inactive = [:] }
            state.inactive[key] = now
        }
        return try answer.get()
    }
}
