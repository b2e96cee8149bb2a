package import OAuth2

/// Token exchange (RFC 8693), the whole table of contract §5.4.
package final class TokenExchangeGrant: TokenGrant {
    package let type = GrantType.tokenExchange
    private let native: NativeSSOExchange
    private let loginTokens: LoginTokenExchange

    package init(native: NativeSSOExchange, loginTokens: LoginTokenExchange) {
        self.native = native
        self.loginTokens = loginTokens
    }

    package func authorize(_ request: TokenRequest) async throws -> TokenResponse {
        let exchange = try RequestedExchange(request)
        try checkAudience(of: exchange, request)
        return switch exchange {
        case .native(let exchange): try await native.exchange(exchange, for: request)
        case .issue(let accessToken): .tokens(try await loginTokens.issue(for: accessToken, request))
        case .redemption(let loginToken): .tokens(try await loginTokens.redeem(loginToken, request))
        }
    }

    /// A login token is valid to its website alone, and every other client is told no more than that (contract §4.4).
    /// Native SSO has a rank for what is wrong (contract §5.4), and refuses a client without `native_sso_enabled` in
    /// it.
    package func refusesByItself(_ request: TokenRequest) async throws -> Bool {
        switch try? RequestedExchange(request) {
        case .native: true
        case .redemption(let loginToken): try await !loginTokens.isMeant(loginToken, for: request.client)
        case .issue, nil: false
        }
    }

    /// The other rows look at `audience` themselves: one is for this server, one for the website that it names.
    /// - Throws: `invalid_target` (RFC 8693 §2.2.2).
    private func checkAudience(of exchange: RequestedExchange, _ request: TokenRequest) throws(OAuthError) {
        guard case .redemption = exchange, let audience = request.parameters["audience"] else { return }
        guard [native.inquiry.issuer, request.client.id.rawValue].contains(where: audience.hasSameBytes(as:)) else {
            throw OAuthError(.invalidTarget, "audience must be this issuer or the website", detail: .wrongAudience)
        }
    }
}

extension TokenExchangeGrant {
    /// What an exchange with these parameters would come to, check by check, whatever its row of the table (contract
    /// §13). Nothing is used up, counted, issued or written.
    ///
    /// Not judged is the client's own proof of who it is. What is bound to a key does not pass: its proof belongs to a
    /// request.
    package func explain(
        _ parameters: FormParameters, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Explanation {
        var explanation = Explanation(rule: "token_exchange")
        let client = parameters["client_id"].flatMap { native.inquiry.clients.current[ClientID(rawValue: $0)] }
        guard explanation.check("client is known", client != nil, else: .unknownClient), let client else {
            return explanation
        }
        if !client.isPublic { explanation.leaveOpen("client authentication") }
        if client.requiresProofOfPossession { explanation.leaveOpen(ExplainedCheck.proofOfPossession) }
        // Who asks about an exchange has named the grant by that; another one is none.
        let isExchange = parameters["grant_type"].map { $0 == type.rawValue } ?? true
        guard explanation.check("grant_type is token exchange", isExchange, else: .grantType) else {
            return explanation
        }
        let request = TokenRequest(parameters: parameters, client: client, origin: origin, at: now)
        let mayUse = client.mayUse(type)
        // Some exchanges refuse a client by a reason of their own, which is told first.
        let asksForRight: Bool = if mayUse { true } else { try await !refusesByItself(request) }
        if asksForRight {
            guard explanation.check("client may exchange tokens", mayUse, else: .grantType) else {
                return explanation
            }
        }
        let exchange: RequestedExchange
        do throws(OAuthError) {
            exchange = try RequestedExchange(request)
        } catch {
            explanation.check("exchange is offered", refusedWith: error)
            return explanation
        }
        explanation.check("exchange is offered", fails: nil, found: exchange.label)
        do throws(OAuthError) {
            try request.checkResource(of: type, issuer: native.inquiry.issuer)
            try checkAudience(of: exchange, request)
        } catch {
            explanation.check("resource and audience can be had", refusedWith: error)
        }
        explanation.decided(by: exchange.rule)
        switch exchange {
        case .native(let exchange): try await native.inquiry.explain(exchange, request, in: &explanation)
        case .issue(let accessToken):
            try await loginTokens.explainIssue(for: accessToken, request, in: &explanation)
        case .redemption(let loginToken):
            try await loginTokens.explainRedemption(of: loginToken, request, in: &explanation)
        }
        return explanation
    }
}

extension RequestedExchange {
    /// What is exchanged, as an administrator reads it.
    fileprivate var label: String {
        switch self {
        case .native(let exchange):
            exchange.kind == .idToken ? "an ID token and a device secret" : "an access token and a device secret"
        case .issue: "an access token for a login token"
        case .redemption: "a login token"
        }
    }

    /// What decides when every check passes.
    fileprivate var rule: String {
        switch self {
        case .native: "native_sso"
        case .issue: "login_token_issue"
        case .redemption: "login_token"
        }
    }
}
