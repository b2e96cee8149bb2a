import OAuth2
import Testing

@testable import Bridge

/// RFC 9700 §2.1.1, native-oauth P7.
@Suite struct AuthorizationWatchTests {
    private func withWatch(_ body: (Service, AuthorizationWatch) async throws -> Void) async throws {
        try await withService { service in
            try await body(
                service, AuthorizationWatch(limiter: InProcessRateLimiter(clock: .parameter), audit: service.storage))
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
            #expect(try await watch.reused(request, origin: origin(), at: now + .seconds(86_000)) == "code_challenge")
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
            #expect(
                try await watch.reused(request, origin: origin(), at: now + AuthorizationWatch.memory + .seconds(1))
                    == nil)
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

    @Test func `a client that rejects reuse has it recorded as a failure`() async throws {
        try await withWatch { service, watch in
            let client = try AuthorizationFixture.native { $0.rejectsReusedChallenge = true }
            let request = try AuthorizationFixture.request(client: client)
            for _ in 0..<2 { _ = try await watch.reused(request, origin: origin(), at: service.clock.now) }
            #expect(try await reuses(service).map(\.outcome) == [.failure])
        }
    }
}
