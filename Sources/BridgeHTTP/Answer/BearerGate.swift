package import Bridge
import Hummingbird
import OAuth2

/// Turns a request into the identity of its bearer, and records refusals.
package final class BearerGate: Sendable {
    private let authenticator: any BearerAuthenticator
    private let inquiries: BearerInquiries
    private let constraint: SenderConstraint
    private let clients: Reloadable<ClientDirectory>
    private let limitGate: LimitGate
    private let limits: LimitSettings
    private let refusals: RefusalLog
    private let time: TimeSource

    package init(
        authenticator: any BearerAuthenticator, constraint: SenderConstraint, clients: Reloadable<ClientDirectory>,
        limiter: any RateLimiter, limits: LimitSettings, refusals: RefusalLog, time: TimeSource
    ) {
        self.authenticator = authenticator
        inquiries = BearerInquiries(authenticator, limiter: limiter, limits: limits, refusals: refusals)
        self.constraint = constraint
        self.clients = clients
        limitGate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        self.refusals = refusals
        self.time = time
    }

    /// - Throws: `invalid_token`, with a bare challenge when there is no token; `unauthorized_client` for a client's
    ///   own; `invalid_dpop_proof` or `use_dpop_nonce` for one that is bound to a key; `rate_limited` where its issuer
    ///   is not asked about another; ``StorageError`` when it cannot be found out now.
    func identity(of request: Request, origin: RequestOrigin) async throws -> BearerIdentity {
        let now = time.now()
        return try await admit(try BearerReader.token(in: request), origin: origin) { presented in
            let identity = try await inquiries.identity(of: presented.token, from: origin, at: now)
            try await constraint.check(presented, boundTo: identity.proofKeyThumbprint, at: now)
            return identity
        }
    }

    /// What would become of a bearer that asks for a login token, and why (contract §13). A token that is bound to a
    /// key is judged without the proof, which only its holder can make.
    /// - Parameters:
    ///   - website: the `client_id` that it is to open; `nil` for the default website.
    ///   - issuer: what would be asked for the login token.
    package func explain(
        _ token: Secret<String>, opening website: String?, by issuer: LoginTokenIssuer
    ) async throws -> Explanation {
        var explanation = Explanation(rule: "bearer")
        guard let bearer = try await named(by: token, in: &explanation) else { return explanation }
        try await issuer.explain(bearer, opening: website, in: &explanation)
        return explanation
    }

    /// Whom a token names, where it is good; without the proof, which only its holder can make.
    func named(by token: Secret<String>, in explanation: inout Explanation) async throws -> BearerIdentity? {
        let identity: BearerIdentity
        do {
            identity = try await authenticator.authenticate(token, at: time.now())
        } catch let refusal as BearerRefusal {
            explanation.check("token is good", fails: refusal.reason.rawValue, in: refusal.claim)
            if let mismatch = authenticator.mismatch(of: token, refusedFor: refusal.reason) {
                explanation.note("\(mismatch.claim) of the token", Self.listed(mismatch.said))
                explanation.note("\(mismatch.claim) in the settings", Self.listed(mismatch.configured))
            }
            return nil
        }
        explanation.check("token is good", fails: nil, found: "until \(identity.expiresAt.rfc3339)")
        explanation.note("issuer", identity.issuer)
        explanation.note("user", identity.subject.rawValue)
        explanation.note("session", identity.sessionID?.rawValue ?? "not named")
        if identity.proofKeyThumbprint != nil { explanation.leaveOpen(ExplainedCheck.proofOfPossession) }
        return identity
    }

    /// Values from outside, a few and not too long, each so that what nobody sees in it is seen.
    private static func listed(_ values: [String]) -> String {
        guard !values.isEmpty else { return "none" }
        let shown = values.prefix(8).map { value in
            let text = HeaderText.encode(String(value.prefix(200)))
            return text.isEmpty ? "(empty)" : text.count > 200 || value.count > 200 ? "\(text.prefix(200))…" : text
        }
        return shown.joined(separator: ", ") + (values.count > shown.count ? ", …" : "")
    }

    /// The claims of an access token of our own.
    /// - Throws: as ``identity(of:origin:)``.
    func claims(
        of request: Request, verifiedBy tokens: AccessTokens, origin: RequestOrigin
    ) async throws -> AccessTokenClaims {
        let now = time.now()
        return try await admit(try BearerReader.token(in: request), origin: origin) { presented in
            let claims = try await tokens.active(presented.token, at: now)
            try await constraint.check(presented, boundTo: claims.proofKeyThumbprint, at: now)
            return claims
        }
    }

    /// Lets somebody else verify the token; a refusal is recorded and gets its challenge.
    func admit<Value: Sendable>(
        _ presented: PresentedAccessToken, origin: RequestOrigin,
        verifying verify: (PresentedAccessToken) async throws -> Value
    ) async throws -> Value {
        do {
            return try await verify(presented)
        } catch let refusal as BearerRefusal {
            try await record(
                refusal.reason.rawValue, issuer: authenticator.claimedIssuer(of: presented.token), origin: origin)
            throw ResourceChallenge.error(for: refusal, scheme: presented.scheme)
        } catch let error as OAuthError where ResourceChallenge.isAboutProof(error) {
            try await record(error.detail ?? error.code.rawValue, origin: origin)
            throw ResourceChallenge.error(for: error)
        }
    }

    /// Does what an admitted bearer asks for; where its user turns out to be refused, that is recorded.
    func recordingRefusals<Value: Sendable>(
        of bearer: AdmittedBearer, _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch let error as OAuthError where error.code == .invalidToken {
            let identity = bearer.identity
            try await record(
                error.detail ?? error.code.rawValue, issuer: identity.issuer, of: identity, origin: bearer.origin)
            throw error
        }
    }

    /// Answers an admitted token of our own; where it was granted too little for that, that is recorded.
    func recordingScope<Value: Sendable>(
        of access: AccessTokenClaims, origin: RequestOrigin, _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch let error as OAuthError where error.code == .insufficientScope {
            try await record(error.code.rawValue, of: access, origin: origin)
            throw error
        }
    }

    /// Records that a good token of our own was refused, and whose it is. Bounds of its own keep the log from filling:
    /// bearers that anybody can make up must not hide it.
    func record(_ reason: String, of access: AccessTokenClaims, origin: RequestOrigin) async throws {
        try await refusals.bearerRefused(reason: reason, of: TokenOwner(access), origin: origin, at: time.now())
    }

    /// Records that a bearer was refused.
    ///
    /// Over the limit the answer stays the same, so that one bad client behind a shared address takes nothing from the
    /// others; only the audit log stops growing with every attempt. Where the bearer itself is good, a bound of its own
    /// sees to that.
    /// - Parameters:
    ///   - issuer: one of the settings that it says to be of.
    ///   - identity: whom it names, where the bearer itself is good.
    func record(
        _ reason: String, issuer: String? = nil, of identity: BearerIdentity? = nil, origin: RequestOrigin
    ) async throws {
        let now = time.now()
        if identity == nil {
            let decision = try await limitGate.take(limits.refusedBearerKeys(origin: origin), origin: origin, at: now)
            guard case .allowed = decision else { return }
        }
        try await refusals.bearerRefused(
            reason: reason, issuer: issuer, of: identity,
            client: identity.flatMap { clients.current.recordable($0.clientID) }, origin: origin, at: now)
    }
}
