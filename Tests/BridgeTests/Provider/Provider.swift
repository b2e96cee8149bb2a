import Foundation
import OAuth2
import Synchronization
import StorageConformance
import Testing

@testable import Bridge

let issuerName = "https://bridge.example"
let callback = "com.example.app:/callback"
let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

/// Keeps what was delivered, and answers as it is told.
final class RecordingDelivery: LogoutDelivery {
    private let state = Mutex((tokens: [String](), outcomes: [LogoutDeliveryOutcome]()))

    var tokens: [String] { state.withLock { $0.tokens } }

    func willAnswer(_ outcomes: LogoutDeliveryOutcome...) { state.withLock { $0.outcomes = outcomes } }

    func deliver(_ token: Secret<String>, to uri: String, timeout: Duration) -> LogoutDeliveryOutcome {
        state.withLock { state in
            state.tokens.append(token.expose())
            return state.outcomes.isEmpty ? .accepted : state.outcomes.removeFirst()
        }
    }
}

/// Answers nobody until it is told to.
final class SilentDelivery: LogoutDelivery {
    private let questions = AsyncStream.makeStream(of: Void.self)
    private let answers = AsyncStream.makeStream(of: Void.self)

    /// Waits until somebody was asked.
    func wasAsked() async { for await _ in questions.stream { break } }

    func answer() { answers.continuation.finish() }

    func deliver(_ token: Secret<String>, to uri: String, timeout: Duration) async -> LogoutDeliveryOutcome {
        questions.continuation.yield()
        for await _ in answers.stream {}
        return .accepted
    }
}

/// The token side of the provider over the database of a ``Service``.
struct Provider: Sendable {
    let service: Service
    let ring: Reloadable<SigningKeyRing>
    let key: SigningKey
    let codes: AuthorizationCodes
    let appSessions: AppSessions
    let accessTokens: AccessTokens
    let accessTokenCodec: AccessTokenCodec
    let idTokens: IDTokenCodec
    let endpoint: TokenEndpoint
    let revocation: TokenRevocation
    let introspection: TokenIntrospection
    let userInfo: UserInfo
    let proofs: DPoPVerifier
    let pushedRequests: PushedRequests
    let notifier: LogoutNotifier
    let refusals: RefusalLog
    let delivery = RecordingDelivery()
    let secret = OpaqueSecret.make(.clientSecret, random: .system)
    let assertionKey: SigningKey

    init(
        _ service: Service, users: any UserClaimsSource = NoUserClaims(), limits: LimitSettings = LimitSettings()
    ) throws {
        self.service = service
        let storage = service.storage
        let time = service.clock.source
        key = try SigningKey.generate(.es256)
        assertionKey = try SigningKey.generate(.edDSA)
        let ring = Reloadable(
            SigningKeyRing([.init(key: key, signsFrom: Timestamp(seconds: 0), retiresAt: nil)]))
        self.ring = ring
        service.clients.replace(
            with: ClientDirectory(try Self.clients(secret, assertionKey), defaultTarget: website))
        let limiter = InProcessRateLimiter(clock: .parameter)
        let refusals = RefusalLog(audit: storage, limiter: limiter)
        self.refusals = refusals
        let master = try #require(MasterKey([UInt8](repeating: 7, count: 32)))
        func limit(_ scope: String) -> UserLimit {
            UserLimit(scope: scope, bucket: TokenBucket(perMinute: 60), limiter: limiter, refusals: refusals)
        }
        codes = AuthorizationCodes(store: storage, limit: limit("authorize.subject"))
        appSessions = service.appSessions
        accessTokenCodec = AccessTokenCodec(issuer: issuerName, keys: ring)
        idTokens = IDTokenCodec(issuer: issuerName, keys: ring)
        accessTokens = AccessTokens(
            codec: accessTokenCodec, clients: service.clients, sessions: appSessions, store: storage, time: time)
        let authenticator = ClientAuthenticator(
            clients: service.clients, issuer: issuerName, endpoints: ["\(issuerName)/oauth/token"],
            assertions: storage, refusals: refusals, limiter: UnlimitedRateLimiter(), limits: limits)
        proofs = DPoPVerifier(
            origins: [try #require(WebOrigin(issuerName))], nonces: DPoPNonces(keys: service.keys),
            replays: InProcessReplayGuard(time: time), time: time)
        pushedRequests = PushedRequests(
            rules: AuthorizationRequestRules(
                issuer: issuerName, clients: service.clients, idTokens: nil),
            authenticator: authenticator, store: storage, proofs: proofs, refusals: refusals,
            limiter: UnlimitedRateLimiter(), limits: limits, keys: service.keys, time: time)
        let tokens = SessionTokens(accessTokens: accessTokenCodec, idTokens: idTokens, users: users)
        let refreshTokens = RefreshTokens(master: master)
        endpoint = TokenEndpoint(
            issuer: issuerName, authenticator: authenticator,
            grants: [
                AuthorizationCodeGrant(
                    codes: storage, browsers: storage, endings: service.endings, refreshTokens: refreshTokens,
                    tokens: tokens, refusals: refusals),
                RefreshTokenGrant(
                    store: storage, endings: service.endings, refreshTokens: refreshTokens, tokens: tokens,
                    clients: service.clients, limit: limit("refresh.subject")),
                ClientCredentialsGrant(
                    tokens: tokens, audit: storage, refusals: refusals, limiter: limiter, limits: limits),
            ], proofs: proofs, refusals: refusals, limiter: limiter, limits: limits, time: time)
        revocation = TokenRevocation(
            authenticator: authenticator, accessTokens: accessTokens, idTokens: idTokens, grants: storage,
            endings: service.endings, refusals: refusals, time: time)
        introspection = TokenIntrospection(
            authenticator: authenticator, clients: service.clients, accessTokens: accessTokens,
            refreshTokens: storage, users: users, issuer: issuerName, refusals: refusals, time: time)
        userInfo = UserInfo(
            tokens: accessTokens, sessions: appSessions, users: users, clients: service.clients, codec: idTokens,
            constraint: SenderConstraint(proofs: proofs),
            time: time)
        notifier = LogoutNotifier(
            store: storage, clients: service.clients, tokens: idTokens, delivery: delivery, time: time)
    }

    private static func clients(_ secret: OpaqueSecret, _ assertionKey: SigningKey) throws -> [Client] {
        var confidential = Client(id: "rp", name: "A website with a secret", kind: .web)
        // A resource server too.
        confidential.introspection = .any
        confidential.secretDigest = secret.digest
        confidential.grantTypes = [.authorizationCode, .refreshToken]
        confidential.requiresPKCE = false
        confidential.backchannelLogoutURI = "https://rp.example/logout"
        var machine = Client(id: "machine", name: "A machine", kind: .service)
        machine.secretDigest = secret.digest
        machine.scope = Scope(tokens: [Scope.admin, "read"])
        var signing = Client(id: "signing", name: "A machine that signs", kind: .service)
        signing.authenticationMethod = .privateKeyJWT
        signing.scope = Scope(tokens: ["read"])
        signing.keys = .object([
            "keys": .array([assertionKey.publicKey.jwk(id: assertionKey.id, algorithm: .edDSA)])
        ])
        return try testClients() + [confidential, machine, signing]
    }

    func grant(
        client: ClientID = app, redirectURI: String = callback, challenge: Bool = true,
        scope: [String] = [Scope.openID, "profile", Scope.offlineAccess], browser: SessionID? = nil,
        subject: Subject = "alice", acr: String = "aal1", requestedClaims: RequestedClaims = .none,
        proofKeyThumbprint: String? = nil
    ) throws -> AuthorizationGrant {
        let answer = try #require(CodeVerifier(verifier))
        return AuthorizationGrant(
            clientID: client, redirectURI: redirectURI, codeChallenge: challenge ? CodeChallenge(for: answer) : nil,
            nonce: "n", scope: Scope(tokens: scope), subject: subject,
            authentication: Authentication(time: service.clock.now, acr: acr, amr: ["pwd"]),
            browserSessionID: browser ?? SessionID.make(at: service.clock.now, random: .system),
            requestedClaims: requestedClaims, proofKeyThumbprint: proofKeyThumbprint)
    }

    func code(_ grant: AuthorizationGrant) async throws -> String {
        try await openBrowser(for: grant)
        let code = try await codes.issue(grant, origin: origin(), at: service.clock.now)
        return try #require(code).expose()
    }

    /// The browser's session that a grant is given in, by a sign-in, unless there is one.
    private func openBrowser(for grant: AuthorizationGrant) async throws {
        guard try await service.storage.session(id: grant.browserSessionID) == nil else { return }
        let session = WebSession(
            id: grant.browserSessionID, secretDigest: "digest of \(grant.browserSessionID)",
            lineage: .signIn(
                of: grant.subject, authentication: grant.authentication, at: service.clock.now,
                lifetime: .seconds(43_200)),
            clientID: website, createdAt: service.clock.now, idleLifetime: .seconds(3600),
            lastSeenAt: service.clock.now)
        _ = try await service.storage.open(session, replacing: nil, events: [])
    }

    /// The user of a browser's session adds a second factor there.
    func raise(_ id: SessionID) async throws {
        let found = try await service.storage.session(id: id)
        let session = try #require(found)
        let now = service.clock.now
        let lineage = try #require(
            session.lineage.raised(
                to: Authentication(time: session.authentication.time, acr: "aal2", amr: ["pwd", "otp", "mfa"])))
        let raised = WebSession(
            id: SessionID.make(at: now, random: .system), secretDigest: "digest of \(id), raised", lineage: lineage,
            clientID: session.clientID, createdAt: now, idleLifetime: session.idleLifetime, lastSeenAt: now)
        let isOpened = try await service.storage.open(
            raised, replacing: ReplacedSession.sample(session, isRaised: true, at: now), events: [])
        #expect(isOpened)
    }

    /// Posts a form to the token endpoint.
    func token(
        _ form: [(String, String)], basic: BasicCredentials = .absent, proof: PresentedProof = .none
    ) async throws -> TokenResponse {
        try await endpoint.answer(
            try Self.parameters(form), basic: basic, proof: proof, cookies: .allowed, origin: origin())
    }

    func redeem(
        _ code: String, client: String? = "app", redirectURI: String? = callback, codeVerifier: String? = verifier,
        basic: BasicCredentials = .absent, proof: PresentedProof = .none
    ) async throws -> TokenResponse {
        var form = [("grant_type", "authorization_code"), ("code", code)]
        if let client { form.append(("client_id", client)) }
        if let redirectURI { form.append(("redirect_uri", redirectURI)) }
        if let codeVerifier { form.append(("code_verifier", codeVerifier)) }
        return try await token(form, basic: basic, proof: proof)
    }

    func refresh(
        _ token: Secret<String>?, client: String = "app", scope: String? = nil, proof: PresentedProof = .none
    ) async throws -> TokenResponse {
        var form = [("grant_type", "refresh_token"), ("client_id", client)]
        if let token { form.append(("refresh_token", token.expose())) }
        if let scope { form.append(("scope", scope)) }
        return try await self.token(form, proof: proof)
    }

    /// Tokens of a fresh sign-in of the app.
    func signIn(
        _ grant: AuthorizationGrant? = nil, proof: PresentedProof = .none
    ) async throws -> TokenResponse {
        try await redeem(try await code(grant ?? self.grant()), proof: proof)
    }

    /// What introspection says of a token, to a website.
    func introspect(_ token: Secret<String>) async throws -> [String: JSONValue] {
        let answer = try await introspection.answer(
            try Self.parameters([("token", token.expose())]), basic: basic, origin: origin())
        return try #require(JSONValue.parse(bytes: answer)?.object)
    }

    var basic: BasicCredentials { .given(id: "rp", secret: Secret(secret.expose())) }

    static func parameters(_ form: [(String, String)]) throws -> FormParameters {
        try FormParameters(
            parsing: form.map { "\(PercentEncoding.encode($0.0))=\(PercentEncoding.encode($0.1))" }
                .joined(separator: "&").utf8)
    }
}

/// Runs a test against a provider over a fresh database.
func withProvider(
    users: any UserClaimsSource = NoUserClaims(), limits: LimitSettings = LimitSettings(),
    _ body: (Provider) async throws -> Void
) async throws {
    try await withService { service async throws in
        try await body(Provider(service, users: users, limits: limits))
    }
}

/// The error code of a call that must be refused, and its private detail.
func refusal(_ call: () async throws -> some Sendable) async throws -> String {
    do {
        _ = try await call()
        return "accepted"
    } catch let error as OAuthError {
        return "\(error.code.rawValue) \(error.detail ?? "")"
    } catch let refused as ClientRefused {
        return "\(refused.error.code.rawValue) \(refused.error.detail ?? "")"
    } catch let refusal as BearerRefusal {
        return refusal.reason.rawValue
    }
}

func claims(_ token: Secret<String>?) throws -> [String: JSONValue] {
    let token = try #require(token)
    return try #require(CompactJWS(token.expose())?.claims)
}

extension UserInfo {
    func answer(to presented: PresentedAccessToken) async throws -> Answer {
        try await answer(openedBy: try await access(by: presented))
    }

    /// The claims of a client without `userinfo_signed_response_alg`.
    func claims(for presented: PresentedAccessToken) async throws -> JSONValue {
        guard case .plain(let claims) = try await answer(to: presented) else { return .null }
        return claims
    }
}
