import BridgeTestSupport
import OAuth2
import StorageConformance
import Testing

@testable import Bridge

@Suite struct SignInTests {
    private func withDesk(_ body: (SignInDesk) async throws -> Void) async throws {
        try await withService { try await body(SignInDesk($0)) }
    }

    @Test func `the right password opens a session and is recorded with it`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            let opened = try #require(try await desk.attempt("ALICE").opened)
            #expect(opened.session.subject == "sub-alice")
            #expect(opened.session.opening == .authorize)
            #expect(opened.session.authentication == Authentication(time: noon, acr: "aal1", amr: ["pwd"]))
            let found = try await desk.service.sessions.lookUp(opened.secret)
            #expect(found?.id == opened.session.id)
            let events = try await desk.service.storage.search(
                AuditFilter(type: .userSignedIn), before: nil, limit: 10)
            #expect(events.records.map(\.event.sessionID) == [opened.session.id])
            #expect(try await desk.service.events().contains("web_session.opened authorize"))
        }
    }

    @Test func `unknown users and wrong passwords get one answer, and each its own reason in the log`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            try await expectWord("refused", of: desk.attempt("alice", Secret("wrong horse")))
            try await expectWord("refused", of: desk.attempt("nobody"))
            let reasons = try await desk.failures()
            #expect(Set(reasons) == ["unknown_user", "wrong_password"])
        }
    }

    @Test func `a disabled user is refused with the right password`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            try await desk.service.storage.change("sub-alice", UserChange(isDisabled: true), ending: .sample(at: noon))
            try await expectWord("refused", of: desk.attempt("alice"))
            #expect(try await desk.failures() == ["user_disabled"])
        }
    }

    @Test func `a password that was replaced after it was checked opens nothing`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            let checked = try #require(try await desk.service.storage.account(of: "sub-alice"))
            let new = try PasswordHash(Secret("battery staple"), cost: SignInDesk.cost, random: .system)
            try await desk.service.storage.change(
                "sub-alice", UserChange(passwordHash: new), ending: .sample(at: noon + .milliseconds(1)))
            let outcome = try await desk.signIn.open(
                checked, Authentication(time: noon, acr: "aal1", amr: ["pwd"]), replacing: nil, origin: origin(),
                at: noon)
            expectWord("stale", of: outcome)
            #expect(try await desk.failures() == ["stale"])
        }
    }

    @Test func `the session of before ends and its id is never kept`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            try await desk.add("bob")
            let first = try #require(try await desk.attempt("alice").opened)
            let second = try #require(try await desk.attempt("bob", replacing: first.session).opened)
            #expect(second.session.id != first.session.id)
            #expect(second.secret.digest != first.secret.digest)
            let before = try await desk.service.sessions.lookUp(first.secret)
            #expect(before == nil)
        }
    }

    @Test func `after five failures the right password waits too, from anywhere`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            for number in 0..<5 {
                let outcome = try await desk.attempt("alice", Secret("wrong"), from: "198.51.\(number).1")
                #expect(outcome.word == "refused")
            }
            try await expectWord("limited", of: desk.attempt("alice", from: "192.0.2.9"))
            desk.service.clock.advance(.seconds(13))
            try await expectWord("signed in", of: desk.attempt("alice", from: "192.0.2.9"))
        }
    }

    @Test func `a network that fails over many names is held back`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            for number in 0..<5 {
                let outcome = try await desk.attempt("nobody\(number)")
                #expect(outcome.word == "refused")
            }
            try await expectWord("limited", of: desk.attempt("alice"))
            try await expectWord("signed in", of: desk.attempt("alice", from: "192.0.2.9"))
        }
    }

    @Test func `one account signs in 120 times a minute by its right password, from wherever`() async throws {
        try await withDesk { desk in
            for name in ["alice", "bob"] { try await desk.add(name) }
            for number in 0..<120 {
                try await expectWord("signed in", of: desk.attempt("alice", from: "198.51.\(number).1"))
            }
            try await expectWord("limited", of: desk.attempt("alice", from: "192.0.2.9"))
            try await expectWord("signed in", of: desk.attempt("bob", from: "192.0.2.9"))
            let events = try await desk.service.events()
            #expect(events.contains("rate_limit.exceeded sign_in.right_password"))
            desk.service.clock.advance(.seconds(2))
            try await expectWord("signed in", of: desk.attempt("alice", from: "192.0.2.9"))
        }
    }

    @Test func `right passwords at once open no more sessions than right ones in a row`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            for _ in 0..<90 { try await expectWord("signed in", of: desk.attempt("alice")) }
            let words = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<40 { group.addTask { try await desk.attempt("alice").word } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(words.count { $0 == "signed in" } == 30)
            #expect(words.count { $0 == "limited" } == 10)
        }
    }

    @Test func `whoever signs in too often takes no place among those who wait for their turn`() async throws {
        try await withService { service in
            let hasher = PasswordHasher(cost: SignInDesk.cost, width: 1, maximumWaiting: 0)
            let desk = try SignInDesk(service, hasher: hasher)
            try await desk.add("alice")
            for _ in 0..<120 { try await expectWord("signed in", of: desk.attempt("alice")) }
            // While somebody else has the only turn.
            let outcome = try await hasher.turn { try await desk.attempt("alice") }
            expectWord("limited", of: outcome)
        }
    }

    @Test func `wrong passwords of a stranger use up nothing of the right ones`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            try await guess(desk, "alice", times: 4)
            for _ in 0..<30 { try await expectWord("signed in", of: desk.attempt("alice")) }
        }
    }

    private func guess(_ desk: SignInDesk, _ name: String, times: Int) async throws {
        for number in 0..<times { _ = try await desk.attempt(name, Secret("wrong"), from: "198.51.\(number).1") }
    }

    @Test func `strangers who guess do not keep out a browser that signed in before`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            let recognition = try #require(try await desk.attempt("alice").opened?.recognition)
            try await guess(desk, "alice", times: 6)
            try await expectWord("limited", of: desk.attempt("alice"))
            let outcome = try await desk.attempt("Alice", knownBy: recognition)
            #expect(outcome.word == "signed in")
        }
    }

    @Test func `a browser is known for its own account only`() async throws {
        try await withDesk { desk in
            for name in ["alice", "bob"] { try await desk.add(name) }
            let recognition = try #require(try await desk.attempt("bob").opened?.recognition)
            try await guess(desk, "alice", times: 6)
            try await expectWord("limited", of: desk.attempt("alice", knownBy: recognition))
        }
    }

    @Test func `a known browser that guesses holds back itself and nobody else`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            let recognition = try #require(try await desk.attempt("alice").opened?.recognition)
            for _ in 0..<5 {
                try await expectWord("refused", of: desk.attempt("alice", Secret("wrong"), knownBy: recognition))
            }
            try await expectWord("limited", of: desk.attempt("alice", knownBy: recognition))
            try await expectWord("signed in", of: desk.attempt("alice"))
        }
    }

    @Test func `attempts at once get no more guesses than attempts in a row`() async throws {
        try await withDesk { desk in
            try await desk.add("alice")
            let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<40 { group.addTask { try await desk.attempt("alice", Secret("wrong")).word } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            // As many more as are computed at once.
            #expect(outcomes.count { $0 == "refused" } <= 5)
            let failures = try await desk.failures()
            #expect(failures.count <= 7)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `commits that hang keep nobody else's password or code from being judged`() async throws {
        try await withService { service in
            let sessions = HangingSessions(storage: service.storage)
            let desk = try SignInDesk(service, openingIn: sessions)
            for name in ["alice", "bob", "carol"] { try await desk.add(name) }
            try await desk.add(
                "dave", factor: SecondFactor(sealedSecret: try desk.secrets.seal(Self.secret, for: "sub-dave")))
            async let first = desk.attempt("alice")
            async let second = desk.attempt("bob")
            defer { sessions.letGo() }
            // As many as are hashed at once.
            await sessions.waitForHanging(2)
            try await expectWord("refused", of: desk.attempt("carol", Secret("wrong"), from: "192.0.2.9"))
            let pending = try #require(try await desk.attempt("dave", from: "192.0.2.9").pending)
            try await expectWord("refused", of: confirm(desk, pending, "000000"))
            sessions.letGo()
            try await expectWord("signed in", of: first)
            try await expectWord("signed in", of: second)
        }
    }

    @Test func `a hash of another cost is renewed at the next sign-in`() async throws {
        try await withDesk { desk in
            let old = try #require(PasswordCost(logarithm: 11, blockSize: 1, parallelism: 1))
            try await desk.add("alice", cost: old)
            try await expectWord("signed in", of: desk.attempt("alice"))
            let account = try await desk.service.storage.account(of: "sub-alice")
            #expect(account?.passwordHash?.cost == SignInDesk.cost)
            try await expectWord("signed in", of: desk.attempt("alice"))
        }
    }

    // MARK: Second factor

    private static let secret = Array("12345678901234567890".utf8)

    private func withFactor(_ body: (SignInDesk, _ pending: String) async throws -> Void) async throws {
        try await withDesk { desk in
            let sealed = try desk.secrets.seal(Self.secret, for: "sub-alice")
            try await desk.add("alice", factor: SecondFactor(sealedSecret: sealed))
            try await body(desk, try #require(try await desk.attempt("alice").pending))
        }
    }

    private func confirm(
        _ desk: SignInDesk, _ pending: String, _ code: String, browser: OpaqueSecret? = nil
    ) async throws -> SignInOutcome {
        try await desk.signIn.confirm(
            pending: pending, code: code, browser: browser ?? desk.browser, replacing: nil, origin: origin())
    }

    private func expectWord(
        _ word: String, of outcome: SignInOutcome, at location: SourceLocation = #_sourceLocation
    ) {
        #expect(outcome.word == word, sourceLocation: location)
    }

    private var code: String { OneTimeCode.code(secret: Self.secret, step: OneTimeCode.step(at: noon)) }

    @Test func `password and code open a session of two factors`() async throws {
        try await withFactor { desk, pending in
            let opened = try #require(try await confirm(desk, pending, code).opened)
            #expect(opened.session.authentication.acr == "aal2")
            #expect(opened.session.authentication.amr == ["pwd", "otp", "mfa"])
        }
    }

    @Test func `a code works once`() async throws {
        try await withFactor { desk, pending in
            try await expectWord("signed in", of: confirm(desk, pending, code))
            try await expectWord("refused", of: confirm(desk, pending, code))
        }
    }

    @Test func `a recovery code works once`() async throws {
        try await withFactor { desk, pending in
            let recovery = RecoveryCode(random: .system).text.expose()
            let factor = try #require(try await desk.service.storage.account(of: "sub-alice")?.secondFactor)
            _ = try await desk.service.storage.replaceSecondFactor(
                factor, recoveryDigests: [try #require(RecoveryCode.digest(ofTyped: recovery))], of: "sub-alice",
                event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            try await expectWord("signed in", of: confirm(desk, pending, recovery))
            try await expectWord("refused", of: confirm(desk, pending, recovery))
            let used = try await desk.service.secondFactorChanges().last
            #expect(used?.detail == SecondFactorEnrolmentTests.usedUp(left: 0) && used?.address == "203.0.113.7")
        }
    }

    @Test func `the second step belongs to the browser of the first, and for five minutes`() async throws {
        try await withFactor { desk, pending in
            let other = OpaqueSecret.make(.formBinding, random: .system)
            try await expectWord("stale", of: confirm(desk, pending, code, browser: other))
            desk.service.clock.advance(.seconds(301))
            let late = OneTimeCode.code(secret: Self.secret, step: OneTimeCode.step(at: desk.service.clock.now))
            try await expectWord("stale", of: confirm(desk, pending, late))
            #expect(try await desk.failures() == ["stale", "stale"])
        }
    }

    @Test func `a sign-in that waits for its code ends with the password that began it`() async throws {
        try await withFactor { desk, pending in
            desk.service.clock.advance(.seconds(1))
            let hash = try PasswordHash(Secret("another horse"), cost: SignInDesk.cost, random: .system)
            try await desk.service.storage.change(
                "sub-alice", UserChange(passwordHash: hash), ending: .sample(at: desk.service.clock.now))
            try await expectWord("stale", of: confirm(desk, pending, code))
            // The code was not looked at, so it is still good for the new password.
            let again = try #require(try await desk.attempt("alice", Secret("another horse")).pending)
            try await expectWord("signed in", of: confirm(desk, again, code))
        }
    }

    @Test func `a hash that is renewed is the same password to a sign-in that waits`() async throws {
        try await withFactor { desk, pending in
            let old = try #require(try await desk.service.storage.account(of: "sub-alice")?.passwordHash)
            let hash = try PasswordHash(SignInDesk.password, cost: SignInDesk.cost, random: .system)
            try await desk.service.storage.rehashPassword(from: old, to: hash, of: "sub-alice")
            try await expectWord("signed in", of: confirm(desk, pending, code))
        }
    }

    @Test func `codes cannot be tried without end`() async throws {
        try await withFactor { desk, pending in
            for _ in 0..<5 { try await expectWord("refused", of: confirm(desk, pending, "000000")) }
            try await expectWord("limited", of: confirm(desk, pending, code))
        }
    }

    @Test func `codes of a sign-in at once get no more guesses than codes in a row`() async throws {
        try await withFactor { desk, pending in
            let words = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<40 { group.addTask { try await confirm(desk, pending, "000000").word } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(words.count { $0 == "refused" } == 5)
            #expect(words.count { $0 == "limited" } == 35)
            #expect(try await desk.failures() == Array(repeating: "wrong_code", count: 5))
        }
    }

    @Test func `a code that nobody could look at is no guess`() async throws {
        try await withService { service in
            let users = OvertakenUsers(service.storage)
            let desk = try SignInDesk(service, claimingIn: users)
            let sealed = try desk.secrets.seal(Self.secret, for: "sub-alice")
            try await desk.add("alice", factor: SecondFactor(sealedSecret: sealed))
            let pending = try #require(try await desk.attempt("alice").pending)
            for _ in 0..<7 {
                users.beforeClaimingAStep { throw StorageError.unavailable("lost") }
                await #expect(throws: StorageError.self) { try await confirm(desk, pending, code) }
            }
        }
    }

    @Test func `a second factor of another master key takes recovery codes alone, and the log names its user`()
        async throws
    {
        try await withService { service in
            let desk = try SignInDesk(service)
            let former = SecondFactorSecrets(master: try #require(MasterKey([UInt8](repeating: 8, count: 32))))
            let factor = SecondFactor(sealedSecret: try former.seal(Self.secret, for: "sub-alice"))
            try await desk.add("alice")
            let recovery = RecoveryCode(random: .system)
            _ = try await service.storage.replaceSecondFactor(
                factor, recoveryDigests: [recovery.digest], of: "sub-alice",
                event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            let pending = try #require(try await desk.attempt("alice").pending)
            try await expectWord("refused", of: confirm(desk, pending, code))
            try await expectWord("signed in", of: confirm(desk, pending, recovery.text.expose()))
            let log = LogLines()
            let account = try #require(try await service.storage.account(of: "sub-alice"))
            let check = SecondFactorCheck(accounts: service.storage, secrets: desk.secrets, logger: log.logger)
            let attempt = CodeAttempt(code: code, session: nil, origin: origin(), at: noon)
            let isRight = try await check.accepts(attempt, for: account)
            #expect(!isRight)
            #expect(log.all.first?.hasPrefix("error: a second factor cannot be used ") == true)
            #expect(log.all.first?.hasSuffix(" sub=sub-alice") == true)
        }
    }

    @Test func `right codes count towards no limit`() async throws {
        try await withFactor { desk, pending in
            let factor = try #require(try await desk.service.storage.account(of: "sub-alice")?.secondFactor)
            let recovery = RecoveryCode.make(random: .system)
            _ = try await desk.service.storage.replaceSecondFactor(
                factor, recoveryDigests: recovery.map(\.digest), of: "sub-alice",
                event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            #expect(recovery.count > 5)
            for code in recovery {
                try await expectWord("signed in", of: confirm(desk, pending, code.text.expose()))
            }
            try await expectWord("signed in", of: confirm(desk, pending, code))
        }
    }
}
