package import OAuth2

/// What a login token says (contract §2): who, for which website, until when. It authenticates and grants nothing.
package struct LoginTokenClaims: Hashable, Sendable {
    package let issuer: String
    /// `aud`: the website.
    package let audience: ClientID
    package let subject: Subject
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp
    package let id: TokenID
    /// The issuing app.
    package let clientID: ClientID
    /// The parent session.
    package let sessionID: SessionID?
    package let authentication: Authentication
    /// `tgt`: the path (and query) that the redirect policy accepted at issue.
    package let target: String?
    /// `cnf`: what the redeeming browser must show besides.
    package let binding: LoginTokenBinding
    /// `trace`: the step of the issue, where that is recorded; what the link does goes on from there.
    package let trace: TraceContext?

    package init(
        issuer: String, audience: ClientID, subject: Subject, issuedAt: Timestamp, expiresAt: Timestamp, id: TokenID,
        clientID: ClientID, sessionID: SessionID?, authentication: Authentication, target: String?,
        binding: LoginTokenBinding, trace: TraceContext? = nil
    ) {
        self.issuer = issuer
        self.audience = audience
        self.subject = subject
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.id = id
        self.clientID = clientID
        self.sessionID = sessionID
        self.authentication = authentication
        self.target = target
        self.binding = binding
        self.trace = trace
    }

    /// What the durable arbiter keeps of it.
    package var issued: IssuedLoginToken {
        IssuedLoginToken(
            id: id, subject: subject, clientID: clientID, issuedAt: issuedAt, expiresAt: expiresAt,
            sessionID: sessionID)
    }
}

/// What a redeeming browser must show besides the token (`cnf`, contract §3).
package struct LoginTokenBinding: Hashable, Sendable {
    /// How the browser's network is compared with the app's at issue; only inside one address family.
    package enum Network: Hashable, Sendable {
        case none
        /// /24 of IPv4, /48 of IPv6.
        case network(NetworkPrefix)
        /// One address.
        case exact(NetworkAddress)
    }

    /// The PKCE challenge that `code_verifier` must answer.
    package let challenge: CodeChallenge?
    package let network: Network
    /// ``HandOffState/digest`` of what the browser's cookie at the website must hold, or a click is asked for
    /// (contract §4.6).
    package let handOff: String?
    /// The id of the key that makes the token's ``TypedCodes`` code; `nil` for a token without one.
    package let typedCodeKey: String?

    package init(
        challenge: CodeChallenge? = nil, network: Network = .none, handOff: String? = nil, typedCodeKey: String? = nil
    ) {
        self.challenge = challenge
        self.network = network
        self.handOff = handOff
        self.typedCodeKey = typedCodeKey
    }

    package static let none = LoginTokenBinding()
}
