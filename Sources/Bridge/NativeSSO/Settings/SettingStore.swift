/// Settings that administrators change while the service runs; each is one JSON text under a name.
package protocol SettingStore: Sendable {
    /// `nil` when nobody has set it.
    func setting(_ name: String) async throws -> String?

    /// Sets it, or takes it back to nothing with `nil`, and records the event in the same transaction.
    func saveSetting(_ name: String, _ value: String?, at now: Timestamp, event: AuditEvent) async throws
}
