import OAuth2

/// Writes down what is wrong with authorization requests, and what is odd about those that are good by the rules.
package final class AuthorizationMonitor: Sendable {
    /// How long a code challenge and a nonce are remembered (RFC 9700 §2.1.1).
    package static let reuseWindow = Duration.seconds(86_400)

    private let memory: any ReuseMemory
    private let refusals: RefusalLog
    private let fullness: Degradation

    /// - Parameters:
    ///   - memory: remembers for ``reuseWindow``; it is never lifted with the limits, since it limits nothing.
    ///   - fullness: told when there is no room in it, and when there is again.
    package init(memory: any ReuseMemory, refusals: RefusalLog, fullness: Degradation) {
        self.memory = memory
        self.refusals = refusals
        self.fullness = fullness
    }

    /// A request from the web view of an app (RFC 8252 §8.12); at most ten a minute of one network.
    func embedded(_ request: AuthorizationRequest, origin: RequestOrigin, at now: Timestamp) async throws {
        let isRefused = request.client.blocksWebViews
        try await refusals.record(
            AuditEvent(
                at: now, type: .authorizationRequestEmbedded, outcome: isRefused ? .failure : .success,
                reason: isRefused ? AuthorizationRefusal.Reason.embeddedBrowser.rawValue : nil,
                clientID: request.client.id, origin: origin),
            within: .network("audit.embedded_browser", of: origin, perMinute: 10))
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
            reason = AuthorizationRefusal.Reason.unknownClient.rawValue
            detail = RefusedParameter.detail("client_id", parameters.bytes("client_id") ?? [])
        case .page(_, .unregisteredRedirect):
            reason = AuthorizationRefusal.Reason.unregisteredRedirect.rawValue
            detail = RefusedRedirect.detail(parameters.bytes("redirect_uri") ?? [])
        case .page(_, let problem): reason = problem.rawValue
        case .redirect(_, let code, let description):
            return try await refused(code, description, client: client, origin: origin, at: now)
        }
        try await refused(reason, detail: detail, client: client, origin: origin, at: now)
    }

    /// A request that its client is told about; at most ten a minute of one network.
    func refused(
        _ code: ErrorCode, _ description: String, of subject: Subject? = nil, client: ClientID?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        try await refused(
            code.rawValue, detail: #"{"description":\#(JSONText.quoted(description))}"#, of: subject, client: client,
            origin: origin, at: now)
    }

    /// A request that was refused to its user; at most ten a minute of one network.
    func refused(
        _ reason: String, detail: String? = nil, of subject: Subject? = nil, client: ClientID?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        try await refusals.authorizationRequestRefused(
            reason, detail: detail, of: subject, client: client, origin: origin, at: now)
    }

    /// Notes a request that gets its code.
    /// - Returns: the parameter whose value the client has sent before; `nil` for a fresh request.
    func reused(_ request: AuthorizationRequest, origin: RequestOrigin, at now: Timestamp) async throws -> String? {
        for parameter in FreshParameter.allCases {
            let name = parameter.rawValue
            guard let value = parameter.value(in: request),
                try await wasSeen("\(name) \(request.client.id) \(value)", at: now)
            else { continue }
            try await refusals.record(
                AuditEvent(
                    at: now, type: .authorizationRequestReused,
                    outcome: request.client.rejectsReusedChallenge ? .failure : .success, reason: name,
                    clientID: request.client.id, origin: origin))
            return name
        }
        return nil
    }

    /// What a client makes anew for each request; its name is the `reason` of the event.
    enum FreshParameter: String, CaseIterable {
        case codeChallenge = "code_challenge"
        case nonce

        func value(in request: AuthorizationRequest) -> String? {
            switch self {
            case .codeChallenge: request.codeChallenge?.value
            case .nonce: request.nonce
            }
        }
    }

    /// What there is no room to note counts as fresh: no client is refused for what others have sent.
    private func wasSeen(_ value: String, at now: Timestamp) async throws -> Bool {
        switch try await memory.note(value, at: now) {
        case .full:
            fullness.begin(because: .unavailable("there is no room for more challenges and nonces"))
            return false
        case .fresh:
            fullness.end()
            return false
        // That it is there already says nothing of the room.
        case .seen: return true
        }
    }
}

extension RefusalLog {
    /// An authorization request that was refused, at whichever address; at most ten a minute of one network, since
    /// anybody can send them.
    /// - Parameter subject: whom it was refused to, when that is known.
    package func authorizationRequestRefused(
        _ reason: String, detail: String? = nil, of subject: Subject? = nil, client: ClientID?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        try await record(
            AuditEvent(
                at: now, type: .authorizationRequestRefused, outcome: .failure, reason: reason, subject: subject,
                clientID: client, origin: origin, detail: detail),
            within: .network("audit.authorization_request", of: origin, perMinute: 10))
    }
}
