import OAuth2

/// That a session or a device of a client's users has ended, for the client's webhook.
package struct WebhookNotice: Hashable, Sendable {
    /// What has ended; its raw value is `type` on the wire and what the audit log calls it.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case webSessionEnded = "web_session.ended"
        case appSessionEnded = "app_session.ended"
        case deviceRevoked = "device_secret.revoked"
    }

    /// One end has one id, however often it is told.
    package let id: String
    package let clientID: ClientID
    package let kind: Kind
    package let subject: Subject
    /// Of the session or the device secret.
    package let objectID: String
    /// Why it ended: a stable word, or an administrator's own.
    package let reason: String?
    package let endedAt: Timestamp
    /// How often it was taken.
    package var attempts: Int

    package init(
        id: String, clientID: ClientID, kind: Kind, subject: Subject, objectID: String, reason: String?,
        endedAt: Timestamp, attempts: Int
    ) {
        self.id = id
        self.clientID = clientID
        self.kind = kind
        self.subject = subject
        self.objectID = objectID
        self.reason = reason
        self.endedAt = endedAt
        self.attempts = attempts
    }

    /// The id of the one notice about this end.
    package static func id(_ kind: Kind, _ objectID: String) -> String { "\(kind.rawValue):\(objectID)" }

    /// What is posted: the same bytes at every try. Holds nothing that opens anything.
    package var body: [UInt8] {
        var object = JSONObjectWriter()
        object.add("id", id)
        object.add("type", kind.rawValue)
        object.add("at", endedAt.rfc3339)
        object.add("client_id", clientID.rawValue)
        object.add("sub", subject.rawValue)
        object.add(kind == .deviceRevoked ? "device_secret_id" : "sid", objectID)
        if let reason { object.add("reason", reason) }
        return object.finish()
    }
}
