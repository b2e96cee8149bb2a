package import OAuth2

/// Takes in authorization requests ahead of the browser (RFC 9126), from clients that were authenticated before.
package final class PushedRequests: Sendable {
    package static let lifetime = Duration.seconds(90)
    /// Anybody can have a public client's requests kept, so they are not kept at any length.
    static let maximumBytes = 16 * 1024

    private let rules: AuthorizationRequestRules
    private let authenticator: ClientAuthenticator
    private let store: any RequestStore
    private let proofs: DPoPVerifier?
    private let refusals: RefusalLog
    private let requests: TokenRequestRefusals
    private let gate: LimitGate
    private let limits: LimitSettings
    private let loginTokens: PushedLoginTokens?
    private let hints: PushedHints
    private let time: TimeSource
    private let random: RandomSource

    /// - Parameter proofs: `nil` offers no DPoP; then the header means nothing.
    package init(
        rules: AuthorizationRequestRules, authenticator: ClientAuthenticator, store: any RequestStore,
        proofs: DPoPVerifier?, refusals: RefusalLog, limiter: any RateLimiter, limits: LimitSettings,
        loginTokens: PushedLoginTokens? = nil, keys: Reloadable<SecretKeyRing>, time: TimeSource,
        random: RandomSource = .system
    ) {
        self.rules = rules
        self.authenticator = authenticator
        self.store = store
        self.proofs = proofs
        self.refusals = refusals
        requests = TokenRequestRefusals(refusals, limiter: limiter, limits: limits)
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        self.loginTokens = loginTokens
        hints = PushedHints(keys: keys, time: time)
        self.time = time
        self.random = random
    }

    /// Authenticates the client, checks the request, and keeps it.
    /// - Parameters:
    ///   - basic: what the `Authorization: Basic` header holds.
    ///   - proof: the `DPoP` header, if there is one: its key is `dpop_jkt` (RFC 9449 §10.1).
    /// - Returns: its `request_uri`.
    /// - Throws: ``ClientRefused``; `OAuthError` with what is wrong with the request.
    package func push(
        _ parameters: FormParameters, basic: BasicCredentials, proof: PresentedProof = .none,
        origin: RequestOrigin
    ) async throws -> Secret<String> {
        let now = time.now()
        if let problem = AuthorizationParameter.repetition(in: parameters) {
            let error = OAuthError(.invalidRequest, problem, detail: .repeatedParameter)
            let sender = authenticator.sender(of: parameters, basic)
            try await requests.record(error, from: sender, origin: origin, at: now)
            throw error
        }
        let client = try await authenticator.client(
            sending: parameters, basic: basic, origin: origin, at: now, isChecked: true)
        let keys = limits.clientKeys(
            "pushed_request", client, of: origin, perClient: limits.pushedRequestPerClient,
            perNetwork: limits.pushedRequestPerNetwork)
        try await gate.pass(keys, client: client.id, origin: origin, at: now, else: .rateLimited)
        try await rules.learnKey(ofHintIn: parameters)
        let good = try await recordingRefusal(of: client, origin: origin, at: now) {
            try checked(parameters, proof, of: client, at: now)
        }
        var text = try hints.sealed(good.text, for: client.id)
        // Looked at late: a token is no business of a client that may not push.
        if let loginTokens, parameters.bytes(AuthorizationParameter.loginToken) != nil {
            let kept = try await loginTokens.keep(
                parameters[AuthorizationParameter.loginToken], for: client, origin: origin)
            text += "&\(AuthorizationParameter.loginToken)=\(PercentEncoding.encode(kept))"
        }
        // For a public client, a copied proof only ties the copier's own request to another's key: remembering it would
        // protect no one, and anyone could fill the memory of proofs.
        if let shown = good.proof, let proofs, !client.isPublic {
            try await recordingRefusal(of: client, origin: origin, at: now) { try await proofs.claim(shown, at: now) }
        }
        let secret = OpaqueSecret.make(.pushedRequest, random: random)
        try await store.storePushedRequest(
            PushedRequest(
                digest: secret.digest, clientID: client.id, parameters: text, expiresAt: now + Self.lifetime))
        return Secret(AuthorizationRequestReader.requestURIPrefix + secret.expose())
    }

    /// What is kept of a good request, and the proof of the key that it is for, which is not used up yet.
    private func checked(
        _ parameters: FormParameters, _ proof: PresentedProof, of client: Client, at now: Timestamp
    ) throws -> (text: String, proof: DPoPVerifier.Unclaimed?) {
        guard parameters["request_uri"] == nil else {
            throw OAuthError(.invalidRequest, "request_uri cannot be pushed", detail: .pushedRequestURI)
        }
        // A client that names itself in the header alone is named here, for the checks and for later.
        var text = AuthorizationParameter.serialize(parameters)
        if parameters["client_id"] == nil { text += "&client_id=\(PercentEncoding.encode(client.id.rawValue))" }
        let shown = try judged(proof, parameters, at: now)
        if let shown, parameters.bytes("dpop_jkt") == nil { text += "&dpop_jkt=\(shown.keyThumbprint)" }
        guard text.utf8.count <= Self.maximumBytes else {
            throw OAuthError(
                .invalidRequest, "the request is longer than \(Self.maximumBytes) bytes", detail: .requestTooLong)
        }
        if let error = flaw(of: try FormParameters(parsing: text.utf8), sentAs: parameters) { throw error }
        return (text, shown)
    }

    /// What is wrong with a request, where `resource` is not among what is kept of it.
    private func flaw(of kept: FormParameters, sentAs parameters: FormParameters) -> OAuthError? {
        if case .failure(let refusal) = rules.reader.read(kept, pushed: .found(kept)) { return Self.error(of: refusal) }
        guard parameters.keeps(AuthorizationParameter.resource, to: [rules.issuer]) else {
            return OAuthError(.invalidTarget, AuthorizationRequestReader.foreignResource)
        }
        return nil
    }

    /// The proof of the key that the request is for, which is not used up yet; `nil` where none was sent.
    private func judged(
        _ proof: PresentedProof, _ parameters: FormParameters, at now: Timestamp
    ) throws(OAuthError) -> DPoPVerifier.Unclaimed? {
        guard proof.isPresent, let proofs else { return nil }
        let shown = try proofs.judge(proof, at: now)
        guard parameters.bytes("dpop_jkt") != nil else { return shown }
        guard let named = parameters["dpop_jkt"], SenderConstraint.isKey(shown.keyThumbprint, named) else {
            throw OAuthError(.invalidDPoPProof, "dpop_jkt is of another key", detail: .proofKeyMismatch)
        }
        return shown
    }

    private func recordingRefusal<Value: Sendable>(
        of client: Client, origin: RequestOrigin, at now: Timestamp, _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch let error as OAuthError {
            try await refusals.tokenRequestRefused(error, from: .known(client.id), origin: origin, at: now)
            throw error
        }
    }

    private static func error(of refusal: AuthorizationRefusal) -> OAuthError {
        switch refusal {
        case .page(let code, let problem): OAuthError(code, description(of: problem), detail: problem.rawValue)
        case .redirect(_, let code, let description): OAuthError(code, description)
        }
    }

    private static func description(of problem: AuthorizationRefusal.Reason) -> String {
        switch problem {
        case .repeatedParameter: "a parameter is repeated"
        case .missingClient, .unknownClient: "the client is unknown"
        case .missingRedirect: "redirect_uri is missing"
        case .unregisteredRedirect: "redirect_uri is not registered for this client"
        case .unusableRequestURI: "request_uri cannot be used"
        case .responseMode: "response_mode must be query, or form_post to a web address"
        case .embeddedBrowser: "the sign-in page must be opened in a browser"
        }
    }
}

/// One authorization request that was sent ahead.
package struct PushedRequest: Hashable, Sendable {
    /// ``OpaqueSecret/digest`` of what is in `request_uri`.
    package let digest: String
    package let clientID: ClientID
    /// The parameters as a form; the tokens among them are sealed.
    package let parameters: String
    package let expiresAt: Timestamp
    package let usedAt: Timestamp?

    package init(
        digest: String, clientID: ClientID, parameters: String, expiresAt: Timestamp, usedAt: Timestamp? = nil
    ) {
        self.digest = digest
        self.clientID = clientID
        self.parameters = parameters
        self.expiresAt = expiresAt
        self.usedAt = usedAt
    }
}
