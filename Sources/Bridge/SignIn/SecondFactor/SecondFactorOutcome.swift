/// What a user's change of his second factor came to.
package enum SecondFactorOutcome: Sendable {
    /// In force. The recovery codes are shown now and never again.
    case enrolled([RecoveryCode])
    case recoveryCodes([RecoveryCode])
    case removed
    /// The code is wrong or was used before.
    case wrongCode
    /// The page was open for too long; a new secret is needed.
    case stale
    /// It is not as the page said: another tab or browser was first.
    case conflict
    case limited(retryAfter: Duration)
}
