/// What the device side keeps: device secrets, the refresh cookies of web views, and the settings of Native SSO.
package protocol DeviceStore: SettingStore {
    // Device secrets, found by digest. Every verb is one transaction that also holds its audit events, and calls on any
    // number of servers that concern one device take turns.

    /// What is known of a presented secret; `nil` when it was never given out, or was purged.
    func deviceSecret(digest: String) async throws -> PresentedDeviceSecret?

    /// The device with this id, live or not.
    func deviceSecret(id: DeviceSecretID) async throws -> DeviceSecret?

    /// A user's devices, newest first.
    /// - Parameter includingEnded: with revoked and expired ones.
    func deviceSecrets(of subject: Subject, includingEnded: Bool, at now: Timestamp) async throws -> [DeviceSecret]

    /// Adds a device below the user's limit, and hangs its app session below it. A device that nobody but this session
    /// is on makes room before one with others; of these, those that ``DeviceSecretLimit/displaced(by:among:)`` names.
    ///
    /// - Parameters:
    ///   - digest: that of the secret to give out.
    ///   - event: written when it was added.
    ///   - displaced: how those end that make room.
    ///   - rejected: written when the limit rejects it.
    func issueDeviceSecret(
        _ device: DeviceSecret, digest: String, limit: DeviceSecretLimit, event: AuditEvent, displaced: Ending,
        rejected: AuditEvent?
    ) async throws -> DeviceSecretIssueOutcome

    /// Hangs an app session below a device that is still alive.
    /// - Returns: whether it is.
    func attach(_ sessionID: SessionID, to id: DeviceSecretID, at now: Timestamp) async throws -> Bool

    /// Gives a device that is still alive one more secret besides those it has, for an app that did not show its own.
    /// - Parameters:
    ///   - session: the app's, which has to hang below the device and be alive too.
    ///   - count: how many of the youngest stay; the first one stays too, those between are forgotten.
    func addDeviceSecret(
        digest: String, to id: DeviceSecretID, for session: SessionID, at now: Timestamp, keeping count: Int,
        event: AuditEvent
    ) async throws -> DeviceSecretAddition

    /// Counts a use, and opens what it is used for in the same transaction, so that nothing can be opened with a
    /// secret that was revoked a moment before.
    ///
    /// `use.events` are written only when it is accepted, `replayed` when the secret is one that was rotated away. A
    /// web session beyond its limit ends those of the same device and website that were used longest ago, also where
    /// several are opened at once.
    func useDeviceSecret(digest: String, for use: DeviceSecretUse, overlap: Duration, replayed: Ending)
        async throws -> DeviceSecretUseOutcome

    /// Replaces a secret by its successor. When several concurrent calls bring one secret, one replaces it, a second
    /// is let through as the overlap's one use and gets a successor too, and a third is a replay.
    func rotateDeviceSecret(
        digest: String, to successor: String, at now: Timestamp, overlap: Duration, event: AuditEvent,
        replayed: Ending
    ) async throws -> DeviceSecretUseOutcome

    /// Removes devices that expired before `cutoff`, apart from those below which an app session lives that had not
    /// expired by then: its end is still theirs. One that was kept may go up to an hour after that session.
    /// - Returns: how many, at most `limit` of them.
    func purgeDeviceSecrets(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int

    // The refresh cookies of web sessions in the profile `tokens` (contract §6); each is used once.

    /// Uses a refresh cookie up and puts `successor` in its place; the session counts as seen.
    ///
    /// The one before may come again as long as its successor has not been used: the answer with it was lost. What is
    /// older has been stolen, or its successor has; then the session ends with everything that descends from it.
    func refreshSession(digest: String, to successor: String, at now: Timestamp, replayed: Ending) async throws
        -> SessionRefreshOutcome

    /// The session of a refresh cookie, used or not; `nil` when it is unknown.
    func session(refreshDigest: String) async throws -> WebSession?

    /// Whether using a refresh cookie would end its session: it is older than the one before the last, or a sibling was
    /// used in its place. Changes nothing.
    func isSuperseded(refreshDigest: String) async throws -> Bool
}
