import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// Is asked about every token, and knows those that begin with `good`.
private final class AskedIssuer: BearerAuthenticator {
    private let asked = Mutex(0)

    var count: Int { asked.withLock { $0 } }

    func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity {
        asked.withLock { $0 += 1 }
        // Its answer takes a while, so that the requests of a burst are under way together.
        for _ in 0..<200 { await Task.yield() }
        guard token.expose().hasPrefix("good") else { throw BearerRefusal.inactive }
        return BearerIdentity(
            subject: "alice", clientID: app, issuer: "https://backend.example", authority: .trusted, sessionID: nil,
            authentication: Authentication(), expiresAt: now + .seconds(3600))
    }

    func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool { token.expose() != "known" }
}

/// Bearers about which an issuer is asked (RFC 7662): for a network sixty a minute that come to nothing.
@Suite struct BearerInquiriesTests {
    private let issuer = AskedIssuer()

    private func inquiries(_ service: Service) -> BearerInquiries {
        let limiter = InProcessRateLimiter(clock: .parameter)
        return BearerInquiries(
            issuer, limiter: limiter, limits: LimitSettings(),
            refusals: RefusalLog(audit: service.storage, limiter: limiter), else: .slowDown)
    }

    /// How many of some tokens at once came to what.
    private func outcomes(
        _ tokens: [String], from requestOrigin: RequestOrigin = origin(), of inquiries: BearerInquiries
    ) async -> [String: Int] {
        await withTaskGroup(of: String.self) { group in
            for token in tokens {
                group.addTask {
                    do {
                        return try await inquiries.identity(of: Secret(token), from: requestOrigin, at: noon)
                            .subject.rawValue
                    } catch let refusal as BearerRefusal {
                        return refusal.reason.rawValue
                    } catch let error as OAuthError {
                        return "\(error.code.rawValue) \(error.detail ?? "") \(error.retryAfter ?? 0)"
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    @Test func `attack: of a burst of invented tokens an issuer is asked about sixty`() async throws {
        try await withService { service in
            let inquiries = inquiries(service)
            let junk = (0..<220).map { "junk\($0)" }
            let found = await outcomes(junk, of: inquiries)
            #expect(found == ["inactive": 60, "slow_down bearer.inquiry 1": 160])
            #expect(issuer.count == 60)
            let written = try await service.events().filter { $0.hasPrefix("rate_limit.exceeded") }
            #expect(written == ["rate_limit.exceeded bearer.inquiry"])
            let elsewhere = await outcomes(["good"], from: origin("198.51.100.1"), of: inquiries)
            #expect(elsewhere == ["alice": 1])
        }
    }

    @Test func `good tokens cost their network nothing, and what is known already is never held back`() async throws {
        try await withService { service in
            let inquiries = inquiries(service)
            for _ in 0..<4 {
                let good = await outcomes((0..<50).map { "good\($0)" }, of: inquiries)
                #expect(good == ["alice": 50])
            }
            _ = await outcomes((0..<60).map { "junk\($0)" }, of: inquiries)
            let held = await outcomes(["good"], of: inquiries)
            #expect(held == ["slow_down bearer.inquiry 1": 1])
            let known = await outcomes(["known"], of: inquiries)
            #expect(known == ["inactive": 1])
        }
    }

    @Test func `attack: revocations of invented tokens have an issuer asked sixty times`() async throws {
        try await withService { service in
            let signOut = AppSignOut(bearers: inquiries(service), endings: service.endings).revocation
            let client = try #require(service.clients.current[app])
            for number in 0..<60 {
                #expect(try await !signOut(Secret("junk\(number)"), client, origin(), noon))
            }
            await #expect {
                try await signOut(Secret("junk"), client, origin(), noon)
            } throws: { error in
                (error as? OAuthError)?.code == .slowDown
            }
            #expect(issuer.count == 60)
        }
    }

    @Test func `contract §7: another issuer's bearer ends what its own app opened, and no other app's`() async throws {
        try await withService { service async throws in
            let signOut = AppSignOut(bearers: inquiries(service), endings: service.endings).revocation
            let own = try #require(service.clients.current[app])
            let other = try #require(service.clients.current["mute"])
            await #expect {
                try await signOut(Secret("good"), other, origin(), noon)
            } throws: { error in
                let refused = error as? RefusedToken
                return refused?.error.detail == "other_client" && refused?.owner.subject == "alice"
            }
            #expect(try await signOut(Secret("good"), own, origin(), noon))
        }
    }

    @Test func `an administrator's address is no way to ask an issuer about tokens`() async {
        let tokens = UserTokensDoNotAdminister(issuer)
        await #expect(throws: AdminRefusal(.invalid)) {
            try await tokens.administrator(presenting: Secret("good"), provenKey: nil, at: noon)
        }
        #expect(issuer.count == 0)
    }
}
