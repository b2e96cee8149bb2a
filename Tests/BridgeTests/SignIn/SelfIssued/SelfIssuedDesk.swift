import OAuth2
import Testing

@testable import Bridge

/// A website that asks phones, and phones, over a database of their own, with a clock that the test moves.
struct SelfIssuedDesk: Sendable {
    static let site = "https://bridge.example/"

    let accounts: SignInDesk
    let store = InProcessSelfIssuedTransactions()
    let linkedKeys: LinkedKeys
    let phone: SelfIssuedSignIn
    let browser = OpaqueSecret.make(.selfIssued, random: .system)
    let key: SigningKey

    init(
        _ service: Service, crossDevice: SelfIssuedConfiguration.CrossDevice = .linkedOnly, isLinkClaimed: Bool = false,
        unknownSubject: SelfIssuedConfiguration.UnknownSubject = .ask, lifetime: Duration = .seconds(300),
        limiter: any RateLimiter = InProcessRateLimiter(clock: .parameter),
        transactions: (any SelfIssuedTransactionStore)? = nil
    ) throws {
        accounts = try SignInDesk(service)
        key = try SigningKey.generate(.es256)
        let refusals = RefusalLog(audit: service.storage, limiter: limiter)
        var configuration = SelfIssuedConfiguration(
            clientID: Self.site, origin: try #require(WebOrigin("https://bridge.example")), siteName: "Example")
        configuration.crossDevice = crossDevice
        configuration.isLinkClaimed = isLinkClaimed
        configuration.unknownSubject = unknownSubject
        configuration.lifetime = lifetime
        linkedKeys = LinkedKeys(
            storage: service.storage, endings: service.endings, limiter: limiter, limits: LimitSettings(),
            refusals: refusals, time: service.clock.source)
        phone = SelfIssuedSignIn(
            configuration: configuration, transactions: transactions ?? store, linkedKeys: linkedKeys,
            storage: service.storage, opener: accounts.signIn.opener,
            codes: SecondFactorCheck(accounts: service.storage, secrets: accounts.secrets),
            throttle: SignInThrottle(
                limiter: limiter, limits: LimitSettings(), refusals: refusals,
                knownBrowsers: try .sample()),
            ring: service.keys, time: service.clock.source)
    }

    var service: Service { accounts.service }
    var thumbprint: String { get throws { try SelfIssuedKey(jwk: key.publicKey.bareJWK).thumbprint } }

    /// An account, with the phone's key.
    func linked(_ name: String = "alice", factor: SecondFactor? = nil) async throws {
        try await accounts.add(name, factor: factor)
        let key = LinkedKey(
            thumbprint: try thumbprint, subject: Subject(rawValue: "sub-\(name)"), algorithm: .es256, origin: .linked,
            createdAt: noon)
        let event = AuditEvent(at: noon, type: .selfIssuedLinked, outcome: .success)
        #expect(try await service.storage.link(key, in: nil, event: event) == .linked)
    }

    func begin(linking: Subject? = nil) async throws -> SelfIssuedSignIn.Beginning {
        try await phone.begin(errand: "redirect=%2Fcontacts", linking: linking, browser: browser, origin: origin())
    }

    /// A sign-in of alice with her password.
    func passwordSession() async throws -> WebSession {
        try #require(try await accounts.attempt("alice").opened).session
    }

    /// What the phone sends back.
    /// - Parameters:
    ///   - isOfScheme: whether it was asked by the link that any app may take.
    ///   - other: the key of another phone.
    func answer(
        _ beginning: SelfIssuedSignIn.Beginning, isOfScheme: Bool = false, with other: SigningKey? = nil
    ) throws -> FormParameters {
        let key = other ?? self.key
        let nonce = isOfScheme ? phone.configuration.schemeNonce(for: beginning.nonce) : beginning.nonce
        let now = service.clock.now.seconds
        let jwk = key.publicKey.bareJWK
        let claims = JSONValue.object([
            "iss": .string("https://self-issued.me"), "sub": .string(try SelfIssuedKey(jwk: jwk).thumbprint),
            "sub_jwk": jwk, "aud": .string(Self.site + "self-issued/callback"), "nonce": .string(nonce),
            "iat": .number(String(now)), "exp": .number(String(now + 300)),
        ])
        let token = try CompactJWS.sign(Array(claims.text.utf8), type: "JWT", with: key)
        return try FormParameters(parsing: "state=\(beginning.state)&id_token=\(token)".utf8)
    }

    /// Signs in in one go on one device.
    func signIn() async throws -> WebSession {
        let beginning = try await begin()
        let outcome = try await phone.finish(
            try answer(beginning), browser: browser, current: nil, origin: origin())
        guard case .signedIn(let opened, _) = outcome else { throw StorageError.corrupt("not signed in") }
        return opened.session
    }

    func pickUp(_ beginning: SelfIssuedSignIn.Beginning) async throws -> SelfIssuedSignIn.PickUp {
        try await phone.pickUp(beginning.state, code: nil, browser: browser, current: nil, origin: origin())
    }

    /// What the store has of it.
    func kept(_ beginning: SelfIssuedSignIn.Beginning) throws -> SelfIssuedRecord {
        try #require(store.selfIssued(SelfIssuedTransaction.digest(of: beginning.state), at: service.clock.now))
    }

    /// The store is as it was when it had this: its last writes are lost.
    func putBack(_ record: SelfIssuedRecord, _ beginning: SelfIssuedSignIn.Beginning) throws {
        try store.keepSelfIssued(
            record, as: SelfIssuedTransaction.digest(of: beginning.state), at: service.clock.now)
    }

    func look(_ state: String) async throws -> String {
        switch try await phone.look(state, browser: browser, origin: origin()).standing {
        case .waiting: "waiting"
        case .answered: "answered"
        case .over: "over"
        }
    }
}
