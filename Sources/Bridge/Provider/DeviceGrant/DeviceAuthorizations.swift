import Crypto
package import OAuth2

/// Takes in the requests of devices that have no browser (RFC 8628 §3.1, §3.2).
package final class DeviceAuthorizations: Sendable {
    package static let lifetime = Duration.seconds(600)
    /// Codes that another device has are as good as impossible; a second attempt tells a fault from bad luck.
    private static let tries = 3

    private let authenticator: ClientAuthenticator
    private let store: any DeviceAuthorizationStore
    private let key: SymmetricKey
    private let refusals: RefusalLog
    private let gate: LimitGate
    private let limits: LimitSettings
    private let time: TimeSource
    private let random: RandomSource

    /// - Parameter master: user codes are short, so what is kept of them takes a key that the store has not.
    package init(
        authenticator: ClientAuthenticator, store: any DeviceAuthorizationStore, master: MasterKey,
        refusals: RefusalLog, limiter: any RateLimiter, limits: LimitSettings, time: TimeSource,
        random: RandomSource = .system
    ) {
        self.authenticator = authenticator
        self.store = store
        key = master.deviceUserCodeKey
        self.refusals = refusals
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        self.time = time
        self.random = random
    }

    /// What a device shows its user, and waits with.
    package struct Started: Sendable {
        package let deviceCode: Secret<String>
        package let userCode: DeviceUserCode
    }

    /// - Parameters:
    ///   - basic: what the `Authorization: Basic` header holds.
    ///   - issuer: what the device's access tokens will be for.
    /// - Throws: ``ClientRefused``; `OAuthError` with what is wrong with the request.
    package func start(
        _ parameters: FormParameters, basic: BasicCredentials, origin: RequestOrigin,
        issuer: String
    ) async throws -> Started {
        let now = time.now()
        let client = try await authenticator.client(sending: parameters, basic: basic, origin: origin, at: now)
        do {
            let keys = limits.clientKeys(
                "device_authorization", client, of: origin, perClient: limits.deviceAuthorizationPerClient,
                perNetwork: limits.deviceAuthorizationPerNetwork)
            try await gate.pass(keys, client: client.id, origin: origin, at: now, else: .rateLimited)
            guard client.mayUse(.deviceCode) else {
                throw OAuthError(.unauthorizedClient, "the client may not use this grant", detail: .grantType)
            }
            try parameters.checkResource(isAmong: [issuer])
            return try await start(try Self.scope(in: parameters, of: client), client, origin: origin, at: now)
        } catch let error as OAuthError where error.code != .rateLimited {
            try await refusals.tokenRequestRefused(error, from: .known(client.id), origin: origin, at: now)
            throw error
        }
    }

    private func start(
        _ scope: Scope, _ client: Client, origin: RequestOrigin, at now: Timestamp
    ) async throws -> Started {
        var event = AuditEvent(
            at: now, type: .deviceCodeIssued, outcome: .success, clientID: client.id, origin: origin)
        let isTold = try await refusals.admits(event, within: [])
        for _ in 1...Self.tries {
            let secret = OpaqueSecret.make(.deviceCode, random: random)
            let userCode = DeviceUserCode.make(random: random)
            let authorization = DeviceAuthorization(
                digest: secret.digest, userCode: userCode.digest(key), clientID: client.id, scope: scope,
                network: origin.address?.limitNetwork.description, createdAt: now, expiresAt: now + Self.lifetime)
            event.detail = authorization.auditDetail()
            guard try await store.recordDeviceAuthorization(authorization, event: isTold ? event : nil) else {
                continue
            }
            if !isTold { refusals.countLeftOut(event) }
            return Started(deviceCode: Secret(secret.expose()), userCode: userCode)
        }
        throw StorageError.unavailable("no user code is free")
    }

    private static func scope(in parameters: FormParameters, of client: Client) throws(OAuthError) -> Scope {
        var asked = Scope(tokens: [Scope.openID])
        if parameters.bytes("scope") != nil {
            guard let named = parameters["scope"].flatMap({ Scope($0) }) else {
                throw OAuthError(.invalidScope, "scope is malformed", detail: .malformedScope)
            }
            asked = named
        }
        let possible = asked.intersection(client.deviceScope)
        guard !possible.isEmpty else {
            throw OAuthError(
                .invalidScope, "a device of this client may have none of these scopes", detail: .scopeOfDevice)
        }
        return possible
    }
}

extension MasterKey {
    var deviceUserCodeKey: SymmetricKey { derived("device user code") }
}

extension Client {
    /// What a device of this client gets at most. The person who starts a device may not be the one who lets it in, so
    /// there is nothing among it that could be handed on, that would outlive the approval, or that ends other sessions;
    /// and where people live only for apps of the same maker.
    package var deviceScope: Scope {
        let never = [Scope.offlineAccess, Scope.deviceSSO, Scope.revokeAllSessions, Scope.admin]
        let trusted = ["address", "phone"]
        return Scope(
            tokens: grantableScope.tokens.filter { !never.contains($0) && (isFirstParty || !trusted.contains($0)) })
    }

    /// Whether a device of this client stays signed in longer than one access token.
    package var mayRenewDevices: Bool { isFirstParty && grantTypes.contains(.refreshToken) }
}

extension LimitSettings {
    /// Guesses at what is on the screens of others (RFC 8628 §5.1).
    func deviceUserCodeKeys(_ subject: Subject, origin: RequestOrigin) -> [RateLimitKey] {
        let user = RateLimitKey(scope: "device_code.user", value: subject.rawValue, window: Self.deviceUserCodeGuesses)
        guard let network = origin.address?.limitNetwork else { return [user] }
        return [
            user,
            RateLimitKey(
                scope: "device_code.network", value: network.description, window: Self.deviceUserCodeGuesses),
        ]
    }

    private static let deviceUserCodeGuesses = AttemptWindow(count: 5, per: .seconds(900), block: .seconds(900))
}
