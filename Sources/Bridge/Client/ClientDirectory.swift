/// Every registered client, from settings and database, as one immutable snapshot.
///
/// A reference: every request takes it out of its ``Reloadable``, under the lock, and some do so many times.
package final class ClientDirectory: Sendable {
    private let clients: [ClientID: Client]
    /// The website that an app opens when it names none.
    package let defaultTarget: ClientID?
    /// The clients of the profile `tokens` by the prefix that their cookies have, in order of id.
    package let tokenCookieClients: [String: [ClientID]]
    /// The prefixes that cookies of the profile `tokens` have, each once.
    package let tokenCookiePrefixes: [String]
    /// Websites by the origin where their pages are, as far as that is not our own.
    package let websites: [WebOrigin: [Client]]
    /// The origins of ``websites`` by each of their ``WebOrigin/authorities``. Where two differ by their scheme alone,
    /// the secure one.
    package let originsByAuthority: [String: WebOrigin]
    /// The clients that have a webhook.
    package let webhookSubscribers: Set<ClientID>
    /// The clients that hear of ends by back-channel logout.
    package let logoutSubscribers: Set<ClientID>
    /// Whether login links of any website may have to be where the provider is (``Client/landsAtSignIn(besides:)``).
    package let hasLandingsAtSignIn: Bool

    /// - Parameter clients: where two have the same id, the later one counts.
    package init(_ clients: [Client], defaultTarget: ClientID?) {
        hasLandingsAtSignIn = clients.contains(where: \.mayLandAtSignIn)
        self.clients = Dictionary(clients.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        self.defaultTarget = defaultTarget
        tokenCookieClients = Dictionary(
            grouping: self.clients.values.filter { $0.cookieProfile == .tokens }, by: \.cookiePrefix
        ).mapValues { $0.map(\.id).sorted { $0.rawValue < $1.rawValue } }
        tokenCookiePrefixes = tokenCookieClients.keys.sorted()
        websites = self.clients.values.reduce(into: [:]) { websites, client in
            if client.kind == .web, let origin = client.publicOrigin { websites[origin, default: []].append(client) }
        }
        originsByAuthority = websites.keys.reduce(into: [:]) { origins, origin in
            for authority in origin.authorities where origins[authority]?.isSecure != true {
                origins[authority] = origin
            }
        }
        webhookSubscribers = Set(self.clients.values.filter { $0.webhook != nil }.map(\.id))
        logoutSubscribers = Set(self.clients.values.filter { $0.backchannelLogoutURI != nil }.map(\.id))
    }

    package subscript(_ id: ClientID) -> Client? { clients[id] }

    /// An id from outside as the audit log keeps it.
    /// - Returns: `nil` for one that no client has and that has a secret in it, which was put into the wrong place
    ///   (contract §8).
    package func recordable(_ id: ClientID) -> ClientID? {
        clients[id] != nil || !StrayedSecret.isIn(Array(id.rawValue.utf8)[...]) ? id : nil
    }

    /// The client that ``defaultTarget`` names; `nil` where none is named, or none has that id.
    package var defaultWebsite: Client? { defaultTarget.flatMap { clients[$0] } }

    /// Whether any client is such a one.
    package func hasClient(where isWanted: (Client) -> Bool) -> Bool { clients.values.contains(where: isWanted) }

    /// All clients in the order of their ids.
    package var all: [Client] { clients.values.sorted { $0.id.rawValue < $1.id.rawValue } }
}

/// Registered clients that live in the database, besides those of the settings file.
package protocol ClientStore: Sendable {
    /// All of them, by id.
    func clients() async throws -> [Client]

    /// Adds or replaces a client and records the event; the event's type says which.
    /// - Parameter expected: `.absent` refuses to replace; `.unchanged` refuses to add, and to replace anything but
    ///   what the caller has seen.
    /// - Returns: whether the expectation held; when not, nothing was written.
    func save(_ client: Client, expecting expected: ClientExpectation, event: AuditEvent) async throws -> Bool

    /// Deletes a client whatever is stored of it, also a document that this version cannot read.
    /// - Returns: whether there was one.
    func deleteClient(_ id: ClientID, event: AuditEvent) async throws -> Bool

    /// Deletes a client if it still is what the caller has seen.
    func deleteClient(unchanged client: Client, event: AuditEvent) async throws -> Bool

    /// A text that changes whenever a client is added, replaced or deleted, by any node.
    func clientsVersion() async throws -> String
}

/// What must be stored for a write to happen, so that of two administrators none overwrites the other unseen.
package enum ClientExpectation: Hashable, Sendable {
    case absent
    case unchanged(Client)
}
