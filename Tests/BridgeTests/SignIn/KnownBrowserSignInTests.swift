import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// In which browsers a user is known after changes to the account, and what those are worth (ADR-0016).
@Suite struct KnownBrowserSignInTests {
    private static let secret = Array("12345678901234567890".utf8)
    private static let new = Secret("plum duff at noon")

    private func withDesk(_ body: (SignInDesk) async throws -> Void) async throws {
        try await withService { service in
            let desk = try SignInDesk(service)
            try await desk.add("alice")
            try await body(desk)
        }
    }

    private func account(_ desk: SignInDesk) async throws -> Account {
        try #require(try await desk.service.storage.account(of: "sub-alice"))
    }

    private func knownBrowsers() throws -> KnownBrowsers {
        KnownBrowsers(master: try #require(MasterKey([UInt8](repeating: 7, count: 32))))
    }

    private func throttle(_ desk: SignInDesk, _ refusals: RefusalLog) throws -> SignInThrottle {
        SignInThrottle(
            limiter: InProcessRateLimiter(clock: .parameter), limits: LimitSettings(), refusals: refusals,
            knownBrowsers: try knownBrowsers())
    }

    private func refusals(_ desk: SignInDesk) -> RefusalLog {
        RefusalLog(audit: desk.service.storage, limiter: InProcessRateLimiter(clock: .parameter))
    }

    private func passwordChange(_ desk: SignInDesk) throws -> PasswordChange {
        let service = desk.service
        let refusals = refusals(desk)
        return PasswordChange(
            storage: service.storage, hasher: PasswordHasher(cost: SignInDesk.cost),
            throttle: try throttle(desk, refusals), opener: desk.signIn.opener, endings: service.endings,
            refusals: refusals, keys: service.keys, clients: service.clients, time: service.clock.source)
    }

    /// Strangers guess at the account until nobody unknown gets through.
    private func guess(_ desk: SignInDesk) async throws {
        for number in 0..<5 {
            _ = try await desk.attempt("alice", Secret("wrong"), from: "198.51.\(number).1")
        }
    }

    /// What shuts out whoever was signed in before. The first two make a stranger of their browser as well.
    enum Change: String, CaseIterable, Sendable {
        case password = "a new password"
        case secondFactor = "a second factor"
        case everything = "an end of everything"
        case everythingElse = "an end of everything but one browser"
    }

    /// - Returns: the password that is right from then on.
    private func make(_ change: Change, _ desk: SignInDesk) async throws -> Secret<String> {
        desk.service.clock.advance(.seconds(1))
        let now = desk.service.clock.now
        switch change {
        case .password:
            let hash = try PasswordHash(Self.new, cost: SignInDesk.cost, random: .system)
            try await desk.service.storage.change(
                "sub-alice", UserChange(passwordHash: hash), ending: .sample(at: now))
            return Self.new
        case .secondFactor:
            let isAdded = try await desk.service.storage.addSecondFactor(
                SecondFactor(sealedSecret: try desk.secrets.seal(Self.secret, for: "sub-alice")),
                recoveryDigests: [], of: "sub-alice", in: nil,
                event: AuditEvent(at: now, type: .userSecondFactorChanged, outcome: .success))
            #expect(isAdded)
        case .everything:
            _ = try await desk.service.endings.end(
                .user("sub-alice"), Ending(at: now, reason: .administrator, origin: nil))
        case .everythingElse:
            _ = try await desk.service.endings.end(
                .unused(of: "sub-alice"), Ending(at: now, reason: .endedByUser, origin: nil))
        }
        return SignInDesk.password
    }

    @Test(arguments: [Change.password, .secondFactor])
    func `attack: a mark from before a new password or a second factor is a stranger's`(change: Change) async throws {
        try await withDesk { desk in
            let recognition = try #require(try await desk.attempt("alice").opened?.recognition)
            let password = try await make(change, desk)
            try await guess(desk)
            let outcome = try await desk.attempt("alice", password, knownBy: recognition)
            #expect(outcome.word == "limited")
        }
    }

    @Test(arguments: Change.allCases)
    func `after such a change a browser is known again with the next sign-in`(change: Change) async throws {
        try await withDesk { desk in
            let before = try #require(try await desk.attempt("alice").opened?.recognition)
            let password = try await make(change, desk)
            var outcome = try await desk.attempt("alice", password, knownBy: before)
            if let pending = outcome.pending {
                let code = OneTimeCode.code(secret: Self.secret, step: OneTimeCode.step(at: desk.service.clock.now))
                outcome = try await desk.signIn.confirm(
                    pending: pending, code: code, browser: desk.browser, replacing: nil, origin: origin())
            }
            let recognition = try #require(outcome.opened?.recognition)
            let alice = try await account(desk)
            let mark = try knownBrowsers().mark(of: alice, in: recognition, at: noon)
            #expect(mark?.isOfTwoFactors == (change == .secondFactor))
            try await guess(desk)
            let next = try await desk.attempt("alice", password, knownBy: recognition)
            #expect(["signed in", "needs code"].contains(next.word))
        }
    }

    @Test(arguments: [Change.everything, .everythingElse])
    func `an end of everything makes no stranger of a browser, and it is known by two factors no more`(
        change: Change
    ) async throws {
        try await withDesk { desk in
            _ = try await make(.secondFactor, desk)
            let before = try await account(desk)
            let recognition = try knownBrowsers().cookie(
                knowing: before, isOfTwoFactors: true, besides: nil, at: noon)
            _ = try await make(change, desk)
            try await guess(desk)
            let next = try await desk.attempt("alice", knownBy: recognition)
            #expect(next.word == "needs code")
            let after = try await account(desk)
            let mark = try knownBrowsers().mark(of: after, in: recognition, at: noon)
            #expect(mark?.isSinceLastEnd == false && mark?.isOfTwoFactors == false)
        }
    }

    private func places(_ service: Service) -> SignedInPlaces {
        SignedInPlaces(
            devices: service.storage, apps: service.storage, webs: service.storage, audit: service.storage,
            endings: service.endings,
            gate: LimitGate(InProcessRateLimiter(clock: .parameter), refusals: service.refusals),
            time: service.clock.source)
    }

    @Test func `attack: a session that ends everything else in a loop leaves room for a sign-in of two steps`()
        async throws
    {
        try await withDesk { desk in
            let places = places(desk.service)
            let thief = try #require(try await desk.attempt("alice").opened).session
            _ = try await make(.secondFactor, desk)
            func end() async throws -> String {
                try await refusal { try await places.endOthers(in: thief, origin: origin()) }
            }
            for _ in 0..<3 {
                let ended = try await end()
                #expect(ended == "accepted")
            }
            let pending = try #require(try await desk.attempt("alice").pending)
            let fourth = try await end()
            #expect(fourth == "rate_limited end_others.session")
            let code = OneTimeCode.code(secret: Self.secret, step: OneTimeCode.step(at: desk.service.clock.now))
            let owner = try await desk.signIn.confirm(
                pending: pending, code: code, browser: desk.browser, replacing: nil, origin: origin())
            #expect(owner.word == "signed in")
        }
    }

    @Test func `attack: a weaker session that ends everything else does not keep the owner out`() async throws {
        try await withDesk { desk in
            let service = desk.service
            let thief = try #require(try await desk.attempt("alice").opened).session
            _ = try await make(.secondFactor, desk)
            let pending = try #require(try await desk.attempt("alice").pending)
            let code = OneTimeCode.code(secret: Self.secret, step: OneTimeCode.step(at: service.clock.now))
            let owner = try await desk.signIn.confirm(
                pending: pending, code: code, browser: desk.browser, replacing: nil,
                origin: origin())
            let recognition = try #require(owner.opened?.recognition)
            let mayEnd = try await places(service).endOthers(in: thief, origin: origin())
            #expect(mayEnd)
            try await guess(desk)
            let next = try await desk.attempt("alice", knownBy: recognition)
            #expect(next.word == "needs code")
            let stranger = try await desk.attempt("alice")
            #expect(stranger.word == "limited")
        }
    }

    @Test func `attack: the marks of many sign-ins have one number of guesses together`() async throws {
        try await withDesk { desk in
            var marks: [Secret<String>] = []
            for _ in 0..<35 {
                let mark = try #require(try await desk.attempt("alice").opened?.recognition)
                marks.append(mark)
            }
            var words: [String] = []
            for mark in marks {
                for _ in 0..<5 { words.append(try await desk.attempt("alice", Secret("wrong"), knownBy: mark).word) }
            }
            // Half of three browsers' day at once.
            #expect(words.count { $0 == "refused" } == 150)
            #expect(words.suffix(25).allSatisfy { $0 == "limited" })
        }
    }

    @Test func `whoever changes the password stays known in that browser, and in no other`() async throws {
        try await withDesk { desk in
            let opened = try #require(try await desk.attempt("alice").opened)
            let elsewhere = try #require(try await desk.attempt("alice").opened?.recognition)
            let change = try passwordChange(desk)
            desk.service.clock.advance(.seconds(1))
            var here = origin()
            here.recognition = opened.recognition
            let outcome = try await change.change(
                from: SignInDesk.password, to: Self.new, in: opened.session, origin: here)
            guard case .changed(let changed) = outcome else { Issue.record("\(outcome)"); return }
            try await guess(desk)
            let recognition = try #require(changed.recognition)
            let known = try await desk.attempt("alice", Self.new, knownBy: recognition)
            #expect(known.word == "signed in")
            let other = try await desk.attempt("alice", Self.new, knownBy: elsewhere)
            #expect(other.word == "limited")
        }
    }

    @Test func `whoever sets a password by a link stays known in that browser, and in no other`() async throws {
        try await withDesk { desk in
            let mark = try #require(try await desk.attempt("alice").opened?.recognition)
            let elsewhere = try #require(try await desk.attempt("alice").opened?.recognition)
            let change = try passwordChange(desk)
            let action = AdminAction(
                actor: .login("root"), reason: "forgotten", origin: nil, at: desk.service.clock.now)
            let link = try #require(try await change.invite("sub-alice", action: action))
            var here = origin()
            here.recognition = mark
            let outcome = try await change.setUp(Self.new, invitedBy: link, origin: here)
            guard case .isSet(_, let kept) = outcome else { Issue.record("\(outcome)"); return }
            let recognition = try #require(kept)
            try await guess(desk)
            let known = try await desk.attempt("alice", Self.new, knownBy: recognition)
            #expect(known.word == "signed in")
            let other = try await desk.attempt("alice", Self.new, knownBy: elsewhere)
            #expect(other.word == "limited")
        }
    }

    @Test func `a link makes no browser known that was not`() async throws {
        try await withDesk { desk in
            let change = try passwordChange(desk)
            let action = AdminAction(
                actor: .login("root"), reason: "forgotten", origin: nil, at: desk.service.clock.now)
            let link = try #require(try await change.invite("sub-alice", action: action))
            let outcome = try await change.setUp(Self.new, invitedBy: link, origin: origin())
            guard case .isSet(_, let recognition) = outcome else { Issue.record("\(outcome)"); return }
            let isKnown = recognition != nil
            #expect(!isKnown)
        }
    }

    @Test func `whoever sets up a second factor stays known in that browser, by both factors`() async throws {
        try await withDesk { desk in
            let opened = try #require(try await desk.attempt("alice").opened)
            let refusals = refusals(desk)
            let enrolment = SecondFactorEnrolment(
                accounts: desk.service.storage, secrets: desk.secrets,
                codes: SecondFactorCheck(accounts: desk.service.storage, secrets: desk.secrets),
                throttle: try throttle(desk, refusals), refusals: refusals, keys: desk.service.keys,
                time: desk.service.clock.source)
            var here = origin()
            here.recognition = opened.recognition
            let draft = try enrolment.draft(in: opened.session)
            let code = OneTimeCode.code(secret: draft.secret.expose(), step: OneTimeCode.step(at: noon))
            let outcome = try await enrolment.enrol(draft.sealed, code: code, session: opened.session, origin: here)
            guard case .enrolled(let codes, let recognition) = outcome else { Issue.record("\(outcome)"); return }
            let alice = try await account(desk)
            let mark = try knownBrowsers().mark(of: alice, in: recognition, at: noon)
            #expect(mark?.isOfTwoFactors == true)
            here.recognition = recognition
            let removal = try await enrolment.remove(
                code: codes[0].text.expose(), session: opened.session, origin: here)
            guard case .removed(let next) = removal else { Issue.record("\(removal)"); return }
            let changed = try await account(desk)
            let left = try knownBrowsers().mark(of: changed, in: next, at: noon)
            #expect(left?.isOfTwoFactors == false)
        }
    }

    @Test(arguments: [false, true])
    func `attack: an answer from another device waits for the code in a browser known by the password alone`(
        isOfTwoFactors: Bool
    ) async throws {
        try await withService { service in
            let desk = try SelfIssuedDesk(service)
            let sealed = try desk.accounts.secrets.seal(Self.secret, for: "sub-alice")
            try await desk.linked(factor: SecondFactor(sealedSecret: sealed))
            let alice = try await account(desk.accounts)
            var here = origin()
            here.recognition = try knownBrowsers().cookie(
                knowing: alice, isOfTwoFactors: isOfTwoFactors, besides: nil, at: noon)
            let beginning = try await desk.begin()
            try await desk.phone.receive(try desk.answer(beginning), origin: origin())
            let found = try await desk.phone.look(beginning.state, browser: desk.browser, origin: here).standing
            guard case .answered(_, let needsCode) = found else { Issue.record("\(found)"); return }
            #expect(needsCode == !isOfTwoFactors)
            let outcome = try await desk.phone.pickUp(
                beginning.state, code: nil, browser: desk.browser, current: nil, origin: here)
            switch outcome {
            case .done: #expect(isOfTwoFactors)
            case .wrongCode: #expect(!isOfTwoFactors)
            default: Issue.record("\(outcome)")
            }
        }
    }

    @Test(arguments: [Change.secondFactor, .everythingElse])
    func `a phone says of no browser from before a second factor, or an end, that its user knows it`(
        change: Change
    ) async throws {
        try await withDesk { desk in
            let phones = try PhoneDesk(desk.service)
            let phone = try await phones.phone(of: "sub-alice")
            let recognition = try #require(try await desk.attempt("alice").opened?.recognition)
            func isKnown() async throws -> Bool {
                var here = origin()
                here.recognition = recognition
                guard case .started(let page) = try await phones.node().begin(replacing: nil, origin: here) else {
                    throw StorageError.unavailable("no page")
                }
                return try await phones.scan(page, phone).isKnownBrowser
            }
            #expect(try await isKnown())
            _ = try await make(change, desk)
            #expect(try await !isKnown())
        }
    }
}
