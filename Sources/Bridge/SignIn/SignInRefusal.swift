/// Why a sign-in failed: for audit and log. The page says one thing for all of them.
package enum SignInRefusal: String, Sendable, CaseIterable {
    case unknownUser = "unknown_user"
    case wrongPassword = "wrong_password"
    case userDisabled = "user_disabled"
    /// The one-time or recovery code was wrong or used before.
    case wrongCode = "wrong_code"
    /// The page was open too long before the code, belongs to another browser, or its session has ended.
    case stale
}
