package import OAuth2

/// One `grant_type` of the token endpoint.
///
/// A grant sees a request only after the pipeline has parsed it once, authenticated its client, and found that the
/// client may use the grant. It decides, records its own audit events with what it changes, and answers.
package protocol TokenGrant: Sendable {
    var type: GrantType { get }

    /// Calls ``TokenRequest/useUpProof()`` once what the request brings is found good, before it changes anything.
    /// - Throws: `OAuthError` with the RFC's code; ``StorageError`` when a store cannot decide.
    func authorize(_ request: TokenRequest) async throws -> TokenResponse

    /// Whether it refuses the request for a reason that goes before its client's right to the grant.
    func refusesByItself(_ request: TokenRequest) async throws -> Bool
}

extension TokenGrant {
    package func refusesByItself(_ request: TokenRequest) async throws -> Bool { false }
}

/// A request to the token endpoint whose client is known.
package struct TokenRequest: Sendable {
    /// No parameter is repeated in it.
    package let parameters: FormParameters
    package let client: Client
    package let origin: RequestOrigin
    package let at: Timestamp
    /// What a valid `DPoP` header showed (RFC 9449).
    package var proof: RequestProof?

    package init(parameters: FormParameters, client: Client, origin: RequestOrigin, at: Timestamp) {
        self.parameters = parameters
        self.client = client
        self.origin = origin
        self.at = at
    }

    /// The thumbprint of the key that the proof showed.
    package var proofKeyThumbprint: String? { proof?.keyThumbprint }

    /// Uses up the proof, if there is one.
    /// - Throws: `invalid_dpop_proof` for one that was shown before; ``StorageError``.
    func useUpProof() async throws { try await proof?.useUp() }

    /// A parameter that must be there.
    /// - Throws: `invalid_request` naming it, for that reason.
    package func required(_ name: String, else reason: RefusalReason) throws(OAuthError) -> String {
        guard let value = parameters[name] else {
            throw OAuthError(.invalidRequest, "\(name) is missing", detail: reason)
        }
        return value
    }

    /// The scope that is asked for; `nil` when none is named.
    /// - Throws: `invalid_scope` when it is malformed.
    package func requestedScope() throws(OAuthError) -> Scope? {
        guard let text = parameters["scope"] else { return nil }
        guard let scope = Scope(text) else {
            throw OAuthError(.invalidScope, "scope is malformed", detail: .malformedScope)
        }
        return scope
    }

    /// What an exchange is for is its `audience`, which `resource` may say again (RFC 8693 §2.1).
    /// - Throws: `invalid_target`.
    func checkResource(of type: GrantType, issuer: String) throws(OAuthError) {
        let audience = type == .tokenExchange ? parameters["audience"] : nil
        try parameters.checkResource(isAmong: [issuer] + [audience].compactMap(\.self))
    }
}

extension FormParameters {
    /// Every access token is for this server, so nothing else can be asked for (RFC 8707 §2).
    /// - Throws: `invalid_target`.
    func checkResource(isAmong permitted: [String]) throws(OAuthError) {
        guard keeps(AuthorizationParameter.resource, to: permitted) else {
            throw OAuthError(.invalidTarget, AuthorizationRequestReader.foreignResource, detail: .wrongResource)
        }
    }
}
