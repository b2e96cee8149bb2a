/// What an attempt to sign in came to.
package enum SignInOutcome: Sendable {
    /// A new session, always with a new id.
    case signedIn(OpenedSession)
    /// The password was right, and a code is needed.
    /// - Parameter pending: for the next page's form; opens nothing by itself.
    case needsCode(pending: String)
    case refused
    /// The step before was too long ago, or is not this browser's: it has to begin anew.
    case stale
    /// Too many failures; also for the right password, or guessing would go on.
    case limited(retryAfter: Duration)
}
