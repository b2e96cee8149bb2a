/// What an operator decides about login tokens.
package struct LoginTokenSettings: Sendable {
    /// No token lives longer (contract §2).
    package static let maximumLifetime = Duration.seconds(60)

    /// Our own origin: `iss` and the base of every login URL.
    package let publicOrigin: WebOrigin
    /// The path that login URLs name.
    package let redemptionPath: String
    /// The life of a token when the request names none; 1 to 60 s.
    package let defaultLifetime: Duration

    package init(publicOrigin: WebOrigin, redemptionPath: String = "/login-with-token", defaultLifetime: Duration) {
        self.publicOrigin = publicOrigin
        self.redemptionPath = redemptionPath
        self.defaultLifetime = min(defaultLifetime, Self.maximumLifetime)
    }
}
