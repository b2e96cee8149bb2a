/// The device secret and the ID token that came with it, as one app has left them for the others.
struct SharedSignIn: Sendable {
    let deviceSecret: Redacted<String>
    let idToken: Redacted<String>
    /// What the token says. Nobody verifies it here: an expired token is fine, and the provider checks the rest.
    let claims: IDTokenClaims

    /// - Returns: `nil` when the token is none.
    init?(deviceSecret: Redacted<String>, idToken: Redacted<String>) {
        guard let claims = try? SignedIDToken(idToken).claims else { return nil }
        self.deviceSecret = deviceSecret
        self.idToken = idToken
        self.claims = claims
    }

    /// Two people may use one device: what the one has left is not to be used for the other, nor ended by them.
    func isOf(_ subject: String) -> Bool { claims.subject == subject }

    /// Whether this app brought it.
    func isFrom(_ clientID: String) -> Bool { claims.audience.contains(clientID) }
}
