import Crypto
package import OAuth2

/// Lets a signed-in user answer for a device that waits (RFC 8628 §3.3).
package final class DeviceApprovals: Sendable {
    private let clients: Reloadable<ClientDirectory>
    private let store: any DeviceAuthorizationStore & GrantStore
    private let accounts: any UserStore
    private let key: SymmetricKey
    private let seal: ShortLivedSeal
    private let refusals: RefusalLog
    private let gate: LimitGate
    private let limits: LimitSettings
    private let time: TimeSource

    package init(
        clients: Reloadable<ClientDirectory>, store: any DeviceAuthorizationStore & GrantStore,
        accounts: any UserStore,
        master: MasterKey, keys: Reloadable<SecretKeyRing>, refusals: RefusalLog, limiter: any RateLimiter,
        limits: LimitSettings, time: TimeSource
    ) {
        self.clients = clients
        self.store = store
        self.accounts = accounts
        key = master.deviceUserCodeKey
        seal = ShortLivedSeal(keys: keys, purpose: .deviceApproval, time: time)
        self.refusals = refusals
        gate = LimitGate(limiter, refusals: refusals)
        self.limits = limits
        self.time = time
    }

    /// What a user is asked about.
    package struct Question: Sendable {
        package let client: Client
        package let scope: Scope
        package let userCode: DeviceUserCode
        /// How long ago the device asked.
        package let age: Duration
        /// Whether the device is in the network that the user is in; `nil` where that is not known.
        package let isNear: Bool?
        /// For the answer's form: names the device, for this user and browser alone.
        package let sealed: String
    }

    /// What the page shows for a code that the user typed in (RFC 8628 §3.3).
    package enum Finding: Sendable {
        case question(Question)
        /// The user has let this device in already, as when its code is scanned once more.
        case letInBefore(Client)
        /// No device waits with this code.
        case unknown
        /// Too many codes that were none.
        case limited(Duration)
        /// The device's client wants a newer or stronger sign-in.
        case signInAgain
        /// It wants a second factor, which the user has not set up.
        case needsSecondFactor
    }

    /// Finds the device that waits with a code.
    ///
    /// A guess is counted before it is looked at, so that any number of them at once, on any node, are as few as one
    /// after the other; a right one is given back.
    /// - Parameters:
    ///   - session: a sign-in of the user's own: what came over an edge cannot let a device in (contract §16.2).
    ///   - browser: the browser's form binding.
    package func find(
        _ typed: String, for session: WebSession, browser: OpaqueSecret, origin: RequestOrigin
    ) async throws -> Finding {
        guard session.isOwnSignIn else { return .signInAgain }
        let now = time.now()
        let keys = limits.deviceUserCodeKeys(session.subject, origin: origin)
        if let wait = try await gate.take(keys, of: session.subject, origin: origin, at: now).retryAfter {
            return .limited(wait)
        }
        guard let userCode = DeviceUserCode(typed),
            let state = try await store.deviceAuthorization(userCode: userCode.digest(key)),
            let client = clients.current[state.authorization.clientID], client.mayUse(.deviceCode)
        else { return try await unknown(to: session, origin: origin, at: now) }
        guard state.isWaiting(at: now) else {
            guard try await wasLetIn(state, by: session.subject, at: now) else {
                return try await unknown(to: session, origin: origin, at: now)
            }
            await gate.giveBack(keys, at: now)
            return .letInBefore(client)
        }
        await gate.giveBack(keys, at: now)
        if let flaw = try await flaw(of: session, for: client, at: now) { return flaw }
        let authorization = state.authorization
        let scope = authorization.scope.intersection(client.deviceScope)
        let sealed = try seal.seal(
            Self.content(authorization.digest, session.subject, scope), binding: browser.digest,
            lifetime: FormTokens.lifetime)
        let network = origin.address?.limitNetwork.description
        return .question(
            Question(
                client: client, scope: scope, userCode: userCode,
                age: now - authorization.createdAt,
                isNear: authorization.network.flatMap { asked in network.map { $0 == asked } }, sealed: sealed))
    }

    private func unknown(to session: WebSession, origin: RequestOrigin, at now: Timestamp) async throws -> Finding {
        try await refusals.record(
            AuditEvent(
                at: now, type: .deviceCodeRefused, outcome: .failure, reason: RefusalReason.unknownUserCode.rawValue,
                subject: session.subject, sessionID: session.id, origin: origin))
        return .unknown
    }

    /// Whether the user has let a device in whose code is still good; nobody else is told. Who has sent one away is not
    /// kept.
    private func wasLetIn(
        _ state: DeviceAuthorizationState, by subject: Subject, at now: Timestamp
    ) async throws -> Bool {
        guard state.decision == .approved, now < state.authorization.expiresAt else { return false }
        return try await store.code(digest: state.authorization.digest)?.code.grant.subject == subject
    }

    /// The outcome of the user's answer.
    package enum Outcome: Sendable {
        case approved(Client)
        case denied(Client)
        /// The page's answer came a second time, as when the page after the first one is reloaded: nothing more has
        /// happened.
        case answeredBefore(Client, wasLetIn: Bool)
        /// The device waits no more, or the page was for another user.
        case gone
        case signInAgain
    }

    /// The answer of the page's form.
    /// - Parameter sealed: ``Question/sealed``.
    package func settle(
        _ sealed: String, agreed: Bool, by session: WebSession, browser: OpaqueSecret, origin: RequestOrigin
    ) async throws -> Outcome {
        guard session.isOwnSignIn else { return .signInAgain }
        let now = time.now()
        guard let (digest, shown) = open(sealed, for: session.subject, browser: browser),
            let state = try await store.deviceAuthorization(digest: digest),
            let client = clients.current[state.authorization.clientID], client.mayUse(.deviceCode)
        else { return .gone }
        let authorization = state.authorization
        guard state.isWaiting(at: now) else {
            let isRepeated = try await isRepeated(agreed: agreed, state, by: session)
            return isRepeated ? .answeredBefore(client, wasLetIn: agreed) : .gone
        }
        func event(_ type: AuditEventType) -> AuditEvent {
            Self.event(type, authorization, by: session, origin: origin, at: now)
        }
        guard agreed else {
            let outcome = try await store.denyDevice(digest: digest, at: now, event: event(.deviceCodeDenied))
            return outcome == .recorded ? .denied(client) : .gone
        }
        // Since the page was shown the client's demands may have grown, and what it may be given; the user has not
        // agreed to that.
        guard client.accepts(session.authentication, at: now) else { return .signInAgain }
        let outcome = try await store.approveDevice(
            IssuedAuthorizationCode(
                digest: digest,
                grant: AuthorizationGrant(
                    clientID: client.id, redirectURI: GrantType.deviceCode.rawValue, codeChallenge: nil,
                    scope: (shown ?? authorization.scope).intersection(client.deviceScope), subject: session.subject,
                    authentication: session.authentication, browserSessionID: session.id),
                issuedAt: now, expiresAt: authorization.expiresAt),
            event: event(.deviceCodeApproved))
        return switch outcome {
        case .recorded: .approved(client)
        case .gone: .gone
        case .sessionEnded: .signInAgain
        }
    }

    /// Whether an answer says what was answered before. That a device was sent away is true whoever said so; that it
    /// was let in is told the session alone that did.
    private func isRepeated(
        agreed: Bool, _ state: DeviceAuthorizationState, by session: WebSession
    ) async throws -> Bool {
        guard agreed else { return state.decision == .denied }
        guard state.decision == .approved else { return false }
        return try await store.code(digest: state.authorization.digest)?.grantedIn == session.id
    }

    private static func event(
        _ type: AuditEventType, _ authorization: DeviceAuthorization, by session: WebSession, origin: RequestOrigin,
        at now: Timestamp
    ) -> AuditEvent {
        AuditEvent(
            at: now, type: type, outcome: .success, subject: session.subject, clientID: authorization.clientID,
            sessionID: session.id, origin: origin, detail: authorization.auditDetail(ofAnswer: true))
    }

    private func flaw(
        of session: WebSession, for client: Client, at now: Timestamp
    ) async throws -> Finding? {
        if client.accepts(session.authentication, at: now) { return nil }
        if let minimum = client.minimumACR,
            !AuthenticationLevel.satisfies(session.authentication.acr, required: minimum),
            try await accounts.account(of: session.subject)?.secondFactor == nil
        {
            return .needsSecondFactor
        }
        return .signInAgain
    }

    private static func content(_ digest: String, _ subject: Subject, _ scope: Scope) -> [UInt8] {
        var object = JSONObjectWriter()
        object.add("device", digest)
        object.add("sub", subject.rawValue)
        object.add("scope", scope.description)
        return object.finish()
    }

    /// What the page was about: the device, and the scope that was shown; `nil` for a page of a version that did not
    /// say, whose answer counts all the same.
    private func open(
        _ sealed: String, for subject: Subject, browser: OpaqueSecret
    ) -> (device: String, scope: Scope?)? {
        guard let content = seal.open(sealed, binding: browser.digest),
            let members = JSONValue.parse(content)?.object, members["sub"]?.string == subject.rawValue,
            let device = members["device"]?.string
        else { return nil }
        // An empty one, of a client that has lost all, cannot be read back.
        return (device, members["scope"]?.string.map { Scope($0) ?? .empty })
    }
}

extension DeviceApprovals {
    /// Would a device with this code be let in, if its user said yes? Counts as no guess (contract §13).
    package func explain(userCode typed: String, at now: Timestamp) async throws -> Explanation {
        var explanation = Explanation(rule: "device_code")
        let userCode = DeviceUserCode(typed)
        guard explanation.check("code can be one", userCode != nil, else: .malformedUserCode), let userCode
        else { return explanation }
        let state = try await store.deviceAuthorization(userCode: userCode.digest(key))
        guard explanation.check("a device has this code", state != nil, else: .unknownUserCode), let state
        else { return explanation }
        let authorization = state.authorization
        explanation.note("client", authorization.clientID.rawValue)
        explanation.note("scope", authorization.scope.description)
        if let network = authorization.network { explanation.note("network", network) }
        explanation.check(
            "code is alive", now < authorization.expiresAt, else: .expiredDeviceCode,
            found: "until \(authorization.expiresAt.rfc3339)")
        explanation.check(
            "nobody has answered", fails: state.decision == .pending ? nil : state.decision.rawValue)
        explanation.check(
            "client may use the grant", clients.current[authorization.clientID]?.mayUse(.deviceCode) == true,
            else: .grantType)
        return explanation
    }
}
