/// Keeps the state of sign-ins across devices, for minutes: the page is on one node, the phone on another, and a change
/// of a record must name what was read.
///
/// What a record says is sealed (``CrossDeviceRecords``): a reader of the store learns nothing, and a writer cannot
/// turn a sign-in into another's.
package protocol CrossDeviceStore: Sendable {
    /// Adds a record of version 0, in the place of one that has expired.
    /// - Returns: `false` when a record lives under this key; then nothing was written.
    func addCrossDevice(_ record: CrossDeviceRecord, at now: Timestamp) async throws -> Bool

    /// - Returns: `nil` when there is none, or it has expired.
    func crossDevice(_ key: String, at now: Timestamp) async throws -> CrossDeviceRecord?

    /// Puts a record, whose version is one higher, in the place of the one that it was derived from.
    /// - Returns: `false` when that has changed or expired meanwhile; then nothing was written.
    func replaceCrossDevice(with record: CrossDeviceRecord, at now: Timestamp) async throws -> Bool

    /// Removes a record; does nothing when there is none.
    func removeCrossDevice(_ key: String) async throws

    /// The versions of those living records among `keys` that are no longer at version 0: one question for all that wait.
    func movedCrossDevices(among keys: Set<String>, at now: Timestamp) async throws -> [String: Int64]

    /// - Returns: how many, at most `limit` of them.
    func purgeCrossDevices(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int
}

/// One record of a ``CrossDeviceStore``.
package struct CrossDeviceRecord: Hashable, Sendable {
    /// A digest; nothing that opens anything.
    package let key: String
    /// How often it was replaced.
    package let version: Int64
    package let content: String
    /// From this instant on it is as good as gone.
    package let expiresAt: Timestamp

    package init(key: String, version: Int64 = 0, content: String, expiresAt: Timestamp) {
        self.key = key
        self.version = version
        self.content = content
        self.expiresAt = expiresAt
    }
}
