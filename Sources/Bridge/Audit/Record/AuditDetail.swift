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
}
