import OAuth2

/// Who does what, and why he says he does: the facts that every event of an administrator's action carries.
package struct AdminAction: Sendable {
    package let actor: AdminActor
    /// The administrator's own words; `nil` when none were given.
    package let reason: String?
    /// `nil` for the command line.
    package let origin: RequestOrigin?
    package let at: Timestamp
    /// When the person signed in; `nil` for a program, and where it is not known.
    package let signedInAt: Timestamp?

    package static let defaultReason = "administrator"
    /// Bytes of a reason.
    package static let reasonLimit = 200

    package init(
        actor: AdminActor, reason: String? = nil, origin: RequestOrigin?, at: Timestamp, signedInAt: Timestamp? = nil
    ) {
        self.actor = actor
        self.reason = reason
        self.origin = origin
        self.at = at
        self.signedInAt = signedInAt
    }

    /// An event of this action.
    /// - Parameter facts: further members of its `detail`, by name; the actor is always one, and so is his sign-in.
    package func event(
        _ type: AuditEventType, subject: Subject? = nil, clientID: ClientID? = nil, targetClientID: ClientID? = nil,
        sessionID: SessionID? = nil, tokenID: TokenID? = nil, facts: [String: String] = [:]
    ) -> AuditEvent {
        var detail = JSONObjectWriter()
        var own = ["actor": actor.description]
        own["signed_in_at"] = signedInAt?.rfc3339
        for (name, value) in facts.merging(own, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key }) {
            detail.add(name, value)
        }
        return AuditEvent(
            at: at, type: type, outcome: .success, reason: reason ?? Self.defaultReason, subject: subject,
            clientID: clientID, targetClientID: targetClientID, sessionID: sessionID, tokenID: tokenID, origin: origin,
            detail: String(decoding: detail.finish(), as: UTF8.self))
    }

    /// Whether a text may stand as a reason: one line that is not too long.
    package static func isReason(_ text: String) -> Bool {
        text.utf8.count <= reasonLimit && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
