/// Registered clients that live in the database, beside those of the settings file.
package protocol ClientStore: Sendable {
    /// All of them, by id.
    func clients() async throws -> [Client]

    /// Adds or replaces a client and records the event; the event's type says which.
    /// - Parameter expected: `.absent` refuses to replace, `.present` refuses to add.
    /// - Returns: whether the expectation held; when not, nothing was written.
    func save(_ client: Client, expecting expected: ClientExpectation, event: AuditEvent) async throws -> Bool

    /// - Returns: whether there was one.
    func deleteClient(_ id: ClientID, event: AuditEvent) async throws -> Bool
}

package enum ClientExpectation: Hashable, Sendable { case absent, present }
