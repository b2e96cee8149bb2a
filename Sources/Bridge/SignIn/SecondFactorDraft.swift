/// A TOTP secret that a user is about to set up; in force only when a code of it was shown.
package struct SecondFactorDraft: Sendable {
    package let secret: Secret<[UInt8]>
    /// What the page carries in its form: opens for the session that it was made in, and for no other.
    package let sealed: String

    /// What people type into an authenticator app, in groups of four.
    package var typed: Secret<String> {
        let text = Array(Base32.encode(secret.expose()))
        let groups = stride(from: 0, to: text.count, by: 4).map { String(text[$0..<min($0 + 4, text.count)]) }
        return Secret(groups.joined(separator: " "))
    }

    /// What a QR code or a link for authenticator apps holds.
    package func uri(account: String, issuer: String) -> Secret<String> {
        Secret(OneTimeCode.enrolmentURI(secret: secret.expose(), account: account, issuer: issuer))
    }
}
