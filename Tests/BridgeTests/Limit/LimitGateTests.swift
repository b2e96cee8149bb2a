import OAuth2
import Testing

@testable import Bridge

/// Contract §12.
@Suite struct LimitGateTests {
    private let key = RateLimitKey(
        scope: "a.limit", value: "v", bucket: TokenBucket(burst: 1, refillInterval: .seconds(90)))

    private func withGate(_ body: (LimitGate, Service) async throws -> Void) async throws {
        try await withService { service in
            let refusals = RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(clock: .parameter))
            try await body(LimitGate(InProcessRateLimiter(clock: .parameter), refusals: refusals), service)
        }
    }

    private func refusals(in service: Service) async throws -> [AuditEvent] {
        try await service.storage.search(AuditFilter(type: .rateLimitExceeded), before: nil, limit: 9).records
            .map(\.event)
    }

    @Test func `whoever is over a limit is told how long to wait, and the log is told which limit it was`()
        async throws
    {
        try await withGate { gate, service in
            func pass() async throws {
                try await gate.pass(
                    [key], of: "alice", client: app, origin: origin(), at: noon, else: .slowDown, "too many")
            }
            try await pass()
            #expect(try await refusals(in: service).isEmpty)
            let error = await #expect(throws: OAuthError.self) { try await pass() }
            #expect(error?.code == .slowDown)
            #expect(error?.publicDescription == "too many")
            #expect(error?.detail == "a.limit")
            #expect(error?.retryAfter == 90)
            let event = try #require(try await refusals(in: service).first)
            #expect(event.reason == "a.limit")
            #expect(event.subject == "alice")
            #expect(event.clientID == app)
        }
    }

    @Test func `to look takes nothing, and says so in the log when there is nothing left`() async throws {
        try await withGate { gate, service async throws in
            for _ in 0..<2 {
                #expect(try await gate.peek([key], origin: origin(), at: noon) == .allowed)
            }
            #expect(try await gate.take([key], origin: origin(), at: noon) == .allowed)
            #expect(try await gate.peek([key], origin: origin(), at: noon).retryAfter == .seconds(90))
            #expect(try await refusals(in: service).map(\.reason) == ["a.limit"])
            await gate.giveBack([key], at: noon)
            #expect(try await gate.peek([key], origin: origin(), at: noon).retryAfter == nil)
        }
    }
}
