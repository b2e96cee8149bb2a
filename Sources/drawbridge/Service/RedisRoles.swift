import Bridge
import RedisStorage

/// What Redis does for all nodes and something else does for one of them while Redis is away; beside each role, whether
/// that is so.
struct RedisRoles: Sendable {
    let replayGuard: RedisReplayGuard
    let replayGuardState: Degradation
    let limiter: RedisRateLimiter
    let limiterState: Degradation
    let reuseMemory: RedisReuseMemory
    let reuseMemoryState: Degradation
    let devicePolls: RedisDevicePolls
    let devicePollsState: Degradation
    let recentTries: RedisRecentTries
    let recentTriesState: Degradation
    private let time: TimeSource

    /// - Parameters:
    ///   - memoryCapacity: challenges and nonces that are remembered at once.
    ///   - degradation: makes the state of the role that has this name in log and metrics.
    init(
        _ client: RedisClient, prefix: String, memoryCapacity: Int, time: TimeSource,
        degradation: (_ part: String) -> Degradation
    ) {
        replayGuard = RedisReplayGuard(client: client, prefix: prefix)
        replayGuardState = degradation("replay_guard")
        limiter = RedisRateLimiter(client: client, prefix: prefix)
        limiterState = degradation("rate_limits")
        reuseMemory = RedisReuseMemory(
            client: client, prefix: prefix, name: "authorization", lifetime: AuthorizationMonitor.reuseWindow,
            capacity: memoryCapacity)
        reuseMemoryState = degradation("reuse_memory")
        devicePolls = RedisDevicePolls(client: client, prefix: prefix)
        devicePollsState = degradation("device_polls")
        recentTries = RedisRecentTries(client: client, prefix: prefix)
        recentTriesState = degradation("recent_tries")
        self.time = time
    }

    /// Tries each role that is away, with a write that is nobody's: a Redis that is full or read-only refuses it. What
    /// one of them may do says nothing of the others.
    ///
    /// All at the same time, for whoever asks `/readyz` waits.
    /// - Throws: ``StorageError`` while any of them still is away.
    func tryAgain() async throws {
        let now = time.now()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await replayGuardState.tryAgain {
                    _ = try await replayGuard.claim(TokenID(rawValue: Self.nobody), until: now, at: now)
                }
            }
            tasks.addTask {
                try await limiterState.tryAgain { _ = try await limiter.take([Self.nobodysLimit], at: now) }
            }
            tasks.addTask {
                // A fresh value each time: one that was seen is not written again.
                try await reuseMemoryState.tryAgain {
                    _ = try await reuseMemory.note("\(Self.nobody) \(now.milliseconds)", at: now)
                }
            }
            tasks.addTask {
                try await devicePollsState.tryAgain {
                    _ = try await devicePolls.poll(Self.nobody, until: now, at: now)
                }
            }
            tasks.addTask {
                try await recentTriesState.tryAgain {
                    _ = try await recentTries.isFirst(TokenID(rawValue: Self.nobody), within: .milliseconds(1))
                }
            }
            try await tasks.waitForAll()
        }
    }

    /// The id of no token, no proof and no device.
    private static let nobody = "nobody"
    private static let nobodysLimit = RateLimitKey(
        scope: nobody, value: nobody, bucket: TokenBucket(burst: 1, refillInterval: .milliseconds(1)))
}
