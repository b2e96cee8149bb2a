/// The fast refusal of used tokens, ahead of the durable arbiter.
///
/// A hint in one direction only: `.claimedBefore` sends the caller to the ``LoginTokenStore`` to ask, and `.claimed`
/// still lets the store decide. So a guard that forgets (a restart, a failover) costs a write, never a second session.
package protocol ReplayGuard: Sendable {
    /// Claims an id until `expiry`: of any number of concurrent callers one gets `.claimed`.
    /// - Throws: ``StorageError/unavailable(_:)`` when the guard cannot say.
    func claim(_ id: TokenID, until expiry: Timestamp, at now: Timestamp) async throws -> ReplayClaim
}

package enum ReplayClaim: Hashable, Sendable {
    case claimed
    case claimedBefore
    /// The guard has no room for another id: it says nothing about this one.
    case full
}
