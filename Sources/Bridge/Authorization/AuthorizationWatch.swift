import Crypto
import OAuth2

/// Writes down what is wrong with authorization requests, and what is odd about those that are good by the rules.
package struct AuthorizationWatch: Sendable {
    /// How long a code challenge and a nonce are remembered (RFC 9700 §2.1.1).
    package static let memory = Duration.seconds(86_400)

    private let limiter: any RateLimiter
    private let audit: any AuditLog

    /// - Parameter limiter: remembers what was seen; one that is never lifted.
    package init(limiter: any RateLimiter, audit: any AuditLog) {
        self.limiter = limiter
        self.audit = audit
    }

    /// A request from the web view of an app (RFC 8252 §8.12); at most ten a minute of one network.
    func embedded(_ request: AuthorizationRequest, origin: RequestOrigin, at now: Timestamp) async throws {
        guard try await mayWrite("embedded_browser", of: origin, at: now) else { return }
        try await audit.append([
            AuditEvent(
                at: now, type: .authorizationRequestEmbedded,
                outcome: request.client.blocksWebViews ? .failure : .success, clientID: request.client.id,
                origin: origin)
        ])
    }

    /// A request that was refused; at most ten a minute of one network, since anybody can send them.
    /// - Parameters:
    ///   - parameters: as the browser brought them.
    ///   - client: the one they name, when it is known.
    func refused(
        _ refusal: AuthorizationRefusal, _ parameters: FormParameters, client: ClientID?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        let reason: String
        var detail: String?
        switch refusal {
        case .page(_, .unknownClient):
            reason = AuthorizationProblem.unknownClient.rawValue
            detail = RefusedParameter.detail("client_id", parameters.bytes("client_id") ?? [])
        case .page(_, .unregisteredRedirect):
            reason = AuthorizationProblem.unregisteredRedirect.rawValue
            detail = RefusedRedirect.detail(parameters.bytes("redirect_uri") ?? [])
        case .page(_, let problem): reason = problem.rawValue
        case .plain: reason = "response_mode"
        case .redirect(_, let code, let description):
            reason = code.rawValue
            detail = #"{"description":\#(JSONText.quoted(description))}"#
        }
        try await refused(reason, detail: detail, client: client, origin: origin, at: now)
    }

    /// A request that was refused to its user; at most ten a minute of one network.
    func refused(
        _ reason: String, detail: String? = nil, of subject: Subject? = nil, client: ClientID?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        guard try await mayWrite("authorization_request", of: origin, at: now) else { return }
        try await audit.append([
            AuditEvent(
                at: now, type: .authorizationRequestRefused, outcome: .failure, reason: reason, subject: subject,
                clientID: client, origin: origin, detail: detail)
        ])
    }

    private func mayWrite(_ what: String, of origin: RequestOrigin, at now: Timestamp) async throws -> Bool {
        let who = origin.address?.limitNetwork.description ?? "local"
        let key = RateLimitKey(scope: "audit.\(what)", value: who, bucket: TokenBucket(perMinute: 10))
        if case .allowed = try await limiter.take([key], at: now) { return true }
        return false
    }

    /// Notes a request that gets its code.
    /// - Returns: the parameter whose value the client has sent before; `nil` for a fresh request.
    func reused(_ request: AuthorizationRequest, origin: RequestOrigin, at now: Timestamp) async throws -> String? {
        for (name, value) in [("code_challenge", request.codeChallenge?.value), ("nonce", request.nonce)] {
            guard let value, try await !isFresh(name, value, of: request.client.id, at: now) else { continue }
            try await audit.append([
                AuditEvent(
                    at: now, type: .authorizationRequestReused,
                    outcome: request.client.rejectsReusedChallenge ? .failure : .success, reason: name,
                    clientID: request.client.id, origin: origin)
            ])
            return name
        }
        return nil
    }

    /// A bucket of one token that takes a day to come back says whether a value is new, and forgets by itself.
    private func isFresh(
        _ name: String, _ value: String, of client: ClientID, at now: Timestamp
    ) async throws -> Bool {
        let digest = Base64URL.encode(Array(SHA256.hash(data: Array("\(client.rawValue) \(value)".utf8))))
        let key = RateLimitKey(
            scope: "authorization.\(name)", value: digest,
            bucket: TokenBucket(burst: 1, refillInterval: Self.memory))
        if case .allowed = try await limiter.take([key], at: now) { return true }
        return false
    }
}
