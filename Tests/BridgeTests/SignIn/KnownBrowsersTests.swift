import OAuth2
import Testing

@testable import Bridge

@Suite struct KnownBrowsersTests {
    private let browsers: KnownBrowsers
    private let alice: Subject = "alice"

    init() throws {
        browsers = KnownBrowsers(master: try #require(MasterKey([UInt8](repeating: 7, count: 32))))
    }

    @Test func `a browser is known by the mark of its last sign-in`() throws {
        let first = browsers.cookie(knowing: alice, besides: nil, at: noon)
        let second = browsers.cookie(knowing: alice, besides: first, at: noon)
        let marks = [first, second].map { browsers.mark(of: alice, in: $0, at: noon) }
        #expect(marks[0] != nil && marks[1] != nil && marks[0] != marks[1])
        #expect(second.expose().split(separator: ".").count == 1)
        #expect(browsers.mark(of: "bob", in: second, at: noon) == nil)
    }

    @Test func `it is known for the four accounts that signed in last`() throws {
        var cookie: Secret<String>?
        for number in 0..<6 {
            cookie = browsers.cookie(knowing: Subject(rawValue: "user\(number)"), besides: cookie, at: noon)
        }
        let known = (0..<6).map { browsers.mark(of: Subject(rawValue: "user\($0)"), in: cookie, at: noon) != nil }
        #expect(known == [false, false, true, true, true, true])
        #expect(try #require(cookie).expose().utf8.count <= 512)
    }

    @Test func `after 180 days it is a stranger`() {
        let cookie = browsers.cookie(knowing: alice, besides: nil, at: noon)
        let end = noon + KnownBrowsers.lifetime
        #expect(browsers.mark(of: alice, in: cookie, at: end - .seconds(1)) != nil)
        #expect(browsers.mark(of: alice, in: cookie, at: end) == nil)
    }

    @Test func `no byte of the cookie can be changed, and none made without the key`() throws {
        let cookie = browsers.cookie(knowing: alice, besides: nil, at: noon).expose()
        let bytes = try #require(Base64URL.decode(cookie))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(browsers.mark(of: alice, in: Secret(Base64URL.encode(changed)), at: noon) == nil)
        }
        for text in ["", ".", "...", cookie + "A", String(repeating: cookie + ".", count: 20)] {
            #expect(browsers.mark(of: alice, in: Secret(text), at: noon) == nil)
        }
        let other = KnownBrowsers(master: try #require(MasterKey([UInt8](repeating: 8, count: 32))))
        #expect(other.mark(of: alice, in: Secret(cookie), at: noon) == nil)
    }

    @Test func `the cookie says nothing of who signed in`() {
        let cookies = (0..<2).map { _ in browsers.cookie(knowing: alice, besides: nil, at: noon).expose() }
        #expect(cookies[0] != cookies[1])
        #expect(Base64URL.decode(cookies[0]).map { !Array($0).contains(Array("alice".utf8)) } == true)
    }
}

/// Whose browser is known when names change hands.
@Suite struct RenamedAccountTests {
    @Test func `a browser stays known to its user, and to nobody who is given the old name`() async throws {
        try await withService { service in
            let browsers = KnownBrowsers(master: try #require(MasterKey([UInt8](repeating: 7, count: 32))))
            let throttle = SignInThrottle(
                limiter: InProcessRateLimiter(clock: .parameter), limits: LimitSettings(),
                refusals: RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(capacity: 1)),
                knownBrowsers: browsers)
            var here = origin("203.0.113.7")
            here.recognition = browsers.cookie(knowing: "alice", besides: nil, at: noon)
            func wait(_ name: String, _ subject: Subject) async throws -> Duration? {
                try await throttle.wait(
                    for: Username(name), of: subject, guessing: .password, origin: here, at: noon)
            }
            // Strangers guess at both names until nobody unknown gets through.
            for name in ["alice", "alison"] {
                while try await throttle.count(
                    .password, of: Username(name), nil, origin: origin("198.51.100.9"), at: noon) == nil
                {}
            }
            #expect(try await wait("alison", "alice") == nil, "renamed, and still known here")
            #expect(try await wait("alice", "somebody-new") != nil, "whoever has the name now is a stranger here")
        }
    }
}

/// The absolute caps of a day, and the wider networks of IPv6 (contract §12).
@Suite struct SignInThrottleTests {
    @Test func `guesses of neighbours under way hold nobody back, and wrong ones do`() async throws {
        try await withService { service in
            let throttle = SignInThrottle(
                limiter: InProcessRateLimiter(clock: .parameter), limits: LimitSettings(),
                refusals: RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(capacity: 1)))
            func begin(_ number: Int) async throws -> Duration? {
                try await throttle.begin(.code, of: Username("user\(number)"), nil, origin: origin(), at: noon)
            }
            for number in 0..<9 {
                let wait = try await begin(number)
                #expect(wait == nil)
            }
            for number in 0..<5 {
                let isRight = try await throttle.judge(
                    .code, of: Username("user\(number)"), nil, origin: origin(), at: noon
                ) { false }
                #expect(!isRight)
            }
            let wait = try await begin(10)
            #expect(wait != nil)
        }
    }

    private func passes(
        _ guess: SignInThrottle.Guess, every interval: Int, for seconds: Int,
        from address: (Int) -> String
    ) async throws -> Int {
        var passed = 0
        try await withService { service in
            let limiter = InProcessRateLimiter(clock: .parameter)
            let throttle = SignInThrottle(
                limiter: limiter, limits: LimitSettings(),
                refusals: RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(capacity: 1)))
            for (number, second) in stride(from: 0, to: seconds, by: interval).enumerated() {
                let now = noon + .seconds(second)
                let origin = origin(address(number))
                guard
                    try await throttle.wait(for: Username("alice"), of: nil, guessing: guess, origin: origin, at: now)
                        == nil
                else { continue }
                if try await throttle.count(guess, of: Username("alice"), nil, origin: origin, at: now) == nil {
                    passed += 1
                }
            }
        }
        return passed
    }

    @Test func `however patient the guesser, a day has a hundred passwords and thirty codes of one account`()
        async throws
    {
        // From as many networks as there are guesses.
        func address(_ number: Int) -> String { "198.\(number / 250 % 250).\(number % 250).1" }
        #expect((95...100).contains(try await passes(.password, every: 12, for: 86_400, from: address)))
        #expect((28...30).contains(try await passes(.code, every: 12, for: 86_400, from: address)))
    }

    @Test func `whoever has a /48 of IPv6 has sixteen networks' worth of guesses, not sixty-five thousand`()
        async throws
    {
        let limits = LimitSettings()
        let limiter = InProcessRateLimiter(clock: .parameter)
        var passed = 0
        for number in 0..<1000 {
            let text = "2001:db8:1:" + String(number, radix: 16) + "::1"
            let keys = limits.failedSignInKeys(
                username: Username("user\(number)"), .password, origin: origin(text))
            if limiter.take(keys, at: noon) == .allowed { passed += 1 }
        }
        #expect(passed <= 80)
        let elsewhere = limits.failedSignInKeys(username: nil, .password, origin: origin("2001:db8:2::1"))
        #expect(limiter.take(elsewhere, at: noon) == .allowed)
    }
}
