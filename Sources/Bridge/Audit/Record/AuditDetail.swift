import OAuth2

/// Names of those members of ``AuditEvent/detail`` that more than one place writes or reads.
package enum AuditDetail {
    /// Who administered: ``AdminActor/description``. With it the event's reason is an administrator's own words, which
    /// no website is told.
    package static let actor = "actor"
    /// When that person had signed in.
    package static let signedInAt = "signed_in_at"
    /// The names of the fields that a change changed; never their values.
    package static let fields = "fields"
    /// The device that the event is about.
    package static let deviceSecretID = "device_secret_id"
    /// How many login tokens an end of everything of a user has revoked.
    package static let loginTokens = "login_tokens"
    /// What became of a second factor.
    package static let change = "change"
    /// How many recovery codes a user has after one was used.
    package static let recoveryCodesLeft = "recovery_codes_left"
}

extension AuditEvent {
    /// Who administered, or did something about themselves; `nil` where the event names no actor.
    package var actor: String? { detail.flatMap { JSONValue.parse($0.utf8)?.object?[AuditDetail.actor]?.string } }
}
