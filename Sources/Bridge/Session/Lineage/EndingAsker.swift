/// Who asked for an end, where no administrator did: a client, a session, or a client in its session.
///
/// For the audit log alone (docs/audit-format.md): of an end it tells whether the owner wanted it or another app or
/// browser did. No website is told.
package struct EndingAsker: Hashable, Sendable {
    /// The client that sent the request; `nil` where one of our own pages did.
    package let clientID: ClientID?
    /// The session that the request came with, or whose token; `nil` where what was shown is of none.
    package let sessionID: SessionID?

    package init(_ clientID: ClientID, in sessionID: SessionID? = nil) {
        self.clientID = clientID
        self.sessionID = sessionID
    }

    /// A browser, by its session.
    package init(_ sessionID: SessionID) {
        clientID = nil
        self.sessionID = sessionID
    }
}
