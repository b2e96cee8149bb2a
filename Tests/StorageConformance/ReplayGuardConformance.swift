package import Bridge

/// What every ``ReplayGuard`` must do.
package enum ReplayGuardConformance {
    package static let cases: [ConformanceCase<any ReplayGuard>] = [
        oneWinner,
        ConformanceCase("each id is claimed for itself") { open in
            let replayGuard = try await open()
            for id: TokenID in ["a", "b", "A"] {
                let claim = try await replayGuard.claim(id, until: Sample.now + .seconds(60), at: Sample.now)
                try expectEqual(claim, .claimed, "\(id)")
            }
        },
        ConformanceCase("a claim holds to its expiry") { open in
            let replayGuard = try await open()
            let expiry = Sample.now + .seconds(60)
            _ = try await replayGuard.claim("t", until: expiry, at: Sample.now)
            let last = try await replayGuard.claim("t", until: expiry, at: expiry - .milliseconds(1))
            try expectEqual(last, .claimedBefore, "just before its expiry")
        },
        ConformanceCase("claims with other expiries do not disturb each other") { open in
            let replayGuard = try await open()
            for second in 1...120 {
                let now = Sample.now + .seconds(second)
                let id = TokenID(rawValue: "t\(second)")
                let first = try await replayGuard.claim(id, until: now + .seconds(60), at: now)
                try expectEqual(first, .claimed, "first claim of \(id)")
                let second = try await replayGuard.claim(id, until: now + .seconds(60), at: now + .seconds(30))
                try expectEqual(second, .claimedBefore, "second claim of \(id)")
            }
        },
    ]

    /// Of concurrent claims on two servers one wins.
    package static let oneWinner = ConformanceCase<any ReplayGuard>("of 100 concurrent claims on two servers one wins")
    { open in
        let servers = [try await open(), try await open()]
        let claims = try await concurrently(100) { number in
            try await servers[number % 2].claim("t", until: Sample.now + .seconds(60), at: Sample.now)
        }
        try expectEqual(claims.count { $0 == .claimed }, 1, "winners")
    }
}
