package import OAuth2

/// Finds out which client asks, and whether it is the one it says (RFC 6749 §2.3, §3.2.1).
package final class ClientAuthenticator: Sendable {
    private let clients: Reloadable<ClientDirectory>
    private let assertions: ClientAssertionCheck
    private let refusals: RefusalLog
    private let requests: TokenRequestRefusals
    private let gate: LimitGate
    private let limits: LimitSettings

    /// - Parameters:
    ///   - issuer: what an assertion's `aud` must be.
    ///   - endpoints: what else it may be, for clients with `accepts_endpoint_audience`.
    package init(
        clients: Reloadable<ClientDirectory>, issuer: String, endpoints: Set<String> = [],
        keys: any ClientKeySource = RegisteredClientKeys(), assertions store: any RequestStore,
        refusals: RefusalLog, limiter: any RateLimiter, limits: LimitSettings
    ) {
        self.clients = clients
        assertions = ClientAssertionCheck(issuer: issuer, endpoints: endpoints, keys: keys, store: store)
        self.refusals = refusals
        requests = TokenRequestRefusals(refusals, limiter: limiter, limits: limits)
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
    }

    /// The client that a request to the token, revocation, introspection or pushed request endpoint comes from.
    /// - Parameters:
    ///   - basic: what the `Authorization: Basic` header holds.
    ///   - isChecked: whether the endpoint has looked for repeated parameters by a rule of its own.
    ///   - excess: the error of a network that failed too often; the token endpoint has one of its own.
    /// - Throws: `invalid_request` for a repeated parameter, one that is not text, or more than one way at once;
    ///   ``ClientRefused`` and `excess` as ``authenticate(_:origin:at:else:)``.
    package func client(
        sending parameters: FormParameters, basic: BasicCredentials, origin: RequestOrigin,
        at now: Timestamp, isChecked: Bool = false, else excess: ErrorCode = .rateLimited
    ) async throws -> Client {
        let credentials: ClientCredentials
        do throws(OAuthError) {
            if !isChecked { try parameters.checkUnique(detail: RefusalReason.repeatedParameter.rawValue) }
            try parameters.checkText()
            credentials = try ClientCredentials(parameters, basic: basic)
        } catch {
            try await requests.record(error, from: sender(of: parameters, basic), origin: origin, at: now)
            throw error
        }
        return try await authenticate(credentials, origin: origin, at: now, else: excess)
    }

    /// Whose a request says to be, before anybody has checked it.
    func sender(of parameters: FormParameters, _ basic: BasicCredentials) -> SendingClient {
        guard !parameters.isRepeated("client_id") else { return .unknown }
        var name = parameters["client_id"]
        if name == nil, case .given(let id, _) = basic { name = id }
        return SendingClient(named: name.flatMap { clients.current[ClientID(rawValue: $0)] })
    }

    /// - Throws: ``ClientRefused`` when the client is not believed; `excess` when its network failed too often.
    package func authenticate(
        _ credentials: ClientCredentials, origin: RequestOrigin, at now: Timestamp,
        else excess: ErrorCode = .rateLimited
    ) async throws -> Client {
        let attempt = Attempt(origin: origin, at: now, excess: excess)
        let client = credentials.clientID.flatMap { clients.current[ClientID(rawValue: $0)] }
        let flaw: Flaw
        if case .unreadable = credentials.proof {
            flaw = .reason(.unreadableCredentials)
        } else if let client {
            guard let found = try await self.flaw(of: credentials.proof, by: client, in: attempt) else { return client }
            flaw = found
        } else {
            flaw = .reason(credentials.clientID == nil ? .missingClientID : .unknownClient)
        }
        try await count(flaw, of: client, in: attempt)
        throw ClientRefused(error: OAuthError(.invalidClient, Self.description(of: flaw), detail: flaw.word))
    }

    private struct Attempt {
        let origin: RequestOrigin
        let at: Timestamp
        let excess: ErrorCode

        func check(_ decision: RateLimitDecision) throws(OAuthError) {
            try decision.check(else: excess, "too many failed client authentications")
        }
    }

    /// Why a client is not believed.
    private enum Flaw {
        case reason(RefusalReason)
        case assertion(ClientAssertionRefusal)

        /// The reason in the audit log.
        var word: String {
            switch self {
            case .reason(let reason): reason.rawValue
            case .assertion(let refusal): refusal.rawValue
            }
        }

        /// What the maker of the client is told.
        var advice: String? {
            switch self {
            case .reason: nil
            case .assertion(let refusal): refusal.advice
            }
        }
    }

    /// Counts a failure, and writes it down.
    /// - Throws: the attempt's `excess` when there were too many.
    private func count(_ flaw: Flaw, of client: Client?, in attempt: Attempt) async throws {
        let keys = limits.failedClientKeys(origin: attempt.origin)
        try await attempt.check(gate.take(keys, client: client?.id, origin: attempt.origin, at: attempt.at))
        try await refusals.clientRefused(flaw.word, clientID: client?.id, origin: attempt.origin, at: attempt.at)
    }

    /// One text for every caller that is not believed, except for what a developer must know and a thief learns nothing
    /// from.
    private static func description(of flaw: Flaw) -> String {
        flaw.advice.map { "client authentication failed: \($0)" } ?? "client authentication failed"
    }

    /// - Returns: why the proof is not valid; `nil` when it is.
    private func flaw(
        of proof: ClientCredentials.Proof, by client: Client, in attempt: Attempt
    ) async throws -> Flaw? {
        switch (client.authenticationMethod, proof) {
        // A public client that sends a secret believes in a protection that does not exist (RFC 8252 §8.5).
        case (.none, .none): nil
        // Many tools send a header whatever the client is; with nothing after the colon it claims nothing
        // (RFC 6749 §2.3.1).
        case (.none, .basic(let secret)) where secret.expose().isEmpty: nil
        case (.clientSecretBasic, .basic(let secret)), (.clientSecretBasic, .post(let secret)),
            (.clientSecretPost, .basic(let secret)), (.clientSecretPost, .post(let secret)):
            Self.matches(secret, client.secretDigest) ? nil : .reason(.wrongSecret)
        case (.privateKeyJWT, .assertion(let assertion)):
            try await flaw(of: assertion, by: client, in: attempt)
        case (_, .none): .reason(.missingProof)
        default: .reason(.wrongMethod)
        }
    }

    private func flaw(
        of assertion: Secret<String>, by client: Client, in attempt: Attempt
    ) async throws -> Flaw? {
        switch try await verdict(on: assertion, by: client, in: attempt) {
        case .flawed(let refusal): return .assertion(refusal)
        case .good(usesEndpointAudience: false): return nil
        case .good(usesEndpointAudience: true):
            // A warning for the maintainer of the client's library; once an hour says it as well as every time.
            try await refusals.record(
                AuditEvent(
                    at: attempt.at, type: .clientAudienceTolerated, outcome: .success,
                    reason: ClientAssertionRefusal.endpointAudience.rawValue, clientID: client.id,
                    origin: attempt.origin),
                within: RateLimitKey(
                    scope: "audit.audience", value: client.id.rawValue,
                    bucket: TokenBucket(burst: 1, refillInterval: .seconds(3600))))
            return nil
        }
    }

    /// What an assertion comes to. For a caller that failed too often no server is asked for a client's keys: that
    /// costs a request of ours, and the caller no more than a forged line.
    private func verdict(
        on assertion: Secret<String>, by client: Client, in attempt: Attempt
    ) async throws -> ClientAssertionCheck.Verdict {
        if assertions.mustFetchKeys(for: assertion, by: client) {
            let keys = limits.failedClientKeys(origin: attempt.origin)
            try await attempt.check(gate.peek(keys, client: client.id, origin: attempt.origin, at: attempt.at))
        }
        do {
            return try await assertions.verdict(on: assertion, by: client, at: attempt.at)
        } catch let unreachable as ClientKeysUnreachable {
            try await count(.reason(.keysUnreachable), of: client, in: attempt)
            throw unreachable.cause
        }
    }

    private static func matches(_ secret: Secret<String>, _ digest: String?) -> Bool {
        guard let digest, let secret = OpaqueSecret(secret.expose(), kind: .clientSecret) else { return false }
        return ConstantTime.equals(bytes: Array(secret.digest.utf8), Array(digest.utf8))
    }
}

extension RefusalLog {
    /// A client that was not believed.
    func clientRefused(_ reason: String, clientID: ClientID?, origin: RequestOrigin, at now: Timestamp) async throws {
        try await record(
            AuditEvent(
                at: now, type: .clientAuthenticationFailed, outcome: .failure, reason: reason, clientID: clientID,
                origin: origin))
    }
}

extension LimitSettings {
    /// Clients that are not believed, per network.
    func failedClientKeys(origin: RequestOrigin) -> [RateLimitKey] {
        networkKey("client.network", of: origin, failedClientPerNetwork)
    }
}
