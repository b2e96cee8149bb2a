package import Bridge

/// What every ``RateLimiter`` must do.
package enum RateLimiterConformance {
    package static let cases: [ConformanceCase<any RateLimiter>] = [
        ConformanceCase("a burst passes, then the wait for the next is told") { open in
            let limiter = try await open()
            for _ in 1...3 { try expectEqual(try await limiter.take([key()], at: Sample.now), .allowed, "burst") }
            try expectEqual(
                try await limiter.take([key()], at: Sample.now),
                .exceeded(retryAfter: .seconds(10), scope: "test"), "past the burst")
            let later = Sample.now + .milliseconds(4_000)
            try expectEqual(
                try await limiter.take([key()], at: later), .exceeded(retryAfter: .seconds(6), scope: "test"), "later")
        },
        ConformanceCase("a bucket refills one by one, and never past its burst") { open in
            let limiter = try await open()
            for _ in 1...3 { _ = try await limiter.take([key()], at: Sample.now) }
            let refilled = Sample.now + .seconds(10)
            try expectEqual(try await limiter.take([key()], at: refilled), .allowed, "one came back")
            try expect(try await limiter.take([key()], at: refilled) != .allowed, "only one came back")
            let muchLater = Sample.now + .seconds(3600)
            for _ in 1...3 { try expectEqual(try await limiter.take([key()], at: muchLater), .allowed, "full again") }
            try expect(try await limiter.take([key()], at: muchLater) != .allowed, "never more than the burst")
        },
        ConformanceCase("a refused take costs nothing") { open in
            let limiter = try await open()
            for _ in 1...10 { _ = try await limiter.take([key()], at: Sample.now) }
            try expectEqual(
                try await limiter.take([key()], at: Sample.now + .seconds(10)), .allowed, "after one interval")
        },
        ConformanceCase("a look takes nothing") { open in
            let limiter = try await open()
            for _ in 1...2 { _ = try await limiter.take([key()], at: Sample.now) }
            for _ in 1...5 { try expectEqual(try await limiter.peek([key()], at: Sample.now), .allowed, "look") }
            _ = try await limiter.take([key()], at: Sample.now)
            try expectEqual(
                try await limiter.peek([key()], at: Sample.now), .exceeded(retryAfter: .seconds(10), scope: "test"),
                "a look at an empty bucket")
        },
        ConformanceCase("keys differ by scope and by value") { open in
            let limiter = try await open()
            for _ in 1...3 { _ = try await limiter.take([key()], at: Sample.now) }
            try expectEqual(try await limiter.take([key(value: "other")], at: Sample.now), .allowed, "other value")
            try expectEqual(try await limiter.take([key(scope: "other")], at: Sample.now), .allowed, "other scope")
        },
        ConformanceCase("of several keys the longest wait decides") { open in
            let limiter = try await open()
            let slow = key(scope: "slow", bucket: TokenBucket(burst: 1, refillInterval: .seconds(60)))
            let quick = key(scope: "quick", bucket: TokenBucket(burst: 1, refillInterval: .seconds(5)))
            try expectEqual(try await limiter.take([quick, slow], at: Sample.now), .allowed, "first")
            for keys in [[quick, slow], [slow, quick]] {
                try expectEqual(
                    try await limiter.take(keys, at: Sample.now),
                    .exceeded(retryAfter: .seconds(60), scope: "slow"), "second")
            }
        },
        ConformanceCase("what one bucket refuses costs the others nothing") { open in
            let limiter = try await open()
            let device = key(scope: "device", bucket: TokenBucket(burst: 1, refillInterval: .seconds(60)))
            let network = key(scope: "network", bucket: TokenBucket(burst: 3, refillInterval: .seconds(60)))
            try expectEqual(try await limiter.take([device, network], at: Sample.now), .allowed, "first")
            for keys in [[device, network], [network, device], [device, network], [network, device]] {
                try expect(try await limiter.take(keys, at: Sample.now) != .allowed, "the device has had its own")
            }
            for _ in 1...2 {
                try expectEqual(try await limiter.take([network], at: Sample.now), .allowed, "left in the network")
            }
            try expect(try await limiter.take([network], at: Sample.now) != .allowed, "and no more")
        },
        ConformanceCase("of 100 concurrent takes on two servers the burst passes") { open in
            let servers = [try await open(), try await open()]
            let bucket = TokenBucket(burst: 10, refillInterval: .seconds(60))
            let decisions = try await concurrently(100) { number in
                try await servers[number % 2].take([key(bucket: bucket)], at: Sample.now)
            }
            try expectEqual(decisions.count { $0 == .allowed }, 10, "allowed")
        },
        ConformanceCase("a window lets its count through, then closes for the whole block") { open in
            let limiter = try await open()
            for number in 0..<3 {
                let at = Sample.now + .seconds(Int64(number))
                try expectEqual(try await limiter.take([windowed], at: at), .allowed, "attempt \(number)")
            }
            let blocked = Sample.now + .seconds(10)
            try expectEqual(
                try await limiter.take([windowed], at: blocked), .exceeded(retryAfter: .seconds(900), scope: "window"),
                "one too many")
            try expectEqual(
                try await limiter.take([windowed], at: blocked + .seconds(300)),
                .exceeded(retryAfter: .seconds(600), scope: "window"), "trying on does not lengthen it")
            let open = blocked + .seconds(900)
            for _ in 1...3 { try expectEqual(try await limiter.take([windowed], at: open), .allowed, "open again") }
        },
        ConformanceCase("a block that is shorter than its window lasts until that window ends") { open in
            let limiter = try await open()
            let hourly = RateLimitKey(
                scope: "hour", value: "network",
                window: AttemptWindow(count: 2, per: .seconds(3600), block: .seconds(600)))
            for _ in 1...2 { try expectEqual(try await limiter.take([hourly], at: Sample.now), .allowed, "counts") }
            let late = Sample.now + .seconds(10)
            try expectEqual(
                try await limiter.peek([hourly], at: late), .exceeded(retryAfter: .seconds(3590), scope: "hour"),
                "look")
            try expectEqual(
                try await limiter.take([hourly], at: late), .exceeded(retryAfter: .seconds(3590), scope: "hour"),
                "take")
            try expectEqual(
                try await limiter.take([hourly], at: Sample.now + .seconds(700)),
                .exceeded(retryAfter: .seconds(2900), scope: "hour"), "after the block")
            try expectEqual(
                try await limiter.take([hourly], at: Sample.now + .seconds(3600)), .allowed, "the next hour")
        },
        ConformanceCase("a window that is not overrun begins anew when its time is over") { open in
            let limiter = try await open()
            for _ in 1...3 { _ = try await limiter.take([windowed], at: Sample.now) }
            let next = Sample.now + .seconds(60)
            for _ in 1...3 { try expectEqual(try await limiter.take([windowed], at: next), .allowed, "next window") }
            try expect(try await limiter.take([windowed], at: next) != .allowed, "its count holds again")
        },
        ConformanceCase("a look at a window neither counts nor closes") { open in
            let limiter = try await open()
            for _ in 1...3 { _ = try await limiter.take([windowed], at: Sample.now) }
            for _ in 1...2 {
                try expectEqual(
                    try await limiter.peek([windowed], at: Sample.now),
                    .exceeded(retryAfter: .seconds(900), scope: "window"), "look")
            }
            try expectEqual(
                try await limiter.take([windowed], at: Sample.now + .seconds(60)), .allowed, "was not closed")
        },
        ConformanceCase("of 100 concurrent attempts on two servers a window's count passes") { open in
            let servers = [try await open(), try await open()]
            let decisions = try await concurrently(100) { number in
                try await servers[number % 2].take([windowed], at: Sample.now)
            }
            try expectEqual(decisions.count { $0 == .allowed }, 3, "allowed")
        },
        ConformanceCase("what is given back may be taken again, and no more than that") { open in
            let limiter = try await open()
            let keys = [windowed, key()]
            for _ in 1...3 { try expectEqual(try await limiter.take(keys, at: Sample.now), .allowed, "taken") }
            for _ in 1...2 { try await limiter.giveBack(keys, at: Sample.now) }
            for _ in 1...2 { try expectEqual(try await limiter.take(keys, at: Sample.now), .allowed, "given back") }
            try expect(try await limiter.take([windowed], at: Sample.now) != .allowed, "the window's count")
            try expect(try await limiter.take([key()], at: Sample.now) != .allowed, "the bucket's burst")
        },
        ConformanceCase("a window whose only attempt was given back begins with its next one") { open in
            let limiter = try await open()
            _ = try await limiter.take([windowed], at: Sample.now)
            try await limiter.giveBack([windowed], at: Sample.now)
            let late = Sample.now + .seconds(59)
            for _ in 1...3 { try expectEqual(try await limiter.take([windowed], at: late), .allowed, "counts") }
            try expect(try await limiter.take([windowed], at: Sample.now + .seconds(60)) != .allowed, "one minute")
        },
        ConformanceCase("giving back opens no window that has closed, and fills nothing beyond its measure") { open in
            let limiter = try await open()
            try await limiter.giveBack([windowed, key()], at: Sample.now)
            for _ in 1...3 { _ = try await limiter.take([windowed, key()], at: Sample.now) }
            try expect(try await limiter.take([windowed], at: Sample.now) != .allowed, "closes it")
            try await limiter.giveBack([windowed], at: Sample.now)
            try expect(try await limiter.take([windowed], at: Sample.now + .seconds(61)) != .allowed, "still closed")
            try expect(try await limiter.take([key()], at: Sample.now) != .allowed, "the bucket's burst")
        },
    ]

    private static let windowed = RateLimitKey(
        scope: "window", value: "device", window: AttemptWindow(count: 3, per: .seconds(60), block: .seconds(900)))

    private static func key(
        scope: String = "test", value: String = "alice",
        bucket: TokenBucket = TokenBucket(burst: 3, refillInterval: .seconds(10))
    ) -> RateLimitKey {
        RateLimitKey(scope: scope, value: value, bucket: bucket)
    }
}
