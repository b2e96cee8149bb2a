/// By what users are listed; who is equal by it comes in order of subject.
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
