import Testing

@testable import Bridge

@Suite struct RateLimitTests {
    private let limiter = InProcessRateLimiter(clock: .parameter)

    private func makeKey(_ value: String = "alice", scope: String = "issue.subject", bucket: TokenBucket)
        -> RateLimitKey
    {
        RateLimitKey(scope: scope, value: value, bucket: bucket)
    }

    @Test func `a burst passes, the next one waits, and one comes back after the refill interval`() {
        let key = makeKey(bucket: TokenBucket(burst: 5, perHour: 60))
        for _ in 0..<5 { #expect(limiter.take([key], at: noon) == .allowed) }
        guard case .exceeded(let wait, let scope) = limiter.take([key], at: noon) else {
            Issue.record("the sixth passed")
            return
        }
        #expect(scope == "issue.subject")
        #expect(limiter.take([key], at: noon + wait - .milliseconds(1)) != .allowed)
        #expect(limiter.take([key], at: noon + wait) == .allowed)
    }

    @Test func `no stretch of an hour passes the hourly cap`() {
        let key = makeKey(bucket: TokenBucket(burst: 5, perHour: 60))
        var passed = 0
        for second in 0..<3600 where limiter.take([key], at: noon + .seconds(second)) == .allowed { passed += 1 }
        #expect(passed <= 60 && passed >= 58)
    }

    @Test func `a request passes when every key allows it and waits for the slowest`() {
        let quick = makeKey("a", bucket: TokenBucket(perMinute: 60))
        let slow = makeKey("b", scope: "slow", bucket: TokenBucket(burst: 1, refillInterval: .seconds(30)))
        #expect(limiter.take([quick, slow], at: noon) == .allowed)
        #expect(limiter.take([quick, slow], at: noon) == .exceeded(retryAfter: .seconds(30), scope: "slow"))
    }

    @Test func `a part of a bucket has that part of its burst and of any hour, and never nothing`() {
        #expect(
            TokenBucket(burst: 60, perHour: 1200).divided(by: 3)
                == TokenBucket(burst: 20, refillInterval: .milliseconds(3 * 3158)))
        #expect(TokenBucket(burst: 1, perHour: 2).divided(by: 3).burst == 1)
    }

    @Test func `peeking takes nothing`() {
        let key = makeKey(bucket: TokenBucket(burst: 1, refillInterval: .seconds(10)))
        for _ in 0..<3 { #expect(limiter.peek([key], at: noon) == .allowed) }
        #expect(limiter.take([key], at: noon) == .allowed)
        #expect(limiter.peek([key], at: noon) != .allowed)
    }

    @Test func `users and scopes are counted apart`() {
        let bucket = TokenBucket(burst: 1, refillInterval: .seconds(10))
        #expect(limiter.take([makeKey("a", bucket: bucket)], at: noon) == .allowed)
        #expect(limiter.take([makeKey("b", bucket: bucket)], at: noon) == .allowed)
        #expect(limiter.take([makeKey("a", scope: "other", bucket: bucket)], at: noon) == .allowed)
        #expect(limiter.take([makeKey("a", bucket: bucket)], at: noon) != .allowed)
    }

    @Test func `a clock that steps back grants nothing extra`() {
        let key = makeKey(bucket: TokenBucket(burst: 2, refillInterval: .seconds(10)))
        _ = limiter.take([key], at: noon)
        _ = limiter.take([key], at: noon)
        #expect(limiter.take([key], at: noon - .seconds(5)) != .allowed)
    }

    @Test func `when the table is full, unknown keys are refused for that reason and known ones still counted`() {
        let small = InProcessRateLimiter(capacity: 2, clock: .parameter)
        let bucket = TokenBucket(burst: 5, refillInterval: .seconds(10))
        #expect(small.take([makeKey("a", bucket: bucket)], at: noon) == .allowed)
        #expect(small.take([makeKey("b", bucket: bucket)], at: noon) == .allowed)
        #expect(
            small.take([makeKey("c", bucket: bucket)], at: noon)
                == .exceeded(retryAfter: .seconds(10), scope: InProcessRateLimiter.fullScope))
        #expect(small.take([makeKey("a", bucket: bucket)], at: noon) == .allowed)
    }

    @Test func `full buckets are forgotten, so the table does not grow with the users of the past`() {
        let small = InProcessRateLimiter(capacity: 5_000, clock: .parameter)
        let bucket = TokenBucket(burst: 1, refillInterval: .seconds(1))
        for user in 0..<4_500 { #expect(small.take([makeKey("early \(user)", bucket: bucket)], at: noon) == .allowed) }
        let later = noon + .seconds(2)
        let refused = (0..<4_500).count {
            small.take([makeKey("late \($0)", bucket: bucket)], at: later) != .allowed
        }
        #expect(refused == 0)
    }

    @Test func `of 1000 concurrent takers as many pass as the burst`() async {
        let key = makeKey(bucket: TokenBucket(burst: 7, refillInterval: .seconds(60)))
        let passed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 { group.addTask { limiter.take([key], at: noon) == .allowed } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 7)
    }

    @Test func `nonsensical buckets become the smallest sensible ones`() {
        #expect(TokenBucket(burst: 0, refillInterval: .zero) == TokenBucket(burst: 1, refillInterval: .milliseconds(1)))
        #expect(TokenBucket(burst: 10, perHour: 5).refillInterval == .seconds(3600))
    }

    @Test(arguments: [1, 3, 20, 400, 600, 1000])
    func `no more come back in a second than a bucket says`(count: Int) {
        #expect(TokenBucket(perSecond: count, for: 1).refillInterval * count >= .seconds(1))
        #expect(TokenBucket(perMinute: count).refillInterval * count >= .seconds(60))
    }

    @Test func `the unlimited limiter lets everything pass`() {
        let key = makeKey(bucket: TokenBucket(burst: 1, refillInterval: .seconds(60)))
        for _ in 0..<10 {
            #expect(UnlimitedRateLimiter().take([key], at: noon) == .allowed)
            #expect(UnlimitedRateLimiter().peek([key], at: noon) == .allowed)
        }
    }

    @Test func `a network is counted where there is one`() {
        let limits = LimitSettings()
        #expect(limits.refusedBearerKeys(origin: origin(nil)).isEmpty)
        #expect(limits.refusedBearerKeys(origin: origin()).map(\.value) == ["203.0.113.0/24"])
    }

    @Test func `pushed requests are counted by client where it authenticates, else by network as well`() {
        func keys(_ client: Client, _ origin: RequestOrigin) -> [RateLimitKey] {
            LimitSettings().clientKeys(
                "pushed_request", client, of: origin, perClient: TokenBucket(perMinute: 600),
                perNetwork: TokenBucket(perMinute: 60))
        }
        let native = Client(id: app, name: "App", kind: .native)
        #expect(keys(native, origin()).map(\.value) == ["203.0.113.0/24 app"])
        #expect(keys(native, origin(nil)).map(\.value) == ["local app"])
        #expect(keys(native, origin("198.51.100.1")) != keys(native, origin()))
        var server = Client(id: website, name: "Website", kind: .web)
        server.secretDigest = "d"
        #expect(keys(server, origin("2001:db8:1:203::4")).map(\.value) == ["web"])
    }

    @Test func `contract §12: what nobody signs in for is counted by /64, by /56 and by /48 of IPv6`() {
        let limits = LimitSettings()
        let native = Client(id: app, name: "App", kind: .native)
        let home = origin("2001:db8:1:203::4")
        let networks = ["2001:db8:1:203::/64", "2001:db8:1:200::/56", "2001:db8:1::/48"]
        let perNetwork = limits.pushedRequestPerNetwork
        let pushed = limits.clientKeys(
            "pushed_request", native, of: home, perClient: limits.pushedRequestPerClient, perNetwork: perNetwork)
        #expect(pushed.map(\.value) == networks.map { "\($0) app" })
        #expect(pushed.map(\.rule) == [1, 4, 16].map { RateLimitKey.Rule.bucket(perNetwork.multiplied(by: $0)) })
        #expect(limits.phonePageKeys(origin: home).map(\.value) == networks)
        let codes = limits.shownCodeKeys(nil, origin: home)
        let span = Duration.seconds(600)
        #expect(codes.map(\.value) == networks)
        #expect(
            codes.map(\.rule)
                == [20, 80, 320].map { RateLimitKey.Rule.window(AttemptWindow(count: $0, per: span, block: span)) })
    }

    @Test func `names that strangers type take no room from users, networks and apps`() {
        let small = InProcessRateLimiter(capacity: 2, clock: .parameter)
        let limits = LimitSettings()
        func typeName(_ number: Int) -> [RateLimitDecision] {
            let name = Username("nobody-\(number)")
            return [
                small.take(limits.shownCodeKeys(name, origin: origin(nil)), at: noon),
                small.take(limits.failedSignInKeys(username: name, .password, origin: origin(nil)), at: noon),
            ]
        }
        for number in 0..<2 { _ = typeName(number) }
        let scopes = typeName(2).map { if case .exceeded(_, let scope) = $0 { scope } else { "allowed" } }
        #expect(scopes == [InProcessRateLimiter.fullScope, InProcessRateLimiter.fullScope])
        let window = AttemptWindow(count: 10, per: .seconds(60), block: .seconds(60))
        #expect(small.take([RateLimitKey(scope: "exchange.device", value: "d", window: window)], at: noon) == .allowed)
        #expect(small.take([makeKey(bucket: TokenBucket(perMinute: 60))], at: noon) == .allowed)
    }

    @Test func `no stretch of a day passes the daily cap, and half of it comes at once`() {
        let key = makeKey(bucket: TokenBucket(perDay: 100))
        var passed = 0
        for second in stride(from: 0, to: 86_400, by: 10)
        where limiter.take([key], at: noon + .seconds(second)) == .allowed {
            passed += 1
            if second == 0 { for _ in 0..<200 where limiter.take([key], at: noon) == .allowed { passed += 1 } }
        }
        #expect((98...100).contains(passed))
    }
}
