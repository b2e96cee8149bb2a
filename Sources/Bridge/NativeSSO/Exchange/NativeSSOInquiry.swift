import OAuth2

/// Finds out what a Native SSO exchange is decided by (contract §5.4); counts and changes nothing.
package final class NativeSSOInquiry: Sendable {
    let issuer: String
    private let configuration: NativeSSOConfiguration
    private let devices: any DeviceStore
    private let grants: any GrantStore
    private let sessions: AppSessions
    private let subjects: Subjects
    let clients: Reloadable<ClientDirectory>
    private let accessTokens: AccessTokens
    private let idTokens: IDTokenCodec

    package init(
        issuer: String, configuration: NativeSSOConfiguration, devices: any DeviceStore, grants: any GrantStore,
        sessions: AppSessions, subjects: Subjects, clients: Reloadable<ClientDirectory>, accessTokens: AccessTokens,
        idTokens: IDTokenCodec
    ) {
        self.issuer = issuer
        self.configuration = configuration
        self.devices = devices
        self.grants = grants
        self.sessions = sessions
        self.subjects = subjects
        self.clients = clients
        self.accessTokens = accessTokens
        self.idTokens = idTokens
    }

    func settings() async throws -> NativeSSOSettings { try await configuration.current() }

    /// What is known of a secret; `nil` for one that is unknown, or not a secret.
    func presented(_ secret: OpaqueSecret?) async throws -> PresentedDeviceSecret? {
        guard let secret else { return nil }
        return try await devices.deviceSecret(digest: secret.digest)
    }

    /// Everything that the check wants to know.
    func facts(
        _ exchange: NativeSSOExchange.ExchangeRequest, secret: OpaqueSecret?, known: PresentedDeviceSecret?,
        settings: NativeSSOSettings,
        request: TokenRequest
    ) async throws -> NativeSSOFacts {
        let token = try await subjectToken(exchange, at: request.at)
        let session = try await session(token?.sessionID, at: request.at)
        let client = request.client
        var consented: Set<String> = []
        // A website that gets cookies gets no data of the user through scopes, so there is nothing to agree to.
        let isAskedForConsent = !client.isFirstParty && client.delivery != .cookies
        if isAskedForConsent, let token {
            consented = try await grants.consent(of: token.subject, to: client.id) ?? []
            // Where only its redirect tells an app apart, what its user agreed to is not kept for the next time
            // (RFC 8252 §8.6); but the session that it has is what they agreed to, and so is its sign-in on this
            // device.
            if let session, session.clientID == client.id, token.clientID == client.id {
                consented.formUnion(session.scope.tokens)
            }
            if let known {
                consented.formUnion(known.scopes(grantedTo: client.id, by: token.subject, at: request.at))
            }
        }
        return NativeSSOFacts(
            at: request.at, settings: settings, issuer: issuer, client: client,
            audience: request.parameters["audience"], requestedScope: try request.requestedScope(), secret: known,
            secretHash: secret?.deviceSecretHash, proofKeyThumbprint: request.proofKeyThumbprint,
            subjectToken: token, sourceClient: token.flatMap { clients.current[$0.clientID] },
            appsAbove: session.map { $0.lineage.appsAbove.map { clients.current[$0] } } ?? [], session: session,
            isSubjectDisabled: try await isDisabled(token?.subject),
            hasConsent: { [consented] scope in !isAskedForConsent || Set(scope.tokens).isSubset(of: consented) })
    }

    private func subjectToken(_ exchange: NativeSSOExchange.ExchangeRequest, at now: Timestamp) async throws
        -> NativeSSOFacts.SubjectToken?
    {
        switch exchange.kind {
        case .idToken:
            try await idTokens.learnKey(of: exchange.subjectToken)
            return idTokens.readKnown(exchange.subjectToken).map { token in
                NativeSSOFacts.SubjectToken(
                    kind: .idToken, subject: token.subject, clientID: token.audience, sessionID: token.sessionID,
                    deviceSecretHash: token.deviceSecretHash)
            }
        case .accessToken:
            do {
                let claims = try await accessTokens.active(exchange.subjectToken, at: now)
                return NativeSSOFacts.SubjectToken(
                    kind: .accessToken, subject: claims.subject, clientID: claims.clientID,
                    sessionID: claims.sessionID, scope: claims.scope, proofKeyThumbprint: claims.proofKeyThumbprint)
            } catch is BearerRefusal {
                return nil
            }
        }
    }

    /// One that lately was alive need not be read again: whether it still is, the transaction that uses the secret
    /// asks.
    private func session(_ id: SessionID?, at now: Timestamp) async throws -> AppSession? {
        guard let id else { return nil }
        if let session = try await sessions.alive(id, at: now) { return session }
        return try await grants.appSession(id: id)
    }

    private func isDisabled(_ subject: Subject?) async throws -> Bool {
        guard let subject else { return false }
        return try await subjects.isDisabled(subject)
    }
}

extension NativeSSOInquiry {
    /// Adds what an exchange would come to, check by check; counts and opens nothing (contract §13).
    func explain(
        _ exchange: NativeSSOExchange.ExchangeRequest, _ request: TokenRequest, in explanation: inout Explanation
    ) async throws {
        let secret = OpaqueSecret(exchange.deviceSecret.expose(), kind: .deviceSecret)
        let facts = try await facts(
            exchange, secret: secret, known: try await presented(secret),
            settings: try await settings(), request: request)
        var flaws: Set<NativeSSORefusal> = []
        if case .refused(_, let all) = NativeSSOCheck.decide(facts) { flaws = Set(all) }
        for flaw in NativeSSORefusal.allCases {
            explanation.check(flaw.check, fails: flaws.contains(flaw) ? flaw.rawValue : nil)
        }
    }
}

extension NativeSSORefusal {
    /// What is checked, as an administrator reads it.
    var check: String {
        switch self {
        case .disabled: "Native SSO is on"
        case .secretUnknown: "device secret is known"
        case .secretExpired: "device secret has not expired"
        case .secretRevoked: "device secret was not revoked"
        case .secretReplayed: "device secret was not replaced"
        case .secretWrongKey: "device secret comes with its key"
        case .subjectTokenInvalid: "subject token is ours and unchanged"
        case .subjectTokenWrongKey: "subject token comes with its key"
        case .hashMismatch: "ds_hash fits the device secret"
        case .subjectMismatch: "both are of one user"
        case .sessionEnded: "session lives"
        case .sessionElsewhere: "session is of this device"
        case .subjectDisabled: ExplainedCheck.userMaySignIn
        case .crossClientOff: "exchange between apps is on"
        case .notShared: "client is in share_with, and the apps above still share"
        case .clientNotEnabled: "client and the token's may use Native SSO"
        case .wrongAudience: "audience is this issuer"
        case .scopeWithoutOpenID: "scope contains openid"
        case .scopeTooWide: "scope is no wider than granted"
        case .consentNeeded: "user has agreed"
        case .authenticationTooWeak: ExplainedCheck.signInIsEnough
        }
    }
}
