import OAuth2

/// Tokens that prove a form came from a page of ours, shown to this very browser (contract §4.2).
///
/// `<expiry>.<kid>.<MAC>` over the expiry, what the form does, the session that it does it in, and the value of a
/// `__Host-` cookie that was set with the page. Nothing is stored. A foreign page can neither read the cookie nor set
/// one with the `__Host-` prefix, so it cannot make the two agree.
package struct FormTokens: Sendable {
    /// What a form does: its token does nothing else.
    package enum Purpose: String, Sendable, CaseIterable {
        case redeem
        case switchAccount = "switch_account"
        case signIn = "sign_in"
        case consent
        case signOut = "sign_out"
        case endAllSessions = "end_all_sessions"
        case devices
        case consents
        case secondFactor = "second_factor"
        case deviceGrant = "device_grant"
        case openConsole = "open_console"
        case selfIssued = "self_issued"
        case linkedKeys = "linked_keys"
        case passkeys
        case phoneSignIn = "phone_sign_in"
        case signInCode = "sign_in_code"
        case password
        case passwordSetUp = "password_set_up"
    }

    /// How long a token is good; its cookie lives longer.
    package static let lifetime = Duration.seconds(300)

    private let keys: Reloadable<SecretKeyRing>
    private let time: TimeSource

    package init(keys: Reloadable<SecretKeyRing>, time: TimeSource) {
        self.keys = keys
        self.time = time
    }

    /// A token for the browser that holds `binding`.
    /// - Parameter session: the secret of the session that the form acts in; `nil` for a form that acts in none, or in
    ///   whichever the browser then has.
    /// - Throws: ``StorageError/unavailable(_:because:)`` when no key may sign now.
    package func make(
        for purpose: Purpose, binding: OpaqueSecret, session: OpaqueSecret? = nil
    ) throws -> String {
        let now = time.now()
        let expiresAt = Timestamp(seconds: (now + Self.lifetime).seconds)
        guard let keyID = keys.current.signingKeyID(at: now),
            let code = code(
                [String(expiresAt.seconds), purpose.rawValue, Self.name(session), binding.expose()], keyID: keyID,
                at: now)
        else { throw StorageError.unavailable("no key may sign form tokens now") }
        return DatedText(expiresAt: expiresAt, keyID: keyID, bytes: code).text
    }

    /// Whether `token` was made for this purpose, browser and session in the last five minutes.
    package func verify(
        _ token: String, for purpose: Purpose, binding: OpaqueSecret, session: OpaqueSecret? = nil
    ) -> Bool {
        let now = time.now()
        guard let presented = DatedText(token),
            let expected = code(
                [String(presented.expiresAt.seconds), purpose.rawValue, Self.name(session), binding.expose()],
                keyID: presented.keyID, at: now)
        else { return false }
        return ConstantTime.equals(presented.bytes, expected) && now < presented.expiresAt
    }

    /// Whether `token` says that it is still good: for what a refusal is told by, never for passing a form.
    package func isRecent(_ token: String) -> Bool {
        DatedText(token).map { time.now() < $0.expiresAt } ?? false
    }

    /// None of the parts holds a dot.
    private func code(_ parts: [String], keyID: String, at now: Timestamp) -> [UInt8]? {
        keys.current.authenticationCode(
            for: Array(parts.joined(separator: ".").utf8), purpose: .formToken, keyID: keyID, at: now)
    }

    private static func name(_ session: OpaqueSecret?) -> String { session?.digest ?? "" }
}
