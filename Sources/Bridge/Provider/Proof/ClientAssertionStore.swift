/// The arbiter of the single use of clients' signed assertions (RFC 7523 §3, `jti`).
///
/// Durable and not a ``ReplayGuard``: nothing else decides about a second use, so the answer must not depend on what may
/// be away, forget or be known to one node alone.
package protocol ClientAssertionStore: Sendable {
    /// Uses an assertion up: of any number of concurrent callers on any number of servers one gets `true`.
    /// - Parameters:
    ///   - digest: base64url of SHA-256 over the client and the assertion's id.
    ///   - expiry: from which the assertion is refused by its time.
    func claimAssertion(digest: String, until expiry: Timestamp) async throws -> Bool

    /// Forgets assertions that expired before `cutoff`.
    /// - Returns: how many, at most `limit` of them.
    func purgeAssertions(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}
