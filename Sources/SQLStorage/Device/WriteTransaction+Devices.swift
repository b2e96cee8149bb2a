import Bridge
import OAuth2

extension WriteTransaction {
    /// Revokes every device of a user whose sessions all end (contract §7).
    /// - Parameter template: whose reason and origin the events have.
    func revokeDevices(of subject: Subject, at now: Timestamp, _ template: AuditEvent) throws {
        for row in try run(DeviceSecretSQL.liveOf, [SQLValue(subject), SQLValue(now)]) {
            let id: DeviceSecretID = try row.identifier(0)
            let reason = template.reason ?? "user_ended"
            guard try changes(DeviceSecretSQL.revoke, [SQLValue(id), SQLValue(now), .text(reason)]) else { continue }
            var detail = JSONObjectWriter()
            detail.add("device_secret_id", id.rawValue)
            var event = template
            event.type = .deviceSecretRevoked
            event.reason = reason
            event.subject = subject
            event.clientID = try row.identifier(1)
            event.sessionID = try row.identifier(2)
            event.detail = String(decoding: detail.finish(), as: UTF8.self)
            try record(event)
            try queueWebhook(ended: id, by: event)
        }
    }
}
