/// Every registered client, from settings and database, as one immutable snapshot.
package struct ClientDirectory: Sendable {
    private let clients: [ClientID: Client]
    /// The website that an app opens when it names none.
    package let defaultTarget: ClientID?
    /// The prefixes that cookies of the profile `tokens` have, each once.
    package let tokenCookiePrefixes: [String]
    /// Where the pages of websites are, as far as they are not at our own origin.
    package let websiteOrigins: Set<WebOrigin>
    /// Websites by the origin that they have to themselves.
    package let websites: [WebOrigin: [Client]]
    /// The clients that have a webhook.
    package let webhookSubscribers: Set<ClientID>

    /// - Parameter clients: of two with one id, the later stands.
    package init(_ clients: [Client], defaultTarget: ClientID?) {
        self.clients = Dictionary(clients.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        self.defaultTarget = defaultTarget
        tokenCookiePrefixes = Set(
            self.clients.values.filter { $0.cookieProfile == .tokens }.map(\.cookiePrefix)
        ).sorted()
        let websites = self.clients.values.filter { $0.kind == .web && $0.publicOrigin != nil }
        self.websites = Dictionary(grouping: websites) { $0.publicOrigin }.reduce(into: [:]) { found, entry in
            if let origin = entry.key { found[origin] = entry.value }
        }
        websiteOrigins = Set(self.websites.keys)
        webhookSubscribers = Set(self.clients.values.filter { $0.webhook != nil }.map(\.id))
    }

    package subscript(_ id: ClientID) -> Client? { clients[id] }

    /// In order of id.
    package var all: [Client] { clients.values.sorted { $0.id.rawValue < $1.id.rawValue } }
}
