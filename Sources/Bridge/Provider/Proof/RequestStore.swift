import OAuth2

/// What counts once: requests that clients sent ahead, signed assertions, and a sign-in across devices.
package protocol RequestStore: Sendable {
    // Authorization requests that clients sent ahead (RFC 9126).

    func storePushedRequest(_ request: PushedRequest) async throws

    /// The request, used or not, expired or not.
    func pushedRequest(digest: String) async throws -> PushedRequest?

    /// Uses a request up: `true` for one caller only. It may have expired, and been purged, while its user signed in.
    /// - Parameters:
    ///   - start: before which it was not pushed, as for ``claimUse(digest:madeAfter:until:)``.
    ///   - expiry: from which no sign-in that began with it is answered any more.
    func consumePushedRequest(
        digest: String, pushedAfter start: Timestamp, until expiry: Timestamp, at now: Timestamp
    ) async throws -> Bool

    /// Removes requests that expired before `cutoff`.
    /// - Returns: how many, at most `limit` of them.
    func purgePushedRequests(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int

    // The arbiter of the single use of clients' signed assertions (RFC 7523 §3, `jti`), and of what a phone approves (contract
    // §9).
    //
    // Durable and not a ``ReplayGuard``: nothing else decides about a second use, so the answer must not depend on what may
    // be away, forget or be known to one node alone.

    /// Uses something up: only one of any number of concurrent callers, on any number of servers, gets `true`.
    /// - Parameters:
    ///   - digest: base64url of SHA-256 over whose it is and its id.
    ///   - start: before which it was not made; one that may be older than the state to which the database was restored
    ///     is refused, because its use may have been forgotten.
    ///   - expiry: from which it is refused by its time.
    func claimUse(digest: String, madeAfter start: Timestamp, until expiry: Timestamp) async throws -> Bool

    /// Forgets uses of what expired before `cutoff`.
    /// - Returns: how many, at most `limit` of them.
    func purgeUses(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

extension RequestStore {
    /// Uses something up by what it says of itself, whichever node's clock that is of.
    /// - Parameters:
    ///   - name: of something that counts once, with whose it is.
    ///   - start: when it was made.
    /// - Returns: `true` for one caller only.
    func useUp(_ name: String, madeAt start: Timestamp, lifetime: Duration) async throws -> Bool {
        try await claimUse(
            digest: SHA256Hash(of: name).base64URL, madeAfter: start - TimeSource.nodeTolerance,
            until: start + lifetime + TimeSource.keptLonger)
    }
}
