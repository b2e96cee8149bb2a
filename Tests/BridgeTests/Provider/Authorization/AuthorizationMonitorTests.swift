import OAuth2
import Testing

@testable import Bridge

/// RFC 9700 §2.1.1, docs/rules/authorization-request.md A11.
@Suite struct AuthorizationMonitorTests {
    private func withWatch(
        capacity: Int = 100, fullness: Degradation = Degradation(part: "test"),
        _ body: (Service, AuthorizationMonitor) async throws -> Void
    ) async throws {
        try await withService { service in
            try await body(
                service,
                AuthorizationMonitor(
                    memory: InProcessReuseMemory(
                        lifetime: AuthorizationMonitor.reuseWindow, capacity: capacity, time: service.clock.source),
                    refusals: RefusalLog(
                        audit: service.storage, limiter: InProcessRateLimiter(clock: .parameter)),
                    fullness: fullness))
        }
    }

    private func reuses(_ service: Service) async throws -> [AuditEvent] {
        try await service.storage.search(AuditFilter(type: .authorizationRequestReused), before: nil, limit: 10)
            .records.map(\.event)
    }

    @Test func `a code challenge that comes again is recorded for a day`() async throws {
        try await withWatch { service, watch in
            let request = try AuthorizationFixture.request()
            let now = service.clock.now
            #expect(try await watch.reused(request, origin: origin(), at: now) == nil)
            service.clock.advance(.seconds(86_000))
            #expect(try await watch.reused(request, origin: origin(), at: service.clock.now) == "code_challenge")
            let events = try await reuses(service)
            #expect(events.map(\.reason) == ["code_challenge"] && events.map(\.outcome) == [.success])
            #expect(events.first?.clientID == "native")
        }
    }

    @Test func `after a day it is forgotten`() async throws {
        try await withWatch { service, watch in
            let request = try AuthorizationFixture.request()
            let now = service.clock.now
            _ = try await watch.reused(request, origin: origin(), at: now)
            service.clock.advance(AuthorizationMonitor.reuseWindow + .seconds(1))
            #expect(try await watch.reused(request, origin: origin(), at: service.clock.now) == nil)
        }
    }

    @Test func `a nonce counts, and another client's does not`() async throws {
        try await withWatch { service, watch in
            let now = service.clock.now
            let site = try AuthorizationFixture.website()
            let website = try AuthorizationFixture.request(
                [
                    "client_id": "site", "redirect_uri": "https://site.example/cb?tenant=a", "code_challenge": nil,
                    "code_challenge_method": nil, "nonce": "n-1",
                ], client: site)
            let app = try AuthorizationFixture.request(["nonce": "n-1"])
            #expect(try await watch.reused(website, origin: origin(), at: now) == nil)
            #expect(try await watch.reused(app, origin: origin(), at: now) == nil)
            #expect(try await watch.reused(website, origin: origin(), at: now) == "nonce")
        }
    }

    @Test func `a full memory accuses nobody, and says so`() async throws {
        let fullness = Degradation(part: "test")
        try await withWatch(capacity: 1, fullness: fullness) { service, watch in
            let now = service.clock.now
            _ = try await watch.reused(try AuthorizationFixture.request(), origin: origin(), at: now)
            let other = try AuthorizationFixture.request([
                "code_challenge": String(repeating: "B", count: 42) + "A"
            ])
            #expect(!fullness.isDegraded)
            for _ in 0..<3 { #expect(try await watch.reused(other, origin: origin(), at: now) == nil) }
            #expect(fullness.isDegraded)
            #expect(try await reuses(service).isEmpty)
            service.clock.advance(AuthorizationMonitor.reuseWindow)
            #expect(try await watch.reused(other, origin: origin(), at: now) == nil)
            #expect(!fullness.isDegraded)
        }
    }

    @Test func `what is in a full memory already does not say that there is room`() async throws {
        let fullness = Degradation(part: "test")
        try await withWatch(capacity: 1, fullness: fullness) { service, watch in
            let known = try AuthorizationFixture.request()
            let other = try AuthorizationFixture.request([
                "code_challenge": String(repeating: "B", count: 42) + "A"
            ])
            for request in [known, other, known] {
                _ = try await watch.reused(request, origin: origin(), at: service.clock.now)
            }
            #expect(fullness.isDegraded)
        }
    }

    @Test func `a client that rejects reuse has it recorded as a failure`() async throws {
        try await withWatch { service, watch in
            let client = try AuthorizationFixture.native { $0.rejectsReusedChallenge = true }
            let request = try AuthorizationFixture.request(client: client)
            for _ in 0..<2 { _ = try await watch.reused(request, origin: origin(), at: service.clock.now) }
            #expect(try await reuses(service).map(\.outcome) == [.failure])
        }
    }
}
