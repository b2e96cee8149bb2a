/// Device secrets, found by digest. Every verb is one transaction that also holds its audit events, and calls on any
/// number of servers that concern one device take turns.
package protocol DeviceSecretStore: Sendable {
    /// What is known of a presented secret; `nil` when it was never given out, or was purged.
    func deviceSecret(digest: String) async throws -> PresentedDeviceSecret?

    /// The device with this id, live or not.
    func deviceSecret(id: DeviceSecretID) async throws -> DeviceSecret?

    /// A user's devices, newest first.
    /// - Parameter includingEnded: with revoked and expired ones.
    func deviceSecrets(of subject: Subject, includingEnded: Bool, at now: Timestamp) async throws -> [DeviceSecret]

    /// Adds a device below the user's limit, and hangs its app session below it.
    ///
    /// - Parameters:
    ///   - digest: of the secret to give out.
    ///   - event: written when it was added.
    ///   - displaced: how the oldest ends when the limit is reached.
    func issueDeviceSecret(
        _ device: DeviceSecret, digest: String, limit: DeviceSecretLimit, event: AuditEvent, displaced: Ending
    ) async throws -> DeviceSecretIssueOutcome

    /// Hangs an app session below a device that is still alive.
    /// - Returns: whether it is.
    func attach(_ sessionID: SessionID, to id: DeviceSecretID, at now: Timestamp) async throws -> Bool

    /// Gives a device that is still alive one more secret besides those it has, for an app that did not show its own.
    /// - Parameter count: how many of the youngest stay; the first one stays too, those between are forgotten.
    /// - Returns: whether the device is alive.
    func addDeviceSecret(
        digest: String, to id: DeviceSecretID, at now: Timestamp, keeping count: Int, event: AuditEvent
    ) async throws -> Bool

    /// Counts a use, and opens what it is used for in the same transaction, so that nothing can be opened with a
    /// secret that was revoked a moment before.
    ///
    /// `use.events` are written only when it is accepted, `replayed` when the secret is one that was rotated away.
    func useDeviceSecret(digest: String, for use: DeviceSecretUse, overlap: Duration, replayed: Ending)
        async throws -> DeviceSecretUseOutcome

    /// Replaces a secret by its successor. Of any number of concurrent calls with one secret one replaces it, a second
    /// is let through as the overlap's one use and gets a successor too, and a third is a replay.
    func rotateDeviceSecret(
        digest: String, to successor: String, at now: Timestamp, overlap: Duration, event: AuditEvent,
        replayed: Ending
    ) async throws -> DeviceSecretUseOutcome

    /// Removes devices that expired before `cutoff`.
    /// - Returns: how many, at most `limit` of them.
    func purgeDeviceSecrets(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

/// How many live devices a user may have, and what a further one does.
package struct DeviceSecretLimit: Hashable, Sendable {
    package enum Behavior: String, Sendable, CaseIterable {
        case revokeOldest = "revoke_oldest"
        case reject
    }

    package let count: Int
    package let behavior: Behavior

    package init(count: Int, behavior: Behavior) {
        self.count = count
        self.behavior = behavior
    }
}

/// What a device secret is used for.
package struct DeviceSecretUse: Sendable {
    /// What is opened with it.
    package enum Opening: Sendable {
        /// - Parameter refreshDigest: of the refresh cookie, in the profile `tokens`.
        case webSession(WebSession, refreshDigest: String?)
        case appSession(AppSession, refreshToken: RefreshTokenRecord?)
    }

    package let at: Timestamp
    /// The app session that the use is about; must be alive and below the device.
    package let sessionID: SessionID
    package let opening: Opening
    package let events: [AuditEvent]

    package init(at: Timestamp, sessionID: SessionID, opening: Opening, events: [AuditEvent]) {
        self.at = at
        self.sessionID = sessionID
        self.opening = opening
        self.events = events
    }
}

package enum DeviceSecretIssueOutcome: Hashable, Sendable {
    /// - Parameter ended: what ended with a displaced device.
    case issued(ended: Ended)
    /// The user has as many as allowed.
    case rejected
    /// The app session is over, or unknown; nothing was displaced.
    case sessionEnded
}

package enum DeviceSecretUseOutcome: Hashable, Sendable {
    case accepted(DeviceSecret)
    /// Never given out, revoked or expired.
    case refused(DeviceSecretRefusal)
    /// It had been rotated away: the device is revoked, and this ended with it.
    case replayed(ended: Ended)
}
