import OAuth2
import Synchronization

@testable import Bridge

/// What counts once, in a store that fails when a test says so.
///
/// It pretends an outage of every verb, or that only the answer to a claim is lost, which is made all the same. What it
/// does not fail, the store behind it does.
final class LosableUses: RequestStore {
    enum Loss: Sendable { case none, everything, answersToClaims }

    let loss: Mutex<Loss>
    private let store: any RequestStore

    init(_ store: any RequestStore, losing loss: Loss = .none) {
        self.store = store
        self.loss = Mutex(loss)
    }

    private func reached() throws -> any RequestStore {
        try fail(at: .everything)
        return store
    }

    private func fail(at loss: Loss) throws {
        if self.loss.withLock({ $0 == loss }) { throw StorageError.unavailable("lost") }
    }

    func claimUse(digest: String, madeAfter start: Timestamp, until expiry: Timestamp) async throws -> Bool {
        let isFirst = try await reached().claimUse(digest: digest, madeAfter: start, until: expiry)
        try fail(at: .answersToClaims)
        return isFirst
    }

    func storePushedRequest(_ request: PushedRequest) async throws { try await reached().storePushedRequest(request) }

    func pushedRequest(digest: String) async throws -> PushedRequest? {
        try await reached().pushedRequest(digest: digest)
    }

    func consumePushedRequest(
        digest: String, pushedAfter start: Timestamp, until expiry: Timestamp, at now: Timestamp
    ) async throws -> Bool {
        try await reached().consumePushedRequest(digest: digest, pushedAfter: start, until: expiry, at: now)
    }

    func purgePushedRequests(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await reached().purgePushedRequests(expiredBefore: cutoff, limit: limit)
    }

    func purgeUses(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await reached().purgeUses(expiredBefore: cutoff, limit: limit)
    }
}
