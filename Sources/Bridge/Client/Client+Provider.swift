package import OAuth2

extension Client {
    /// Whether it keeps no secret: it is told apart by its redirect URIs alone (RFC 6749 §2.1).
    package var isPublic: Bool { authenticationMethod == .none }

    /// Whether it may come with this grant at all. Of token exchange every kind has its own flag: `native_sso_enabled`,
    /// `delivery`, `can_issue_login_tokens`, and for a website the secret that it redeems with (contract §14).
    package func mayUse(_ type: GrantType) -> Bool {
        guard type == .tokenExchange else { return grantTypes.contains(type) }
        return grantTypes.contains(type) || isNativeSSOEnabled || delivery == .cookies || canIssueLoginTokens
            || (kind == .web && !isPublic)
    }

    /// Everything it may be granted.
    package var grantableScope: Scope {
        // Without refresh tokens the consent page would promise what is not given (OpenID Connect Core §11).
        let possible = grantTypes.contains(.refreshToken) ? scope : scope.removing(Scope.offlineAccess)
        return isNativeSSOEnabled ? possible.adding(Scope.deviceSSO) : possible
    }

    /// What a client that names no grant types may use.
    package static func defaultGrantTypes(of kind: Kind) -> Set<GrantType> {
        switch kind {
        case .native: [.authorizationCode, .refreshToken]
        case .web: [.authorizationCode]
        case .service: [.clientCredentials]
        }
    }

    /// Whose tokens a client that does not say may ask about: a website has no business with those of others, a
    /// resource server has.
    package static func defaultIntrospection(of kind: Kind) -> Introspection {
        switch kind {
        case .native, .web: .own
        case .service: .any
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
