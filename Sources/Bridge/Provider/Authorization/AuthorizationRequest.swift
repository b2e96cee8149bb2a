package import OAuth2

/// An authorization request that passed every check which needs no user (docs/rules/authorization-request.md A1 to A9).
package struct AuthorizationRequest: Hashable, Sendable {
    package let client: Client
    /// The address as it was asked for, port included.
    package let redirectURI: String
    package let redirectKind: RedirectURI.Kind
    package let responseMode: ResponseMode
    package let state: String?
    package private(set) var scope: Scope
    package let nonce: String?
    package let codeChallenge: CodeChallenge?
    package let prompts: Set<Prompt>
    /// Seconds.
    package let maximumAge: Int64?
    package let loginHint: String?
    package let uiLocales: String?
    /// The names in `claims` that a scope of the client's opens.
    package private(set) var requestedClaims: RequestedClaims
    /// An `acr` that `claims` calls essential: any of these, or none at all is good enough.
    package let essentialACRs: [String]
    /// The `acr_values`, any of which the client would like: an app that was challenged sends them (RFC 9470 §4).
    package let wantedACRs: [String]
    /// The user that `id_token_hint` or `claims` names: no other may be answered for.
    package let expectedSubject: Subject?
    package let proofKeyThumbprint: String?

    /// What the user is asked for: the scopes, and those whose claims are asked for by name (OpenID Connect Core §5.5).
    package var consentScope: Scope { Scope(tokens: scope.tokens + requestedClaims.scopes) }

    /// What the user said to it, in their browser's session.
    func consentEvent(
        _ type: AuditEventType, _ session: WebSession, origin: RequestOrigin, at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now, type: type, outcome: .success, subject: session.subject, clientID: client.id,
            sessionID: session.id, origin: origin)
    }

    /// This request, limited to what may be granted at this moment.
    /// - Parameters:
    ///   - givesDeviceSecrets: whether the scope for one gets one; without it, it would be a promise that is not kept
    ///     (draft-07 §3.1, §3.3).
    ///   - shown: what the user said yes to: what was switched on meanwhile is not added to it.
    func granting(givesDeviceSecrets: Bool, shown: Scope?) -> AuthorizationRequest {
        var request = self
        if !givesDeviceSecrets { request.scope = request.scope.removing(Scope.deviceSSO) }
        if let shown {
            request.scope = request.scope.intersection(shown)
            request.requestedClaims = request.requestedClaims.limited(to: shown)
        }
        return request
    }

    /// This request, limited to what a browser's session can give: nothing grows along an edge (contract §16), so its
    /// user is not asked about more, and no more is remembered.
    func limited(to session: Lineage) -> AuthorizationRequest {
        var request = self
        request.scope = session.limiting(scope)
        request.requestedClaims = requestedClaims.limited(to: session.limiting(client.grantableScope))
        return request
    }

    /// Where answers go.
    package var answer: AuthorizationReturn {
        AuthorizationReturn(redirectURI: redirectURI, mode: responseMode, state: state)
    }
}

/// Where the browser is sent with an answer, and how; made only of a redirect URI that was matched.
package struct AuthorizationReturn: Hashable, Sendable {
    package let redirectURI: String
    package let mode: ResponseMode
    package let state: String?

    /// An answer, `iss` and `state` among its parameters (RFC 9207 §2).
    package func outcome(_ parameters: [(name: String, value: String)], issuer: String) -> AuthorizationOutcome {
        let state = state.map { [(name: "state", value: $0)] } ?? []
        let all = parameters + state + [(name: "iss", value: issuer)]
        return switch mode {
        case .query: .redirect(to: RedirectAnswer.location(redirectURI, all))
        case .formPost: .post(to: redirectURI, all)
        }
    }

    package func outcome(of error: ErrorCode, _ description: String, issuer: String) -> AuthorizationOutcome {
        outcome(
            [(name: "error", value: error.rawValue), (name: "error_description", value: description)], issuer: issuer)
    }
}

/// What a request demands of the sign-in that it is answered with.
extension AuthorizationRequest {
    /// Whether a sign-in is as strong as the client's `min_acr` and an essential `acr` want it.
    func acceptsStrength(of authentication: Authentication) -> Bool {
        client.acceptsStrength(of: authentication)
            && AuthenticationLevel.satisfies(authentication.acr, anyOf: essentialACRs)
    }

    /// Whether a single factor is as strong as that.
    package var acceptsOneFactor: Bool { acceptsStrength(of: .ofOneFactor) }

    /// Whether a sign-in is as strong as the client would like it.
    func fulfilsWish(_ authentication: Authentication) -> Bool {
        AuthenticationLevel.satisfies(authentication.acr, anyOf: wantedACRs)
    }

    /// Whether a second factor would fulfil a wish that a sign-in does not.
    func wishesForSecondFactor(beyond authentication: Authentication) -> Bool {
        !fulfilsWish(authentication) && fulfilsWish(.ofTwoFactors)
    }

    /// Whether a sign-in is as fresh as `max_age` and the client's `max_auth_age` want it.
    func acceptsAge(of authentication: Authentication?, at now: Timestamp) -> Bool {
        let limits = [maximumAge.map { Duration.seconds($0) }, client.maximumAuthenticationAge]
        guard let limit = limits.compactMap(\.self).min() else { return true }
        // `max_age=0` means the same as `prompt=login`.
        guard limit > .zero, let authentication else { return false }
        return authentication.isFresh(within: limit, at: now)
    }

    /// Whether no earlier sign-in will do.
    var wantsSignInNow: Bool { prompts.contains(.login) || prompts.contains(.selectAccount) }

    /// Whether it matters when the user signed in.
    package var limitsAge: Bool {
        wantsSignInNow || maximumAge != nil || client.maximumAuthenticationAge != nil
    }

    /// Whether the client may mean this account: its `login_hint` names no other.
    func mayMean(_ account: Account) -> Bool {
        guard let loginHint else { return true }
        if let name = account.username, Username(loginHint) == name { return true }
        return account.email.map { $0.lowercased().hasSameBytes(as: loginHint.lowercased()) } ?? false
    }
}

extension Authentication {
    /// As strong as a password, or a phone's key.
    package static let ofOneFactor = Authentication(acr: AuthenticationLevel.oneFactor.rawValue)
    /// As strong as an account with a second factor can sign in here.
    package static let ofTwoFactors = Authentication(acr: AuthenticationLevel.twoFactors.rawValue)

    /// Whether the user signed in after that was demanded.
    func isNewer(than demandedAt: Timestamp?) -> Bool {
        guard let demandedAt, let time else { return false }
        return time >= demandedAt
    }
}
