package import OAuth2

extension Client {
    /// Whether it keeps no secret: it is told apart by its redirect URIs alone (RFC 6749 §2.1).
    package var isPublic: Bool { authenticationMethod == .none }

    /// Everything it may be granted.
    package var grantableScope: Scope { isNativeSSOEnabled ? scope.adding(Scope.deviceSSO) : scope }

    /// What a client that names no grant types may use.
    package static func defaultGrantTypes(of kind: Kind) -> Set<GrantType> {
        switch kind {
        case .native: [.authorizationCode, .refreshToken]
        case .web: [.authorizationCode]
        case .service: [.clientCredentials]
        }
    }

    /// What a client that names no scope may ask for.
    package static func defaultScope(of kind: Kind) -> Scope {
        switch kind {
        case .native, .web:
            Scope(tokens: [Scope.openID, "profile", "email", "address", "phone", Scope.offlineAccess])
        case .service: .empty
        }
    }
}
