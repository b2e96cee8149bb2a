import OAuth2
import Testing

@testable import Bridge

@Suite struct KnownBrowsersTests {
    private let browsers: KnownBrowsers
    private let alice = account("alice")

    init() throws {
        browsers = KnownBrowsers(master: try #require(MasterKey([UInt8](repeating: 7, count: 32))))
    }

    /// The cookie of a browser in which alice has just signed in.
    private func cookie(
        besides other: Secret<String>? = nil, isOfTwoFactors: Bool = false, at now: Timestamp = noon
    ) -> Secret<String> {
        browsers.cookie(knowing: alice, isOfTwoFactors: isOfTwoFactors, besides: other, at: now)
    }

    @Test func `a browser is known by the mark of its last sign-in`() throws {
        let first = cookie()
        let second = cookie(besides: first)
        let marks = [first, second].map { browsers.mark(of: alice, in: $0, at: noon) }
        #expect(marks[0] != nil && marks[1] != nil && marks[0] != marks[1])
        #expect(second.expose().split(separator: ".").count == 1)
        #expect(browsers.mark(of: account("bob"), in: second, at: noon) == nil)
    }

    @Test func `it is known for the four accounts that signed in last`() throws {
        var cookie: Secret<String>?
        for number in 0..<6 {
            cookie = browsers.cookie(
                knowing: account(Subject(rawValue: "user\(number)")), isOfTwoFactors: false, besides: cookie, at: noon)
        }
        let known = (0..<6).map { number in
            browsers.mark(of: account(Subject(rawValue: "user\(number)")), in: cookie, at: noon) != nil
        }
        #expect(known == [false, false, true, true, true, true])
        #expect(try #require(cookie).expose().utf8.count <= 512)
    }

    @Test func `after 180 days it is a stranger`() {
        let cookie = cookie()
        let end = noon + KnownBrowsers.lifetime
        #expect(browsers.mark(of: alice, in: cookie, at: end - .seconds(1)) != nil)
        #expect(browsers.mark(of: alice, in: cookie, at: end) == nil)
    }

    @Test func `a mark says whether two factors were shown with it`() {
        let marks = [false, true].map { browsers.mark(of: alice, in: cookie(isOfTwoFactors: $0), at: noon) }
        #expect(marks.map { $0?.isOfTwoFactors } == [false, true])
    }

    /// What may change of an account so that a thief is shut out: some of it by a clock that is an hour slow.
    private static let changes: [(name: String, change: @Sendable (inout Account) -> Void)] = [
        ("a new password", { $0.passwordChangedAt = noon + .seconds(60) }),
        ("a new password, by a slow clock", { $0.passwordChangedAt = noon - .seconds(3600) }),
        ("a second factor", { $0.secondFactor = SecondFactor(sealedSecret: "sealed") }),
    ]

    @Test(arguments: changes.indices)
    func `attack: a mark from before the account changed is a stranger's, whatever the clocks say`(index: Int) {
        let (name, change) = Self.changes[index]
        let cookie = cookie()
        var changed = alice
        change(&changed)
        #expect(browsers.mark(of: changed, in: cookie, at: noon) == nil, "\(name)")
        let next = browsers.cookie(knowing: changed, isOfTwoFactors: false, besides: cookie, at: noon)
        #expect(browsers.mark(of: changed, in: next, at: noon) != nil, "\(name)")
    }

    @Test(arguments: [60, -3600])
    func `an end of everything makes nobody a stranger, and takes what two factors are worth, whatever the clocks say`(
        seconds: Int
    ) {
        let cookie = cookie(isOfTwoFactors: true)
        var ended = alice
        ended.lastEnd = noon + .seconds(seconds)
        let (before, after) = (
            browsers.mark(of: alice, in: cookie, at: noon), browsers.mark(of: ended, in: cookie, at: noon)
        )
        #expect(before?.isSinceLastEnd == true && before?.isOfTwoFactors == true)
        #expect(after?.isSinceLastEnd == false && after?.isOfTwoFactors == false)
        #expect(before?.name == after?.name, "its guesses are counted on")
        let next = browsers.cookie(knowing: ended, isOfTwoFactors: true, besides: cookie, at: noon)
        #expect(browsers.mark(of: ended, in: next, at: noon)?.isOfTwoFactors == true)
    }

    @Test func `attack: no second code of another sign-in makes a mark one of two factors`() throws {
        var ended = alice
        ended.lastEnd = noon + .seconds(60)
        let old = try #require(Base64URL.decode(cookie(isOfTwoFactors: true).expose()))
        let new = try #require(
            Base64URL.decode(
                browsers.cookie(knowing: ended, isOfTwoFactors: false, besides: nil, at: noon).expose()))
        let mixed = Secret(Base64URL.encode(Array(old.prefix(73)) + Array(new.suffix(16))))
        #expect(browsers.mark(of: ended, in: mixed, at: noon)?.isOfTwoFactors == false)
    }

    @Test func `attack: a mark from before another second factor is a stranger's, and a used code changes nothing`() {
        var (before, after) = (alice, alice)
        before.secondFactor = SecondFactor(sealedSecret: "sealed", lastStep: 1)
        let cookie = browsers.cookie(knowing: before, isOfTwoFactors: true, besides: nil, at: noon)
        after.secondFactor = SecondFactor(sealedSecret: "sealed", lastStep: 2)
        #expect(browsers.mark(of: after, in: cookie, at: noon)?.isOfTwoFactors == true)
        after.secondFactor = SecondFactor(sealedSecret: "another", lastStep: 2)
        #expect(browsers.mark(of: after, in: cookie, at: noon) == nil)
    }

    @Test func `who changes the password or the factor in a known browser stays known there, and in no stranger's`() {
        var changed = alice
        changed.passwordChangedAt = noon + .seconds(1)
        changed.secondFactor = SecondFactor(sealedSecret: "sealed")
        func kept(from cookie: Secret<String>?, showsFactor: Bool = false) -> KnownBrowsers.Mark? {
            browsers.cookie(knowing: changed, knownBefore: alice, showsFactor: showsFactor, in: cookie, at: noon)
                .flatMap { browsers.mark(of: changed, in: $0, at: noon) }
        }
        #expect(kept(from: nil) == nil)
        #expect(kept(from: cookie())?.isOfTwoFactors == false)
        #expect(kept(from: cookie(), showsFactor: true)?.isOfTwoFactors == true)
        // What was shown before was not this factor, or an end may have come since.
        #expect(kept(from: cookie(isOfTwoFactors: true))?.isOfTwoFactors == false)
        changed.secondFactor = alice.secondFactor
        #expect(kept(from: cookie(isOfTwoFactors: true))?.isOfTwoFactors == false)
    }

    @Test func `marks from before an account's changes push nobody else out of a family's computer`() {
        var cookie = browsers.cookie(knowing: account("bob"), isOfTwoFactors: false, besides: nil, at: noon)
        var changed = alice
        for number in 0..<6 {
            changed.passwordChangedAt = noon + .seconds(number)
            cookie = browsers.cookie(knowing: changed, isOfTwoFactors: false, besides: cookie, at: noon)
        }
        #expect(browsers.mark(of: account("bob"), in: cookie, at: noon) != nil)
        #expect(cookie.expose().split(separator: ".").count == 2)
    }

    @Test func `a cookie of the version before makes a stranger, and is replaced by the next sign-in`() {
        let earlier = Secret(Base64URL.encode([UInt8](repeating: 1, count: 56)))
        #expect(browsers.mark(of: alice, in: earlier, at: noon) == nil)
        let next = cookie(besides: earlier)
        #expect(browsers.mark(of: alice, in: next, at: noon) != nil)
        #expect(next.expose().split(separator: ".").count == 1)
    }

    @Test func `no byte of the cookie can be changed, and none made without the key`() throws {
        let cookie = cookie(isOfTwoFactors: true).expose()
        let bytes = try #require(Base64URL.decode(cookie))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            let mark = browsers.mark(of: alice, in: Secret(Base64URL.encode(changed)), at: noon)
            // The last sixteen say only whether all has ended since.
            #expect(index < 73 ? mark == nil : mark?.isOfTwoFactors == false)
        }
        for text in ["", ".", "...", cookie + "A", String(repeating: cookie + ".", count: 20)] {
            #expect(browsers.mark(of: alice, in: Secret(text), at: noon) == nil)
        }
        let other = KnownBrowsers(master: try #require(MasterKey([UInt8](repeating: 8, count: 32))))
        #expect(other.mark(of: alice, in: Secret(cookie), at: noon) == nil)
    }

    @Test func `the cookie says nothing of who signed in`() throws {
        let cookies = try (0..<2).map { _ in try #require(Base64URL.decode(cookie().expose())) }
        #expect(!cookies[0].contains(Array("alice".utf8)))
        // Nothing but the time is the same in two of them, so they do not say either that they are one user's.
        for part in [0..<16, 25..<41, 41..<73, 73..<89] { #expect(cookies[0][part] != cookies[1][part]) }
        #expect(cookies.map(\.count) == [89, 89])
    }
}

/// An account as its row may be.
private func account(_ subject: Subject) -> Account { Account(subject: subject, username: nil, createdAt: noon) }

/// One with the default limits, which nobody has taken from.
private func freshThrottle(_ service: Service, knowing browsers: KnownBrowsers) -> SignInThrottle {
    SignInThrottle(
        limiter: InProcessRateLimiter(clock: .parameter), limits: LimitSettings(),
        refusals: RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(capacity: 1)),
        knownBrowsers: browsers)
}

/// Whose browser is known when names change hands.
@Suite struct RenamedAccountTests {
    @Test func `a browser stays known to its user, and to nobody who is given the old name`() async throws {
        try await withService { service in
            let browsers = KnownBrowsers(master: try #require(MasterKey([UInt8](repeating: 7, count: 32))))
            let throttle = freshThrottle(service, knowing: browsers)
            var here = origin("203.0.113.7")
            here.recognition = browsers.cookie(
                knowing: account("alice"), isOfTwoFactors: false, besides: nil, at: noon)
            func isHeldBack(_ name: String, _ subject: Subject) async throws -> Bool {
                try await throttle.excess(
                    for: Username(name), of: account(subject), guessing: .password, origin: here, at: noon) != nil
            }
            // Strangers guess at both names until nobody unknown gets through.
            for name in ["alice", "alison"] {
                while try await throttle.count(
                    .password, of: Username(name), nil, origin: origin("198.51.100.9"), at: noon) == nil
                {}
            }
            #expect(try await !isHeldBack("alison", "alice"), "renamed, and still known here")
            #expect(try await isHeldBack("alice", "somebody-new"), "whoever has the name now is a stranger here")
        }
    }
}

/// Lets everything pass, and is away when something is to be given back.
private struct KeepingLimiter: RateLimiter {
    func take(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision { .allowed }
    func peek(_ keys: [RateLimitKey], at now: Timestamp) -> RateLimitDecision { .allowed }
    func giveBack(_ keys: [RateLimitKey], at now: Timestamp) throws { throw StorageError.unavailable("away") }
}

/// The absolute caps of a day, and the wider networks of IPv6 (contract §12).
@Suite struct SignInThrottleTests {
    @Test func `guesses of neighbours under way hold nobody back, and wrong ones do`() async throws {
        try await withService { service in
            let throttle = SignInThrottle(
                limiter: InProcessRateLimiter(clock: .parameter), limits: LimitSettings(),
                refusals: RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(capacity: 1)),
                knownBrowsers: try .sample())
            /// A neighbour's code, looked at once those of all after them have come.
            func code(of number: Int, upTo last: Int) async throws -> [SignInThrottle.CodeVerdict] {
                let user = Account(
                    subject: Subject(rawValue: "sub-\(number)"), username: Username("user\(number)"), createdAt: noon)
                var later: [SignInThrottle.CodeVerdict] = []
                let own = try await throttle.code(of: user, origin: origin(), at: noon) {
                    if number < last { later = try await code(of: number + 1, upTo: last) }
                    return number >= 5
                }
                return [own] + later
            }
            let verdicts = try await code(of: 0, upTo: 8)
            let expected: [SignInThrottle.CodeVerdict] = [
                .wrong, .wrong, .wrong, .wrong, .wrong, .right, .right, .right, .right,
            ]
            #expect(verdicts == expected)
            guard case .limited = try await code(of: 10, upTo: 10).first else {
                Issue.record("five wrong codes of a network left more")
                return
            }
        }
    }

    @Test func `a code that nobody could look at, and a right one, count towards nothing`() async throws {
        try await withService { service in
            let throttle = SignInThrottle(
                limiter: InProcessRateLimiter(clock: .parameter), limits: LimitSettings(),
                refusals: RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(capacity: 1)),
                knownBrowsers: try .sample())
            let user = Account(subject: "alice", username: Username("alice"), createdAt: noon)
            for _ in 0..<20 {
                await #expect(throws: StorageError.self) {
                    try await throttle.code(of: user, origin: origin(), at: noon) {
                        throw StorageError.unavailable("away")
                    }
                }
                let verdict = try await throttle.code(of: user, origin: origin(), at: noon) { true }
                #expect(verdict == .right)
            }
        }
    }

    @Test func `a right code is right where its count cannot be given back`() async throws {
        try await withService { service in
            let throttle = SignInThrottle(
                limiter: KeepingLimiter(), limits: LimitSettings(),
                refusals: RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(capacity: 1)),
                knownBrowsers: try .sample())
            let user = Account(subject: "alice", username: Username("alice"), createdAt: noon)
            let verdict = try await throttle.code(of: user, origin: origin(), at: noon) { true }
            #expect(verdict == .right)
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
                refusals: RefusalLog(audit: service.storage, limiter: InProcessRateLimiter(capacity: 1)),
                knownBrowsers: try .sample())
            for (number, second) in stride(from: 0, to: seconds, by: interval).enumerated() {
                let now = noon + .seconds(second)
                let origin = origin(address(number))
                let excess = try await throttle.excess(
                    for: Username("alice"), of: nil, guessing: guess, origin: origin, at: now)
                guard excess == nil else { continue }
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

    @Test(arguments: [(.code, 90), (.password, 300)] as [(SignInThrottle.Guess, Int)])
    func `attack: hoarded marks of one account have three browsers' guesses of a day together`(
        guess: SignInThrottle.Guess, most: Int
    ) async throws {
        try await withService { service in
            let browsers = KnownBrowsers(master: try #require(MasterKey([UInt8](repeating: 7, count: 32))))
            let throttle = freshThrottle(service, knowing: browsers)
            let alice = account("alice")
            let marks = (0..<100).map { _ in
                browsers.cookie(knowing: alice, isOfTwoFactors: false, besides: nil, at: noon)
            }
            var passed = 0
            for second in stride(from: 0, to: 86_400, by: 30) {
                var here = origin()
                here.recognition = marks[second / 30 % marks.count]
                let now = noon + .seconds(second)
                if try await throttle.count(guess, of: Username("alice"), alice, origin: here, at: now) == nil {
                    passed += 1
                }
            }
            #expect((most - 10...most).contains(passed))
            let excess = try await throttle.excess(
                for: Username("alice"), of: alice, guessing: guess, origin: origin(), at: noon + .seconds(86_400))
            #expect(excess == nil, "a stranger's browser, such as a new one of the owner's, has its own number")
        }
    }

    @Test func `attack: whoever uses up the guesses of all known browsers keeps no passkey out of them`() async throws {
        try await withService { service in
            let browsers = KnownBrowsers(master: try #require(MasterKey([UInt8](repeating: 7, count: 32))))
            let throttle = freshThrottle(service, knowing: browsers)
            let alice = account("alice")
            func here() -> RequestOrigin {
                var origin = origin()
                origin.recognition = browsers.cookie(knowing: alice, isOfTwoFactors: true, besides: nil, at: noon)
                return origin
            }
            for _ in 0..<60 {
                let stolen = here()
                for _ in 0..<5 { _ = try await throttle.count(.password, of: nil, alice, origin: stolen, at: noon) }
            }
            let owners = here()
            let excess = try await throttle.excess(
                for: nil, of: alice, guessing: .password, origin: owners, at: noon)
            #expect(excess != nil)
            #expect(try await throttle.wait(forPasskeyOf: alice, origin: owners, at: noon) == nil)
            // What is no answer of a passkey is counted for the browser that sends it.
            for _ in 0..<5 { _ = try await throttle.count(.passkey, of: nil, alice, origin: owners, at: noon) }
            #expect(try await throttle.wait(forPasskeyOf: alice, origin: owners, at: noon) != nil)
        }
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
