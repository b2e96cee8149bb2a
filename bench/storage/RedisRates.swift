import Bridge
import NIOPosix
import RedisStorage

/// `SET NX PX` a second through our client, by how many callers wait at a time; one connection carries all.
enum RedisRates {
    static func measure(_ url: String, for duration: Duration) async throws {
        let client = RedisClient(settings: try RedisSettings(url: url), group: MultiThreadedEventLoopGroup.singleton)
        await client.waitForFirstAttempt()
        let replayGuard = RedisReplayGuard(client: client, prefix: "bench:")
        for callers in [1, 16, 50, 256] {
            let times = try await Latencies.measure(callers: callers, for: duration) { _ in
                let now = TimeSource.system.now()
                _ = try await replayGuard.claim(
                    TokenID(rawValue: RandomSource.system.text(16)), until: now + .seconds(60), at: now)
            }
            print(
                "our client, \(Columns.right(callers, 3)) callers: \(times.perSecond(over: duration))/s, \(times.summary)"
            )
        }
        await client.close()
    }
}
