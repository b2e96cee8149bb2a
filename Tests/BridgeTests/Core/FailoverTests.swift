import Bridge
import Logging
import Synchronization
import Testing

/// A shared part that is there or away, or answers what writes nothing.
private final class SharedPart: ReplayGuard, RateLimiter, RecentTries {
    private let away = Mutex(false)
    private let readOnly = Mutex(false)
    private let isOpen = Mutex(false)

    func set(away value: Bool) { away.withLock { $0 = value } }
    func set(readOnly value: Bool) { readOnly.withLock { $0 = value } }
    /// Whether the limiter has room for everybody.
    func set(open value: Bool) { isOpen.withLock { $0 = value } }

    private func check() throws(StorageError) {
        if away.withLock({ $0 }) { throw .unavailable("away") }
    }

    func claim(_ id: TokenID, until expiry: Timestamp, at now: Timestamp) throws -> ReplayClaim {
        try check()
        return .claimedBefore
    }

    func take(_ keys: [RateLimitKey], at now: Timestamp) throws -> RateLimitDecision {
        try check()
        if readOnly.withLock({ $0 }) { throw StorageError.unavailable("read-only") }
        return isOpen.withLock { $0 } ? .allowed : .exceeded(retryAfter: .seconds(7), scope: "shared")
    }

    /// Read-only, it has counted nothing.
    func peek(_ keys: [RateLimitKey], at now: Timestamp) throws -> RateLimitDecision {
        try check()
        return readOnly.withLock { $0 } ? .allowed : .exceeded(retryAfter: .seconds(7), scope: "shared")
    }

    func giveBack(_ keys: [RateLimitKey], at now: Timestamp) throws { try check() }

    func isFirst(_ id: TokenID, within window: Duration) throws -> Bool {
        try check()
        return false
    }

    func takeBack(_ id: TokenID) throws { try check() }
}

/// What replaces Redis while it is away (contract §12, ADR-0009).
@Suite struct FailoverTests {
    private let shared = SharedPart()
    private let reports = Reports()
    private let key = RateLimitKey(scope: "test", value: "alice", bucket: TokenBucket(perMinute: 1))

    private final class Reports: Sendable {
        private let values = Mutex<[Bool]>([])
        var all: [Bool] { values.withLock { $0 } }
        func add(_ value: Bool) { values.withLock { $0.append(value) } }
    }

    private func degradation() -> Degradation {
        Degradation(part: "test", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            [reports] in reports.add($0)
        }
    }

    @Test func `while the shared guard is away the database decides`() async throws {
        let degradation = degradation()
        let replays = FailoverReplayGuard(shared, policy: .database, degradation: degradation)
        #expect(try await replays.claim("t", until: noon, at: noon) == .claimedBefore)
        shared.set(away: true)
        for _ in 0..<2 { #expect(try await replays.claim("t", until: noon, at: noon) == .claimed) }
        #expect(degradation.isDegraded)
        shared.set(away: false)
        #expect(try await replays.claim("t", until: noon, at: noon) == .claimedBefore)
        #expect(!degradation.isDegraded)
        // Said at first and with every change, not with every request.
        #expect(reports.all == [false, true, false])
    }

    @Test func `what is away is tried again without a request, and is back when it answers`() async throws {
        let degradation = degradation()
        let replays = FailoverReplayGuard(shared, policy: .database, degradation: degradation)
        let use: @Sendable () async throws -> Void = { [shared] in
            _ = try shared.claim("nobody", until: noon, at: noon)
        }
        shared.set(away: true)
        // Nothing has needed it yet, so nothing is replaced and nothing is asked.
        try await degradation.tryAgain(use)
        #expect(try await replays.claim("t", until: noon, at: noon) == .claimed)
        await #expect(throws: StorageError.self) { try await degradation.tryAgain(use) }
        #expect(degradation.isDegraded)
        shared.set(away: false)
        try await degradation.tryAgain(use)
        #expect(!degradation.isDegraded)
        #expect(reports.all == [false, true, false])
    }

    @Test func `what is watched is known to be away, and back, without a request`() async throws {
        let degradation = degradation()
        let use: @Sendable () async throws -> Void = { [shared] in
            _ = try shared.claim("nobody", until: noon, at: noon)
        }
        for isAway in [false, true, true, false, false] {
            shared.set(away: isAway)
            if isAway {
                await #expect(throws: StorageError.self) { try await degradation.watch(use) }
            } else {
                try await degradation.watch(use)
            }
            #expect(degradation.isDegraded == isAway)
        }
        #expect(reports.all == [false, true, false])
    }

    @Test func `an operator may want redemptions refused instead`() async throws {
        let replays = FailoverReplayGuard(shared, policy: .refuse, degradation: degradation())
        shared.set(away: true)
        await #expect(throws: StorageError.self) { try await replays.claim("t", until: noon, at: noon) }
    }

    @Test func `while the shared limiter is away the process's own counts`() async throws {
        let degradation = degradation()
        let limiter = FailoverRateLimiter(
            shared, own: InProcessRateLimiter(clock: .parameter), degradation: degradation)
        #expect(try await limiter.take([key], at: noon) == .exceeded(retryAfter: .seconds(7), scope: "shared"))
        shared.set(away: true)
        #expect(try await limiter.peek([key], at: noon) == .allowed)
        #expect(try await limiter.take([key], at: noon) == .allowed)
        #expect(try await limiter.take([key], at: noon) != .allowed)
        #expect(degradation.isDegraded)
        shared.set(away: false)
        #expect(try await limiter.take([key], at: noon) == .exceeded(retryAfter: .seconds(7), scope: "shared"))
        // It refuses by what it counted before, for which one that is full need not write.
        #expect(degradation.isDegraded)
        shared.set(open: true)
        #expect(try await limiter.take([], at: noon) == .allowed)
        #expect(degradation.isDegraded)
        #expect(try await limiter.take([key], at: noon) == .allowed)
        #expect(!degradation.isDegraded)
    }

    @Test func `a shared limiter that answers and counts nothing takes no limit away`() async throws {
        let degradation = degradation()
        let limiter = FailoverRateLimiter(
            shared, own: InProcessRateLimiter(clock: .parameter), degradation: degradation)
        shared.set(readOnly: true)
        #expect(try await limiter.peek([key], at: noon) == .allowed)
        #expect(try await limiter.take([key], at: noon) == .allowed)
        // A wrong guess was counted, so the right one is not looked at.
        guard case .exceeded(_, let scope) = try await limiter.peek([key], at: noon) else {
            Issue.record("what was counted here is not asked")
            return
        }
        #expect(scope == key.scope)
        // Nor when it has meanwhile come back: it did not count what was tried before.
        shared.set(readOnly: false)
        #expect(try await limiter.peek([key], at: noon) == .exceeded(retryAfter: .seconds(60), scope: key.scope))
        // When the own bucket is full again, it alone decides.
        let later = noon + .seconds(60)
        #expect(try await limiter.peek([key], at: later) == .exceeded(retryAfter: .seconds(7), scope: "shared"))
    }

    @Test func `only what the shared limiter counts says that it is back`() async throws {
        let degradation = degradation()
        let limiter = FailoverRateLimiter(
            shared, own: InProcessRateLimiter(clock: .parameter), degradation: degradation)
        let other = RateLimitKey(scope: "test", value: "bob", bucket: TokenBucket(perMinute: 1))
        shared.set(readOnly: true)
        #expect(try await limiter.take([key], at: noon) == .allowed)
        #expect(try await limiter.peek([other], at: noon) == .allowed)
        #expect(degradation.isDegraded)
        try await limiter.giveBack([other], at: noon)
        #expect(degradation.isDegraded)
        shared.set(readOnly: false)
        shared.set(open: true)
        _ = try await limiter.take([other], at: noon)
        #expect(!degradation.isDegraded)
        #expect(reports.all == [false, true, false])
    }

    @Test func `what was counted here is given back here as well`() async throws {
        let limiter = FailoverRateLimiter(
            shared, own: InProcessRateLimiter(clock: .parameter), degradation: degradation())
        shared.set(readOnly: true)
        #expect(try await limiter.take([key], at: noon) == .allowed)
        #expect(try await limiter.peek([key], at: noon) != .allowed)
        try await limiter.giveBack([key], at: noon)
        #expect(try await limiter.peek([key], at: noon) == .allowed)
    }

    @Test func `what is given back or taken back tells as well that the shared part is away`() async throws {
        let degradation = degradation()
        let limiter = FailoverRateLimiter(
            shared, own: InProcessRateLimiter(clock: .parameter), degradation: degradation)
        let tries = FailoverRecentTries(shared, own: InProcessRecentTries(), degradation: degradation)
        shared.set(away: true)
        #expect(try await tries.isFirst("t", within: .seconds(5)))
        try await tries.takeBack("t")
        #expect(try await tries.isFirst("t", within: .seconds(5)))
        shared.set(away: false)
        #expect(try await tries.isFirst("t", within: .seconds(5)) == false)
        #expect(!degradation.isDegraded)
        shared.set(away: true)
        try await limiter.giveBack([key], at: noon)
        #expect(degradation.isDegraded)
    }

    @Test func `a try that is taken back does not say that the shared part is back`() async throws {
        let degradation = degradation()
        let tries = FailoverRecentTries(shared, own: InProcessRecentTries(), degradation: degradation)
        shared.set(away: true)
        try await tries.takeBack("t")
        shared.set(away: false)
        try await tries.takeBack("t")
        #expect(degradation.isDegraded)
        #expect(try await tries.isFirst("t", within: .seconds(5)) == false)
        #expect(!degradation.isDegraded)
    }
}
