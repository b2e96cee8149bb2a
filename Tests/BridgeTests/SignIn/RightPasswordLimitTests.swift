import OAuth2
import Synchronization
import Testing

@testable import Bridge

/// Browsers that are known for an account have right passwords of their own (contract §12, ADR-0016).
@Suite struct RightPasswordLimitTests {
    private static let secret = Array("12345678901234567890".utf8)

    /// The cookie of a browser in which the owner of an account with a second factor has signed in.
    private func ownBrowser(_ desk: SignInDesk) async throws -> Secret<String> {
        let sealed = try desk.secrets.seal(Self.secret, for: "sub-alice")
        try await desk.add("alice", factor: SecondFactor(sealedSecret: sealed))
        let pending = try #require(try await desk.attempt("alice").pending)
        let code = OneTimeCode.code(secret: Self.secret, step: OneTimeCode.step(at: noon))
        let outcome = try await desk.signIn.confirm(
            pending: pending, code: code, browser: desk.browser, replacing: nil, origin: origin())
        return try #require(outcome.opened?.recognition)
    }

    @Test func `whoever has the password and no second factor does not keep the owner out of a known browser`()
        async throws
    {
        try await withService { service in
            let desk = try SignInDesk(service)
            let own = try await ownBrowser(desk)
            // The owner's own sign-in was in a browser that nobody knew yet.
            for number in 1..<120 {
                let outcome = try await desk.attempt("alice", from: "198.51.\(number).1")
                #expect(outcome.word == "needs code")
            }
            let strangers = try await desk.attempt("alice")
            #expect(strangers.word == "limited")
            let owners = try await desk.attempt("alice", knownBy: own)
            #expect(owners.word == "needs code")
            let events = try await service.storage.search(
                AuditFilter(type: .rateLimitExceeded), before: nil, limit: 10)
            #expect(events.records.map(\.event.reason) == ["sign_in.right_password"])
            #expect(events.records.map(\.event.subject) == ["sub-alice"])
        }
    }

    @Test func `known browsers have one number of right passwords between them, however often their cookie is renewed`()
        async throws
    {
        try await withService { service in
            let desk = try SignInDesk(service)
            try await desk.add("alice")
            var recognition = try #require(try await desk.attempt("alice").opened?.recognition)
            for _ in 0..<120 {
                let outcome = try await desk.attempt("alice", knownBy: recognition)
                recognition = try #require(outcome.opened?.recognition)
            }
            let known = try await desk.attempt("alice", knownBy: recognition)
            #expect(known.word == "limited")
            let other = try await desk.attempt("alice")
            #expect(other.word == "signed in")
        }
    }

    @Test func `a browser that is known for another account is a stranger to this one`() async throws {
        try await withService { service in
            let desk = try SignInDesk(service)
            for name in ["alice", "bob"] { try await desk.add(name) }
            let recognition = try #require(try await desk.attempt("bob").opened?.recognition)
            for _ in 0..<120 { _ = try await desk.attempt("alice") }
            let outcome = try await desk.attempt("alice", knownBy: recognition)
            #expect(outcome.word == "limited")
        }
    }

    @Test func `whether a name has an account makes no difference to what is asked ahead of the password`()
        async throws
    {
        try await withService { service in
            let limiter = ListeningLimiter()
            let throttle = SignInThrottle(
                limiter: limiter, limits: LimitSettings(),
                refusals: RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(capacity: 1)),
                knownBrowsers: try .sample())
            for account in [Account(subject: "sub-alice", username: Username("alice"), createdAt: noon), nil] {
                _ = try await throttle.excessOfRight(of: Username("alice"), account, origin: origin(), at: noon)
            }
            let asked = limiter.asked.withLock { $0 }
            #expect(asked.count == 2 && asked[0] == asked[1], "\(asked)")
        }
    }
}

/// Lets everything pass and remembers what it was asked.
private final class ListeningLimiter: RateLimiter {
    let asked = Mutex<[[RateLimitKey]]>([])

    func take(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision { .allowed }

    func peek(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision {
        asked.withLock { $0.append(keys) }
        return .allowed
    }

    func giveBack(_ keys: [RateLimitKey], at now: Timestamp) {}
}
