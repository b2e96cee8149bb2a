import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// A computer's browser and phones over a database of their own, with a clock that the test moves: several nodes that
/// share nothing but the store.
struct PhoneDesk: Sendable {
    static let phoneAddress = "203.0.113.9"

    let service: Service
    let limiter: any RateLimiter
    private let master: MasterKey
    private let store: any CrossDeviceStore
    private let uses: any RequestStore

    init(_ service: Service, store: (any CrossDeviceStore)? = nil, uses: (any RequestStore)? = nil) throws {
        self.service = service
        self.store = store ?? service.storage
        self.uses = uses ?? service.storage
        limiter = InProcessRateLimiter(clock: .parameter)
        master = try #require(MasterKey([UInt8](repeating: 7, count: 32)))
    }

    var clock: FixedClock { service.clock }

    /// What the page of one node calls.
    func node(
        capacity: Int = 256, report: @escaping @Sendable (CrossDeviceWatch.Report) -> Void = { _ in }
    ) -> PhoneSignIns {
        let refusals = refusals()
        return PhoneSignIns(
            records: pages(),
            watch: CrossDeviceWatch(store: store, capacity: capacity, time: clock.source, report: report),
            approvers: approvers(refusals), opener: opener(), handOffs: handOffs(), log: log(refusals),
            time: clock.source)
    }

    /// What a phone calls at another.
    func approvals(requiresSameNetwork: Bool = false) -> PhoneApprovals {
        let refusals = refusals()
        return PhoneApprovals(
            records: pages(), approvers: approvers(refusals, requiresSameNetwork: requiresSameNetwork),
            knownBrowsers: KnownBrowsers(master: master), accounts: service.storage, log: log(refusals),
            time: clock.source)
    }

    func codes(
        requiresSameNetwork: Bool = false, ceiling: RefusalCeiling = RefusalCeiling()
    ) -> ShownSignInCodes {
        let refusals = refusals(ceiling)
        return ShownSignInCodes(
            codes: ShownCodeRecords(records(), master: master),
            approvers: approvers(refusals, requiresSameNetwork: requiresSameNetwork), opener: opener(),
            handOffs: handOffs(), accounts: service.storage, log: log(refusals), time: clock.source)
    }

    private func refusals(_ ceiling: RefusalCeiling = RefusalCeiling()) -> RefusalLog {
        RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(clock: .parameter), ceiling: ceiling)
    }

    private func records() -> CrossDeviceRecords {
        CrossDeviceRecords(store: store, uses: uses, keys: service.keys, time: clock.source)
    }

    private func pages() -> PhoneSignInRecords { PhoneSignInRecords(records(), master: master) }

    private func approvers(_ refusals: RefusalLog, requiresSameNetwork: Bool = false) -> PhoneApprovers {
        PhoneApprovers(
            apps: service.storage, clients: service.clients, limits: LimitSettings(), limiter: limiter,
            refusals: refusals, requiresSameNetwork: requiresSameNetwork)
    }

    private func handOffs() -> HandOffs {
        HandOffs(issuer: service.issuer, tries: InProcessRecentTries(time: clock.source))
    }

    private func opener() -> SessionOpener {
        SessionOpener(sessions: service.sessions, store: service.storage, clients: service.clients)
    }

    private func log(_ refusals: RefusalLog) -> CrossDeviceLog {
        CrossDeviceLog(audit: service.storage, refusals: refusals, limiter: limiter, limits: LimitSettings())
    }

    /// An app's session on a phone, and its bearer.
    @discardableResult
    func phone(
        _ name: String = "phone", of subject: Subject = "alice", client: ClientID = app,
        opening: SessionOpening = .authorize, ancestry: Set<SessionOpening> = [.authorize], issuedAt: Timestamp? = nil,
        granted: Scope = Scope(tokens: ["openid", "profile"]), scope: Scope = Scope(tokens: ["openid", "profile"])
    ) async throws -> BearerIdentity {
        let id = SessionID(rawValue: name)
        if try await service.storage.appSession(id: id) == nil {
            let session = AppSession(
                id: id, subject: subject, clientID: client, scope: granted, opening: opening, ancestry: ancestry,
                authentication: Authentication(time: noon, acr: "aal1", amr: ["pwd"]), createdAt: noon,
                expiresAt: noon + .seconds(86_400))
            _ = try await service.storage.open(session, refreshToken: nil, events: [])
        }
        return BearerIdentity(
            subject: subject, clientID: client, issuer: "https://bridge.example", authority: .own, sessionID: id,
            authentication: Authentication(), scope: scope, issuedAt: issuedAt ?? clock.now,
            expiresAt: clock.now + .seconds(3600))
    }

    func begin(
        from address: String = "203.0.113.7", userAgent: String = "Mozilla/5.0 (Windows NT 10.0) Firefox/140.0"
    ) async throws -> PhoneSignInPage {
        guard
            case .started(let page) = try await node().begin(
                replacing: nil, origin: origin(address, userAgent: userAgent))
        else { throw StorageError.unavailable("no page") }
        return page
    }

    func scan(_ page: PhoneSignInPage, _ bearer: BearerIdentity, from address: String = phoneAddress) async throws
        -> ScannedSignIn
    {
        try await approvals().scan(page.id, bearer: bearer, origin: origin(address, userAgent: "App"))
    }

    func approve(_ page: PhoneSignInPage, _ scanned: ScannedSignIn, _ bearer: BearerIdentity) async throws -> String {
        try await approvals().approve(
            page.id, transaction: scanned.transaction.expose(), bearer: bearer, origin: origin(Self.phoneAddress)
        ).digits.expose()
    }

    func confirm(
        _ digits: String, _ page: PhoneSignInPage, for handOff: HandOffs.Request? = nil,
        replacing current: WebSession? = nil
    ) async throws -> PhoneSignInConfirmation {
        try await node().confirm(digits, by: page.secret, for: handOff, replacing: current, origin: origin())
    }

    /// Whether digits that a phone shows open a session, typed beside a user name.
    func signsIn(_ digits: String, _ username: String) async throws -> Bool {
        if case .signedIn = try await codes().use(digits, of: username, replacing: nil, origin: origin()) {
            true
        } else {
            false
        }
    }

    /// The whole way: the browser's session.
    func signIn(_ bearer: BearerIdentity? = nil) async throws -> OpenedSession {
        let page = try await begin()
        let phone = try await phone()
        let bearer = bearer ?? phone
        let digits = try await approve(page, try await scan(page, bearer), bearer)
        return try #require(try await confirm(digits, page).opened)
    }

    func state(_ page: PhoneSignInPage) async throws -> PhoneSignInState {
        try await node().page(of: page.secret).state
    }

    /// The code of the error that a step ends with.
    func refusal<Value: Sendable>(_ step: () async throws -> Value) async throws -> String {
        do {
            _ = try await step()
            return "none"
        } catch let error as OAuthError {
            return error.code.rawValue
        }
    }

    func reasons() async throws -> [String?] {
        try await service.storage.search(AuditFilter(type: .crossDeviceRefused), before: nil, limit: 100).records
            .map(\.event.reason)
    }
}

extension PhoneSignInConfirmation {
    var word: String {
        switch self {
        case .signedIn: "signed in"
        case .handedOn: "handed on"
        case .notEnough: "not enough"
        case .noDigits: "no digits"
        case .wrong: "wrong"
        case .notYet: "not yet"
        case .over(let page): "over: \(page.state)"
        }
    }

    var opened: OpenedSession? { if case .signedIn(let opened) = self { opened } else { nil } }
}

/// The same digits as somebody else may type them: in Arabic ones, or with a hyphen in the middle.
func written(_ digits: String, _ form: String) -> String {
    guard form == "arabic" else { return "\(digits.prefix(3))-\(digits.suffix(3))" }
    let arabic = Array("٠١٢٣٤٥٦٧٨٩")
    return String(digits.compactMap(\.wholeNumberValue).map { arabic[$0] })
}

/// Other digits than these.
func wrong(_ digits: String) -> String { digits == "000000" ? "000001" : "000000" }
