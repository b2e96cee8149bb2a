/// The client that sent a request which was refused, as far as an event may say (contract §13).
package enum SendingClient: Hashable, Sendable {
    /// Nobody is named, or nobody who is registered.
    case unknown
    /// The event's `client_id`: it has authenticated, or cannot, as public clients only say their name (RFC 6749 §2.1),
    /// or the token that came along is its own.
    case known(ClientID)
    /// It could authenticate and has not. Anybody may have sent the request, and an auditor must not blame it for that.
    case claimed(ClientID)

    /// - Parameter client: whom a request names that is refused before its client has authenticated.
    package init(named client: Client?) {
        guard let client else {
            self = .unknown
            return
        }
        self = client.isPublic ? .known(client.id) : .claimed(client.id)
    }

    /// The event's `client_id`.
    var id: ClientID? {
        guard case .known(let id) = self else { return nil }
        return id
    }

    /// What the event's `detail` has in its place.
    var claimedID: ClientID? {
        guard case .claimed(let id) = self else { return nil }
        return id
    }
}
