/// Registered clients that live in the database, beside those of the settings file.
package protocol ClientStore: Sendable {
    /// All of them, by id.
    func clients() async throws -> [Client]

    /// Adds or replaces a client and records the event; the event's type says which.
    /// - Parameter expected: `.absent` refuses to replace, `.present` refuses to add, `.unchanged` refuses to replace
    ///   anything but what the caller has seen.
    /// - Returns: whether the expectation held; when not, nothing was written.
    func save(_ client: Client, expecting expected: ClientExpectation, event: AuditEvent) async throws -> Bool

    /// - Returns: whether there was one.
    func deleteClient(_ id: ClientID, event: AuditEvent) async throws -> Bool

    /// Deletes a client if it still is what the caller has seen.
    func deleteClient(unchanged client: Client, event: AuditEvent) async throws -> Bool

    /// A text that changes whenever a client is added, replaced or deleted, by any node.
    func clientsVersion() async throws -> String
}

package enum ClientExpectation: Hashable, Sendable {
    case absent
    case present
    case unchanged(Client)
}
