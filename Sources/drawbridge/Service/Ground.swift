import Bridge
import BridgeHTTP
import Logging
import OAuth2

/// What all wings of a server stand on.
struct Ground: Sendable {
    let settings: DrawbridgeSettings
    let storage: any BridgeStorage
    /// What several servers share: the replay guard, the limits and word of ended sessions.
    let shared: SharedState
    let keys: SigningKeys
    /// Seals what the database must not know.
    let master: MasterKey
    let clients: Reloadable<ClientDirectory>
    let refusals: RefusalLog
    /// One for the process: its bound is on all hashes together.
    let passwords: PasswordHasher
    let logger: Logger
    let time: TimeSource
    /// `nil` records nothing.
    let recorder: SpanRecorder?

    init(
        settings: DrawbridgeSettings, storage: any BridgeStorage, shared: SharedState, keys: SigningKeys,
        master: MasterKey, clients: Reloadable<ClientDirectory>, logger: Logger, time: TimeSource,
        recorder: SpanRecorder? = nil
    ) {
        self.settings = settings
        self.storage = storage
        self.shared = shared
        self.keys = keys
        self.master = master
        self.clients = clients
        self.logger = logger
        self.time = time
        self.recorder = recorder
        passwords = PasswordHasher(cost: settings.provider.passwordCost)
        // Its own limiter, never lifted: it bounds how much the audit log grows, not what users may do.
        refusals = RefusalLog(
            audit: storage,
            limiter: InProcessRateLimiter(capacity: settings.rateLimits.trackedKeys, clock: .uptime(time)),
            ceiling: RefusalCeiling(perSecond: settings.rateLimits.auditedRefusalsPerSecond, clock: .uptime(time)))
    }

    /// `iss` of everything that is signed here.
    var issuer: String { settings.origins.issuer.description }

    var limits: LimitSettings { settings.rateLimits.limits }

    var limiter: any RateLimiter { shared.limiter }

    /// Where sign-ins wait for a phone: what all nodes share, or this process where it is the only one.
    var selfIssuedTransactions: any SelfIssuedTransactionStore {
        if let shared = shared.selfIssued { return shared }
        return settings.storage.database == nil ? InProcessSelfIssuedTransactions() : storage
    }

    /// The limit of codes that one user may get.
    var authorizationLimit: UserLimit {
        UserLimit(
            scope: "authorize.subject", bucket: limits.authorizationPerSubject, limiter: limiter, refusals: refusals)
    }

    /// Bearers that are shown to the provider.
    /// - Parameter excess: the error of whoever is over the limit.
    func inquiries(
        by authenticator: any BearerAuthenticator, else excess: ErrorCode = .rateLimited
    ) -> BearerInquiries {
        BearerInquiries(authenticator, limiter: limiter, limits: limits, refusals: refusals, else: excess)
    }

    /// The limit of refreshes that one user's apps and web views may make.
    var refreshLimit: UserLimit { .refreshes(limits, limiter: limiter, refusals: refusals) }
}
