import Bridge

/// The statements about a table of clients whose ends are queued; the database's, and not the servers' settings alone,
/// because a command beside the server ends sessions too.
struct NoticeSubscribers: Sendable {
    static let webhooks = NoticeSubscribers(table: "webhook_subscriber")
    static let logouts = NoticeSubscribers(table: "logout_subscriber")

    let all: SQLStatement
    let subscribe: SQLStatement
    let unsubscribe: SQLStatement

    private init(table: String) {
        all = SQLStatement("SELECT client_id FROM \(table)")
        subscribe = SQLStatement(
            "INSERT INTO \(table) (client_id) VALUES ($1) ON CONFLICT (client_id) DO NOTHING")
        unsubscribe = SQLStatement("DELETE FROM \(table) WHERE client_id = $1")
    }
}

extension DurableStorage {
    /// Says whose ends are queued from now on, and whose no longer; the others stay as they are.
    func change(
        subscribers: NoticeSubscribers, adding added: Set<ClientID>, removing removed: Set<ClientID>
    ) async throws {
        // Most often nothing has changed, which a read finds out without waiting for the writer.
        let known: Set<ClientID> = try await read { session in
            Set(try session.run(subscribers.all).map { try $0.identifier(0) })
        }
        let (missing, left) = (added.subtracting(known), removed.intersection(known))
        guard !missing.isEmpty || !left.isEmpty else { return }
        try await write { transaction in
            // In one order, so that no two nodes wait for each other's rows.
            for id in missing.union(left).sorted(by: { $0.rawValue < $1.rawValue }) {
                try transaction.setSubscription(of: id, in: subscribers, to: !left.contains(id))
            }
        }
    }
}

extension WriteTransaction {
    /// Has a client's ends queued from this transaction on, as far as it has somewhere to be told, and else no longer.
    func setSubscriptions(of client: Client) throws {
        try setSubscription(of: client.id, in: .webhooks, to: client.webhook != nil)
        try setSubscription(of: client.id, in: .logouts, to: client.backchannelLogoutURI != nil)
    }

    /// Has none of a client's ends queued any more.
    func endSubscriptions(of id: ClientID) throws {
        for subscribers in [NoticeSubscribers.webhooks, .logouts] {
            try setSubscription(of: id, in: subscribers, to: false)
        }
    }

    fileprivate func setSubscription(
        of id: ClientID, in subscribers: NoticeSubscribers, to isSubscribed: Bool
    ) throws {
        _ = try run(isSubscribed ? subscribers.subscribe : subscribers.unsubscribe, [SQLValue(id)])
    }
}
