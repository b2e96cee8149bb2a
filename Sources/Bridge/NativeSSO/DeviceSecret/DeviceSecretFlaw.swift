/// Why a device secret opens nothing: for audit and the table of checks.
package enum DeviceSecretFlaw: String, Hashable, Sendable, CaseIterable {
    /// Not of our form, or never given out.
    case unknown = "secret_unknown"
    case expired = "secret_expired"
    case revoked = "secret_revoked"
    /// A newer one was given out, and its overlap is over or spent.
    case replayed = "secret_replayed"
    /// It is bound to a key that was not shown.
    case wrongKey = "secret_wrong_key"
    /// The app session does not live, or does not hang below the device.
    case sessionEnded = "session_ended"
}

extension DeviceSecret {
    /// What is wrong with it at `now`; `nil` for nothing.
    package func flaw(at now: Timestamp) -> DeviceSecretFlaw? {
        if revokedAt != nil { return .revoked }
        return now < expiresAt ? nil : .expired
    }
}
