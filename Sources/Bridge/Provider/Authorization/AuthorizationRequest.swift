package import OAuth2

/// An authorization request that passed every check which needs no user (docs/rules/authorization-request.md A1 to A9).
package struct AuthorizationRequest: Hashable, Sendable {
    package let client: Client
    /// As it was asked for, port included.
    package let redirectURI: String
    package let redirectKind: RedirectURI.Kind
    package let state: String?
    package let scope: Scope
    package let nonce: String?
    package let codeChallenge: CodeChallenge?
    package let prompts: Set<Prompt>
    /// Seconds.
    package let maximumAge: Int64?
    package let loginHint: String?
    package let uiLocales: String?
    package let requestedClaims: RequestedClaims
    /// An `acr` that `claims` calls essential: any of these, or none at all is good enough.
    package let essentialACRs: [String]
    /// The `acr_values`, any of which the client would like: an app that was challenged sends them (RFC 9470 §4).
    package let wantedACRs: [String]
    /// The user that `id_token_hint` or `claims` names: nobody else may be answered for.
    package let expectedSubject: Subject?
    package let proofKeyThumbprint: String?

    /// Where the browser goes with an answer, `iss` and `state` among its parameters (RFC 9207 §2).
    package func location(_ parameters: [(name: String, value: String)], issuer: String) -> String {
        AuthorizationReturn(redirectURI: redirectURI, state: state).location(parameters, issuer: issuer)
    }

    /// What the user said to it.
    func consentEvent(
        _ type: AuditEventType, _ subject: Subject, origin: RequestOrigin, at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(at: now, type: type, outcome: .success, subject: subject, clientID: client.id, origin: origin)
    }

    /// Where answers go.
    package var answer: AuthorizationReturn { AuthorizationReturn(redirectURI: redirectURI, state: state) }
}

/// Where the browser is sent with an answer; made only of a redirect URI that was matched.
package struct AuthorizationReturn: Hashable, Sendable {
    package let redirectURI: String
    package let state: String?

    package func location(_ parameters: [(name: String, value: String)], issuer: String) -> String {
        let state = state.map { [(name: "state", value: $0)] } ?? []
        return RedirectAnswer.location(redirectURI, parameters + state + [(name: "iss", value: issuer)])
    }

    package func location(of error: ErrorCode, _ description: String, issuer: String) -> String {
        location(
            [(name: "error", value: error.rawValue), (name: "error_description", value: description)], issuer: issuer)
    }
}
