import Bridge
import BridgeHTTP
import CoreMetrics
import Logging
import Metrics
import NIOPosix
import RedisStorage
import SQLStorage

/// What the servers of a fleet share through Redis, with what replaces it while it is away; without a Redis, what one
/// process keeps for itself, and word of ended sessions from the shared database if there is one.
struct SharedState: Sendable {
    let replayGuard: any ReplayGuard
    /// Who came again within seconds.
    let recentTries: any RecentTries
    let limiter: any RateLimiter
    /// The memory of a day's code challenges and nonces.
    let reuseMemory: any ReuseMemory
    /// Whether it is full.
    let reuseMemoryFullness: Degradation
    /// Sign-ins that wait for a phone: in Redis; `nil` without one.
    let selfIssued: (any SelfIssuedTransactionStore)?
    let revocations: (any RevocationChannel)?
    /// Sign-ins across devices; `nil` without a Redis, where the database keeps them. Never both: what one of them holds
    /// the other must not be asked for.
    let crossDevice: (any CrossDeviceStore)?
    /// Told of pages that wait for a phone.
    let noteWaitingPages: @Sendable (CrossDeviceWatch.Report) -> Void
    /// Says `degraded` on `/readyz` while Redis cannot decide; `nil` without a Redis.
    let readinessCheck: Readiness.Check?
    /// Brings what `/metrics` says of Redis up to date, within a second.
    let refreshMetrics: @Sendable () async -> Void
    private let client: RedisClient?

    /// The intervals of waiting devices, made for the database that replaces it; `nil` leaves them to the database.
    private let sharedPolls: (@Sendable (any DevicePolls) -> any DevicePolls)?

    /// - Parameter storage: what this process has open, which the messages of its database come beside.
    init(
        settings: DrawbridgeSettings, storage: any BridgeStorage, metrics: any MetricsFactory, logger: Logger,
        time: TimeSource
    ) async {
        let own = InProcessRateLimiter(capacity: settings.rateLimits.trackedKeys, clock: .uptime(time))
        let ownMemory = InProcessReuseMemory(
            lifetime: AuthorizationMonitor.reuseWindow, capacity: settings.rateLimits.trackedKeys, time: time)
        let degradation = Self.degradations(in: metrics, logger, time)
        noteWaitingPages = Self.waitingPageMetrics(metrics)
        reuseMemoryFullness = degradation("reuse_memory_full")
        guard let redis = settings.redis else {
            replayGuard = InProcessReplayGuard(time: time)
            recentTries = InProcessRecentTries(time: time)
            limiter = settings.rateLimits.areEnforced ? own : UnlimitedRateLimiter()
            reuseMemory = ownMemory
            selfIssued = nil
            revocations = Self.revocations(over: nil, settings, storage, logger)
            crossDevice = nil
            readinessCheck = nil
            refreshMetrics = {}
            sharedPolls = nil
            client = nil
            return
        }
        let client = await Self.client(of: redis, logger)
        let roles = RedisRoles(
            client, prefix: redis.prefix, memoryCapacity: settings.rateLimits.trackedKeys, time: time,
            degradation: degradation)
        replayGuard = FailoverReplayGuard(
            roles.replayGuard, policy: redis.outagePolicy, degradation: roles.replayGuardState)
        recentTries = FailoverRecentTries(
            roles.recentTries, own: InProcessRecentTries(time: time), degradation: roles.recentTriesState)
        limiter =
            settings.rateLimits.areEnforced
            ? FailoverRateLimiter(roles.limiter, own: own, degradation: roles.limiterState) : UnlimitedRateLimiter()
        reuseMemory = FailoverReuseMemory(roles.reuseMemory, own: ownMemory, degradation: roles.reuseMemoryState)
        selfIssued = RedisSelfIssuedTransactions(client: client, prefix: redis.prefix)
        sharedPolls = { FailoverDevicePolls(roles.devicePolls, durable: $0, degradation: roles.devicePollsState) }
        crossDevice = RedisCrossDeviceStore(client: client, prefix: redis.prefix)
        revocations = Self.revocations(
            over: RedisRevocationChannel(client: client, prefix: redis.prefix), settings, storage, logger)
        let watch = RedisWatch(client, roles, state: degradation("redis"))
        readinessCheck = Readiness.Check("redis", isOptional: true) { try await watch.check() }
        refreshMetrics = { await watch.checkBriefly() }
        self.client = client
    }

    /// Makes what says that a part does with less, in log and metrics.
    private static func degradations(
        in metrics: any MetricsFactory, _ logger: Logger, _ time: TimeSource
    ) -> (_ part: String) -> Degradation {
        { part in
            let gauge = Gauge.degraded(part, in: metrics)
            return Degradation(part: part, logger: logger, time: time) { gauge.record($0 ? 1 : 0) }
        }
    }

    private static func client(of redis: SharedRedisSettings, _ logger: Logger) async -> RedisClient {
        let client = RedisClient(
            settings: redis.connection, group: MultiThreadedEventLoopGroup.singleton, logger: logger)
        await client.waitForFirstAttempt()
        return client
    }

    private static func waitingPageMetrics(
        _ metrics: any MetricsFactory
    ) -> @Sendable (CrossDeviceWatch.Report) -> Void {
        let waitingPages = Gauge(label: "drawbridge_phone_sign_in_waiting", factory: metrics)
        waitingPages.record(0)
        let turnedAway = Counter(label: "drawbridge_phone_sign_in_turned_away_total", factory: metrics)
        turnedAway.increment(by: 0)
        return { report in
            switch report {
            case .waiting(let count): waitingPages.record(count)
            case .turnedAway: turnedAway.increment()
            }
        }
    }

    /// Where there are two: the database's messages come right after the commit and go on while Redis is away.
    private static func revocations(
        over redis: RedisRevocationChannel?, _ settings: DrawbridgeSettings, _ storage: any BridgeStorage,
        _ logger: Logger
    ) -> (any RevocationChannel)? {
        let database = settings.storage.database.map {
            PostgresRevocationChannel($0, beside: storage, logger: logger)
        }
        guard let redis else { return database }
        guard let database else { return redis }
        return RevocationChannels([redis, database])
    }

    /// Tells other nodes that the signing keys have changed. What is lost is read from the store at the next poll.
    var announceKeyChange: @Sendable () async -> Void {
        { [revocations] in try? await revocations?.publishKeyChange() }
    }

    /// Keeps waiting devices to their interval, by Redis where there is one.
    func devicePolls(orElse durable: any DevicePolls) -> any DevicePolls { sharedPolls?(durable) ?? durable }

    func close() async { await client?.close() }
}
