import OAuth2
import Testing

@testable import Bridge

/// Contract §12.
@Suite struct UserLimitTests {
    private func withRefreshes(_ body: (UserLimit, Service) async throws -> Void) async throws {
        try await withService { service in
            let limiter = InProcessRateLimiter(clock: .parameter)
            let refusals = RefusalLog(audit: service.storage, limiter: limiter)
            try await body(.refreshes(LimitSettings(), limiter: limiter, refusals: refusals), service)
        }
    }

    /// How many of so many refreshes at once pass.
    private func passed(_ count: Int, by client: ClientID, in limit: UserLimit, at now: Timestamp) async throws -> Int {
        var passed = 0
        for _ in 0..<count {
            let decision = try await limit.take(of: "alice", client: client, origin: origin(), at: now)
            if decision == .allowed { passed += 1 }
        }
        return passed
    }

    @Test func `an app gets a third of its user's refreshes, and what it is refused takes nothing from the others`()
        async throws
    {
        try await withRefreshes { limit, service in
            for client in ["greedy", "second", "third"] as [ClientID] {
                #expect(try await passed(100, by: client, in: limit, at: noon) == 20, "\(client)")
            }
            #expect(try await passed(100, by: "fourth", in: limit, at: noon) == 0, "the user's own limit holds as well")
            let reasons = try await service.storage.search(
                AuditFilter(type: .rateLimitExceeded), before: nil, limit: 9
            ).records.map(\.event.reason)
            #expect(Set(reasons) == ["refresh.client", "refresh.subject"])
        }
    }

    @Test func `attack: an app and its web view go on refreshing, and the user's other apps are never held back`()
        async throws
    {
        try await withRefreshes { limit, _ in
            for second in 0..<7200 {
                let now = noon + .seconds(second)
                for client in ["greedy", "its-web-view"] as [ClientID] {
                    _ = try await passed(1, by: client, in: limit, at: now)
                }
                // One with the access tokens' usual life, on four devices.
                guard second % 225 == 0 else { continue }
                #expect(try await passed(1, by: app, in: limit, at: now) == 1, "after \(second) s")
            }
        }
    }

    @Test func `an app on as many devices as a user may have is not held back by its own share`() async throws {
        try await withRefreshes { limit, _ async throws in
            let devices = NativeSSOSettings().limit.count
            for number in 0..<200 {
                let now = noon + Client.defaultAccessTokenLifetime * number
                #expect(try await passed(devices, by: app, in: limit, at: now) == devices, "all at once")
            }
        }
    }
}
