/// Settings that administrators change while the service runs; each is one JSON text under a name.
package protocol SettingStore: Sendable {
    /// `nil` when it is not set.
    func setting(_ name: String) async throws -> String?

    /// Sets it, or takes it back to nothing with `nil`, and records the events in the same transaction.
    /// - Parameter seen: what ``setting(_:)`` gave.
    /// - Returns: whether anything was written; nothing is when the setting is another by now.
    func saveSetting(
        _ name: String, _ value: String?, seenAs seen: String?, at now: Timestamp, events: [AuditEvent]
    ) async throws -> Bool
}

extension SettingStore {
    /// As ``saveSetting(_:_:seenAs:at:events:)``, with the one event of an administrator's change.
    package func saveSetting(
        _ name: String, _ value: String?, seenAs seen: String?, at now: Timestamp, event: AuditEvent
    ) async throws -> Bool {
        try await saveSetting(name, value, seenAs: seen, at: now, events: [event])
    }
}
