/// Access tokens that were revoked before their time, by `jti` (RFC 7009); kept until they would have expired.
package protocol RevokedTokenStore: Sendable {
    /// Does nothing for one that is revoked already.
    func revokeToken(_ id: TokenID, until expiry: Timestamp, event: AuditEvent) async throws

    func isRevoked(_ id: TokenID) async throws -> Bool

    /// - Returns: how many, at most `limit` of them.
    func purgeRevokedTokens(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}
