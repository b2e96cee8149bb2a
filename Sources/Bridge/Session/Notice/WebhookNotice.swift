import Crypto
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
    /// The id of the session or the device secret.
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

    /// What is posted: the same bytes at every attempt. Holds nothing that opens anything.
    package var body: [UInt8] {
        var object = JSONObjectWriter()
        object.add("id", id)
        object.add("type", kind.rawValue)
        object.add("at", endedAt.rfc3339)
        object.add("client_id", clientID.rawValue)
        object.add("sub", subject.rawValue)
        object.add(kind == .deviceRevoked ? "device_secret_id" : "sid", objectID)
        object.add("reason", reason)
        return object.finish()
    }
}

extension AuditEvent {
    /// The reason as websites hear it: what an administrator wrote was written for the audit log. No event of a user's
    /// own act (``byUser(_:_:sessionID:reason:facts:origin:at:)``), which names its actor too, is the event of an end.
    package var reasonForWebsites: String? { namesItsActor ? AdminAction.defaultReason : reason }

    private var namesItsActor: Bool {
        detail.flatMap { JSONValue.parse($0.utf8)?.object?[AuditDetail.actor] } != nil
    }
}

/// Proves to a webhook's receiver who posts, and when: `t=<Unix seconds>,v1=<hex>`.
///
/// `v1` is HMAC-SHA-256 over `<t>.<body>`. There is one `v1` for each secret in force, so that a secret can be replaced
/// without a gap: the receiver accepts when any of them fits.
enum WebhookSignature {
    /// - Parameter secrets: the first signs first.
    static func header(of body: [UInt8], secrets: [Secret<[UInt8]>], at now: Timestamp) -> String {
        let time = String(now.seconds)
        let message = Array("\(time).".utf8) + body
        let codes = secrets.map { secret in
            let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret.expose()))
            return "v1=\(HexDigit.encode(Array(code)))"
        }
        return (["t=\(time)"] + codes).joined(separator: ",")
    }
}

/// The queue of ends that clients with a webhook are told; it survives a restart.
///
/// Filled by every verb that ends a session or a device, in its transaction.
package protocol WebhookStore: Sendable {
    /// Says whose ends are queued from now on, and whose no longer, by any process on this database. The others stay
    /// as they are. A client that is saved or deleted in this database is changed with it.
    func changeWebhookSubscribers(adding added: Set<ClientID>, removing removed: Set<ClientID>) async throws

    /// Takes notices that are due: each goes to one node, however many ask.
    /// - Parameters:
    ///   - lease: after which a notice that was not settled is due again.
    ///   - busy: clients whose notices are left for later.
    /// - Returns: at most `limit`, a few for each client.
    func takeWebhookNotices(
        dueAt now: Timestamp, lease: Duration, limit: Int, sparing busy: Set<ClientID>
    ) async throws -> [WebhookNotice]

    /// Has a notice tried again later.
    func postponeWebhookNotice(_ id: String, until next: Timestamp) async throws

    /// Leaves a notice that was taken and not tried to any node: it is due again later, with no attempt counted.
    func giveBackWebhookNotice(_ id: String, until next: Timestamp) async throws

    /// Takes a notice off the queue and records how it went.
    func settleWebhookNotice(_ id: String, event: AuditEvent) async throws
}
