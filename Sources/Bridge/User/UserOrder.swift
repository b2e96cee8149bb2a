/// By what users are listed; those equal by it come in order of subject.
package enum UserOrder: String, CaseIterable, Sendable {
    /// By the best that people know the user by: shown name, else user name, else subject.
    case name = "user"
    case username
    case email
    case issuer
    /// The newest first.
    case firstSeen = "first_seen"
    /// Disabled users first.
    case state
}
