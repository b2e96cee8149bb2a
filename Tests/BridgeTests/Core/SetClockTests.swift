import BridgeTestSupport
import Testing

@testable import Bridge

/// Somebody sets the wall clock while the process runs (ADR-0010).
@Suite struct SetClockTests {
    /// An hour back, as after a wrong time server, and an hour ahead.
    static let jumps = [Duration.seconds(-3600), .seconds(3600)]

    private let clock = SettableClock(noon)

    @Test(arguments: jumps) func `a remembered answer lives as long as it would have`(_ jump: Duration) async throws {
        let cache = ShortLivedCache<String, Int>(time: clock.source)
        _ = try await cache.value(for: "a") { 1 }
        clock.advance(.milliseconds(250))
        clock.set(by: jump)
        #expect(try await cache.value(for: "a") { 2 } == 1)
        clock.advance(.milliseconds(250))
        #expect(try await cache.value(for: "a") { 3 } == 3)
    }

    @Test(arguments: jumps) func `an emptied bucket refills as it would have`(_ jump: Duration) {
        let limiter = InProcessRateLimiter(clock: .uptime(clock.source))
        let key = RateLimitKey(
            scope: "s", value: "v", bucket: TokenBucket(burst: 1, refillInterval: .seconds(60)))
        #expect(limiter.take([key], at: clock.now) == .allowed)
        clock.set(by: jump)
        #expect(limiter.take([key], at: clock.now) == .exceeded(retryAfter: .seconds(60), scope: "s"))
        clock.advance(.seconds(60))
        #expect(limiter.take([key], at: clock.now) == .allowed)
    }

    @Test(arguments: jumps) func `a closed window opens as it would have`(_ jump: Duration) {
        let limiter = InProcessRateLimiter(clock: .uptime(clock.source))
        let key = RateLimitKey(
            scope: "s", value: "v", window: AttemptWindow(count: 1, per: .seconds(60), block: .seconds(900)))
        _ = limiter.take([key], at: clock.now)
        #expect(limiter.take([key], at: clock.now) != .allowed)
        clock.set(by: jump)
        clock.advance(.seconds(899))
        #expect(limiter.take([key], at: clock.now) == .exceeded(retryAfter: .seconds(1), scope: "s"))
        clock.advance(.seconds(1))
        #expect(limiter.take([key], at: clock.now) == .allowed)
    }

    @Test func `a bearer is believed no longer than its issuer's answer was to be`() {
        let cache = BearerCache(time: clock.source)
        let key = TokenDigest(Secret("t"))
        let identity = BearerIdentity(
            subject: "alice", clientID: app, issuer: "i", sessionID: nil, authentication: Authentication(),
            expiresAt: clock.now + .seconds(600), cacheableUntil: clock.now + .seconds(30))
        cache.insert(identity, for: key, verifiedIn: cache.generation, at: clock.now)
        clock.set(by: .seconds(-3600))
        clock.advance(.seconds(29))
        #expect(cache.identity(for: key, at: clock.now) != nil)
        clock.advance(.seconds(1))
        #expect(cache.identity(for: key, at: clock.now) == nil)
    }

    @Test func `a used id is not forgotten by a clock that jumps ahead and back`() {
        let replayGuard = InProcessReplayGuard(time: clock.source)
        let expiry = clock.now + .seconds(60)
        #expect(replayGuard.claim("t", until: expiry, at: clock.now) == .claimed)
        clock.set(by: .seconds(3600))
        _ = replayGuard.claim("other", until: clock.now + .seconds(60), at: clock.now)
        clock.set(by: .seconds(-3600))
        #expect(replayGuard.claim("t", until: expiry, at: clock.now) == .claimedBefore)
    }

    @Test func `a used id is remembered for as long as a clock that was set back lets its token live`() {
        let replayGuard = InProcessReplayGuard(time: clock.source)
        let expiry = clock.now + .seconds(60)
        _ = replayGuard.claim("t", until: expiry, at: clock.now)
        clock.set(by: .seconds(-3600))
        clock.advance(.seconds(600))
        #expect(clock.now < expiry)
        #expect(replayGuard.claim("t", until: expiry, at: clock.now) == .claimedBefore)
    }
}
