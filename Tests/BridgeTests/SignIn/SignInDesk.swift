import OAuth2
import Testing

@testable import Bridge

/// Accounts with one cheap hash, over a database of their own, with a clock that the test moves.
struct SignInDesk: Sendable {
    static let password = Secret("correct horse")
    static let cost = PasswordCost(logarithm: 10, blockSize: 1, parallelism: 1) ?? .light

    let service: Service
    let signIn: SignIn
    let secrets: SecondFactorSecrets
    let browser = OpaqueSecret.make(.formBinding, random: .system)

    /// - Parameters:
    ///   - sessions: where sessions are opened; `nil` for the service's own database.
    ///   - users: where codes are used up; `nil` for the service's own database.
    ///   - hasher: where passwords wait for their turn.
    ///   - ceiling: what the audit log takes of refusals.
    init(
        _ service: Service, openingIn sessions: (any SessionStore)? = nil, claimingIn users: (any UserStore)? = nil,
        hasher: PasswordHasher = PasswordHasher(cost: SignInDesk.cost), ceiling: RefusalCeiling = RefusalCeiling()
    ) throws {
        let limiter = InProcessRateLimiter(clock: .parameter)
        let storage = service.storage
        self.service = service
        let master = try #require(MasterKey([UInt8](repeating: 7, count: 32)))
        secrets = SecondFactorSecrets(master: master)
        let refusals = RefusalLog(audit: storage, limiter: limiter, ceiling: ceiling)
        signIn = SignIn(
            accounts: storage, hasher: hasher,
            codes: SecondFactorCheck(accounts: users ?? storage, secrets: secrets),
            throttle: SignInThrottle(
                limiter: limiter, limits: LimitSettings(), refusals: refusals,
                knownBrowsers: KnownBrowsers(master: master)),
            opener: SessionOpener(
                sessions: service.sessions, store: sessions ?? storage, clients: service.clients),
            refusals: refusals, keys: service.keys, time: service.clock.source)
    }

    /// - Parameter link: who the user is at a provider that signs them in as well.
    func add(
        _ name: String, factor: SecondFactor? = nil, cost: PasswordCost = cost, link: UpstreamIdentity? = nil
    ) async throws {
        let account = Account(
            subject: Subject(rawValue: "sub-\(name)"), username: Username(name),
            passwordHash: try PasswordHash(Self.password, cost: cost, random: .system), secondFactor: factor,
            createdAt: noon)
        let outcome = try await service.storage.addAccount(
            account, issuer: Account.issuer, link: link,
            event: AuditEvent(at: noon, type: .userCreated, outcome: .success, subject: account.subject))
        #expect(outcome == .added)
    }

    func attempt(
        _ name: String, _ password: Secret<String> = password, replacing current: WebSession? = nil,
        from address: String = "203.0.113.7", knownBy recognition: Secret<String>? = nil
    ) async throws -> SignInOutcome {
        var origin = origin(address)
        origin.recognition = recognition
        return try await signIn.attempt(
            username: name, password: password, browser: browser, replacing: current, origin: origin)
    }

    func failures() async throws -> [String?] {
        try await service.storage.search(AuditFilter(type: .userSignInFailed), before: nil, limit: 100).records
            .map(\.event.reason)
    }
}

extension KnownBrowsers {
    static func sample() throws -> KnownBrowsers {
        KnownBrowsers(master: try #require(MasterKey([UInt8](repeating: 7, count: 32))))
    }
}

extension SignInOutcome {
    var word: String {
        switch self {
        case .signedIn: "signed in"
        case .needsCode: "needs code"
        case .refused: "refused"
        case .stale: "stale"
        case .limited: "limited"
        }
    }

    var opened: OpenedSession? { if case .signedIn(let opened) = self { opened } else { nil } }

    var pending: String? { if case .needsCode(let pending) = self { pending } else { nil } }
}
