/// Authorization requests that clients sent ahead (RFC 9126).
package protocol PushedRequestStore: Sendable {
    func storePushedRequest(_ request: PushedRequest) async throws

    /// The request, used or not, expired or not.
    func pushedRequest(digest: String) async throws -> PushedRequest?

    /// Uses a request up: `true` for one caller only. It may have expired while its user signed in.
    func consumePushedRequest(digest: String, at now: Timestamp) async throws -> Bool

    /// Removes requests that expired before `cutoff`.
    /// - Returns: how many, at most `limit` of them.
    func purgePushedRequests(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

/// One authorization request that was sent ahead.
package struct PushedRequest: Hashable, Sendable {
    /// ``OpaqueSecret/digest`` of what stands in `request_uri`.
    package let digest: String
    package let clientID: ClientID
    /// The parameters as a form.
    package let parameters: String
    package let expiresAt: Timestamp
    package let usedAt: Timestamp?

    package init(
        digest: String, clientID: ClientID, parameters: String, expiresAt: Timestamp, usedAt: Timestamp? = nil
    ) {
        self.digest = digest
        self.clientID = clientID
        self.parameters = parameters
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}
