/// One thing that happened, as it is handed to a store together with the change it belongs to.
///
/// The store's writer gives it an id, the node, its place in the node's chain and the hashes: see ``AuditRecord``.
/// Nothing secret may be put in: no token, cookie or query string (contract §8).
package struct AuditEvent: Hashable, Sendable {
    /// Whether what was attempted came about (contract §8).
    package enum Outcome: String, Sendable { case success, failure }

    package var at: Timestamp
    package var type: AuditEventType
    package var outcome: Outcome
    /// A stable word that says why, such as `expired`; `nil` when there is nothing to explain.
    package var reason: String?
    package var subject: Subject?
    /// The app.
    package var clientID: ClientID?
    /// The website.
    package var targetClientID: ClientID?
    package var sessionID: SessionID?
    package var tokenID: TokenID?
    package var address: String?
    package var userAgent: String?
    package var requestID: String?
    /// Further facts as one line of JSON with sorted keys, such as a refused path's length; `nil` when none.
    package var detail: String?

    package init(
        at: Timestamp, type: AuditEventType, outcome: Outcome, reason: String? = nil, subject: Subject? = nil,
        clientID: ClientID? = nil, targetClientID: ClientID? = nil, sessionID: SessionID? = nil,
        tokenID: TokenID? = nil, origin: RequestOrigin? = nil, detail: String? = nil
    ) {
        self.at = at
        self.type = type
        self.outcome = outcome
        self.reason = reason
        self.subject = subject
        self.clientID = clientID
        self.targetClientID = targetClientID
        self.sessionID = sessionID
        self.tokenID = tokenID
        address = origin?.addressText
        userAgent = origin?.userAgent
        requestID = origin?.requestID
        self.detail = detail
    }
}
