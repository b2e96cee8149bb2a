/// What an operator decides about login tokens.
package struct LoginTokenSettings: Sendable {
    /// Where links lead unless the operator says otherwise.
    package static let redemptionPath = "/login-with-token"

    /// No token lives longer (contract §2).
    package static let maximumLifetime = Duration.seconds(60)

    /// Where websites without an origin of their own are, and their links lead.
    package let publicOrigin: WebOrigin
    /// `iss`.
    package let issuer: WebOrigin
    /// The path that login URLs name.
    package let redemptionPath: String
    /// The life of a token when the request names none; 1 to 60 s.
    package let defaultLifetime: Duration

    /// - Parameter issuer: `nil` where the provider is at the public origin.
    package init(
        publicOrigin: WebOrigin, issuer: WebOrigin? = nil, redemptionPath: String = redemptionPath,
        defaultLifetime: Duration
    ) {
        self.publicOrigin = publicOrigin
        self.issuer = issuer ?? publicOrigin
        self.redemptionPath = redemptionPath
        self.defaultLifetime = min(defaultLifetime, Self.maximumLifetime)
    }
}
