import OAuth2

/// Login tokens by the token endpoint: an app gets one, a website's server redeems one (contract §5.4, §4.4).
package final class LoginTokenExchange: Sendable {
    private let issuer: LoginTokenIssuer
    private let redeemer: LoginTokenRedeemer
    private let bearers: BearerInquiries
    private let tokens: SessionTokens

    /// - Parameter bearers: verifies access tokens of this issuer and of the trusted ones.
    package init(
        issuer: LoginTokenIssuer, redeemer: LoginTokenRedeemer, bearers: BearerInquiries, tokens: SessionTokens
    ) {
        self.issuer = issuer
        self.redeemer = redeemer
        self.bearers = bearers
        self.tokens = tokens
    }

    /// An access token gives a login token, by the rules of contract §3.
    func issue(for subjectToken: Secret<String>, _ request: TokenRequest) async throws -> IssuedTokens {
        let bearer = try await bearer(of: request) {
            try await bearers.identity(of: subjectToken, from: request.origin, at: request.at)
        }
        try await request.useUpProof()
        let answer: LoginTokenAnswer
        do {
            answer = try await issuer.issue(
                reading: { try Self.order(request) }, bearer: bearer, origin: request.origin)
        } catch let error as OAuthError {
            // A user or a session that is gone: the subject token does not hold, however good it looked.
            throw Self.atTokenEndpoint(error, badToken: .invalidRequest)
        }
        // RFC 8693 §2.2.1: what is issued is not an access token, so its type is N_A.
        var response = IssuedTokens(
            accessToken: answer.token, tokenType: "N_A", expiresIn: .seconds(answer.expiresIn),
            issuedTokenType: TokenTypeURI.loginToken)
        response.extraMembers = [
            ("id", .string(answer.id.rawValue)), ("expires_at", .string(answer.expiresAt.rfc3339)),
            ("login_url", .string(answer.loginURL.expose())),
        ]
        if let code = answer.typedCode { response.extraMembers.append(("login_code", .string(code.expose()))) }
        return response
    }

    /// Whom the subject token names, where this client may exchange it. An access token that is refused for whatever reason
    /// makes the request invalid (RFC 8693 §2.2.2).
    /// - Parameter verify: what verifies the subject token.
    private func bearer(
        of request: TokenRequest, verified verify: () async throws -> BearerIdentity
    ) async throws -> BearerIdentity {
        let bearer: BearerIdentity
        do {
            bearer = try await verify()
        } catch let refusal as BearerRefusal {
            throw OAuthError(
                .invalidRequest, "the subject token cannot be verified", detail: refusal.reason.rawValue)
        }
        // A token is exchanged by the app it was given to.
        guard bearer.clientID == request.client.id else {
            throw OAuthError(
                .invalidRequest, "the subject token was issued to another client", detail: .otherClient)
        }
        // Bound, it must come from the holder of its key here as elsewhere.
        guard SenderConstraint.permits(bearer.proofKeyThumbprint, shown: request.proofKeyThumbprint) else {
            throw OAuthError(
                .invalidRequest, "the subject token cannot be verified",
                detail: BearerRefusal.Reason.senderConstrained.rawValue)
        }
        return bearer
    }

    private static func order(_ request: TokenRequest) throws(OAuthError) -> LoginTokenIssueRequest {
        let parameters = request.parameters
        return LoginTokenIssueRequest(
            targetClientID: parameters["audience"], redirect: parameters.bytes("redirect"),
            ttl: try seconds(parameters["ttl"]), codeChallenge: parameters["code_challenge"],
            codeChallengeMethod: parameters["code_challenge_method"], bind: parameters["bind"])
    }

    /// A login token gives its website's server an ID token and an access token; it is consumed.
    func redeem(_ loginToken: Secret<String>, _ request: TokenRequest) async throws -> IssuedTokens {
        // By the client's own credential, since to judge the token uses it up. A public client has none and gets
        // nothing.
        if !request.client.isPublic { try await request.useUpProof() }
        let web: WebSession
        do {
            web = try await redeemer.redeem(Self.redemption(of: loginToken, request))
        } catch let error as OAuthError {
            throw Self.atTokenEndpoint(error, badToken: .invalidGrant)
        }
        let wanted = Scope(tokens: [Scope.openID, "profile", "email"])
            .intersection(request.client.scope.adding(Scope.openID))
        // No more than the app's bearer had.
        let scope = web.lineage.limiting(wanted)
        var response = try await redeemer.deliver(web, toServerAt: request.at) {
            try await tokens.answer(
                for: web, client: request.client, scope: scope,
                extras: .init(proofKeyThumbprint: request.proofKeyThumbprint), at: request.at)
        }
        response.issuedTokenType = TokenTypeURI.accessToken
        return response
    }

    /// Whether a client is the website that a login token of ours is for, expired or not; touches no state.
    func isMeant(_ loginToken: Secret<String>, for client: Client) async throws -> Bool {
        try await redeemer.website(of: loginToken)?.id == client.id
    }

    private static func redemption(of loginToken: Secret<String>, _ request: TokenRequest) -> BackChannelRedemption {
        BackChannelRedemption(
            token: loginToken, website: request.client, codeVerifier: request.parameters["code_verifier"],
            typedCode: request.parameters["login_code"], origin: request.origin)
    }

    /// The codes of contract §3 and §4, as the token endpoint says them.
    /// - Parameter badToken: what it says of the token that is exchanged.
    private static func atTokenEndpoint(_ error: OAuthError, badToken: ErrorCode) -> OAuthError {
        let code: ErrorCode
        switch error.code {
        case .rateLimited: code = .slowDown
        case .invalidToken: code = badToken
        default: code = error.code
        }
        return OAuthError(
            code, error.publicDescription, detail: error.detail, retryAfter: error.retryAfter,
            challenge: error.challenge)
    }

    private static func seconds(_ text: String?) throws(OAuthError) -> Int? {
        guard let text else { return nil }
        guard let seconds = ASCII.decimal(text) else { throw OAuthError(.invalidRequest, "ttl has the wrong type") }
        return seconds
    }
}

extension LoginTokenExchange {
    /// Adds what ``issue(for:_:)`` would come to, but for the limits; nothing is issued, counted or written.
    func explainIssue(
        for subjectToken: Secret<String>, _ request: TokenRequest, in explanation: inout Explanation
    ) async throws {
        let bearer: BearerIdentity
        do {
            bearer = try await self.bearer(of: request) {
                try await bearers.authenticator.authenticate(subjectToken, at: request.at)
            }
        } catch let error as OAuthError {
            return explanation.check("subject token is good, and of this client", refusedWith: error)
        }
        explanation.check("subject token is good, and of this client", fails: nil)
        explanation.note("user", bearer.subject.rawValue)
        do {
            try await issuer.check(try Self.order(request), bearer: bearer, origin: request.origin)
        } catch let error as OAuthError {
            return explanation.check("login token may be issued", refusedWith: error)
        }
        explanation.check("login token may be issued", fails: nil)
    }

    /// Adds what ``redeem(_:_:)`` would come to, but for the limits; nothing is used up, counted or written.
    func explainRedemption(
        of loginToken: Secret<String>, _ request: TokenRequest, in explanation: inout Explanation
    ) async throws {
        try await redeemer.explain(Self.redemption(of: loginToken, request), in: &explanation)
    }
}
