/// Why something ends: the words of the audit log, which websites are told as well (docs/audit-format.md). A word keeps
/// its meaning once it has been used.
package enum EndReason: String, Sendable, CaseIterable {
    /// In the browser, or in an app that takes its own tokens or secret back.
    case signedOut = "signed_out"
    /// In an app whose users another issuer signs in.
    case signedOutInApp = "signed_out_in_app"
    case upstreamSignedOut = "upstream_signed_out"
    /// On the account's page.
    case endedByUser = "ended_by_user"
    /// All of a user's at once, at the path of existing clients.
    case allSessionsRevoked = "all_sessions_revoked"
    /// A client revoked its refresh token, or a website the one of its cookie.
    case revoked
    /// By a newer session of the same user in the same browser.
    case replaced
    case accountSwitch = "account_switch"
    /// For sessions that end because their device does.
    case deviceSecretRevoked = "device_secret_revoked"
    /// More devices than a user may have.
    case limit
    /// More web sessions at one website than a device may have.
    case tooManyOfDevice = "too_many_of_device"
    case passwordChanged = "password_changed"
    case keyUnlinked = "key_unlinked"
    case tokenReplayed = "token_replayed"
    case codeReused = "code_reused"
    case deviceCodeReused = "device_code_reused"
    case refreshTokenReused = "refresh_token_reused"
    /// A device secret that was replaced came again.
    case replayed
    /// An administrator who did not say why.
    case administrator
    /// An administrator who did not say why, for a device alone.
    case revokedByAdministrator = "revoked_by_administrator"
    /// The database was restored to an earlier state.
    case restored
}
