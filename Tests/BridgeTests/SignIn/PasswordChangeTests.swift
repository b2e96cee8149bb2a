import OAuth2
import Testing

@testable import Bridge

@Suite struct PasswordChangeTests {
    private static let new = Secret("plum duff at noon")

    /// - Parameter sessions: where new sessions are opened; `nil` for the service's own database.
    private func makeChange(
        over service: Service, width: Int = 4, openingIn sessions: (any SessionStore)? = nil
    ) throws -> PasswordChange {
        let limiter = InProcessRateLimiter(clock: .parameter)
        let refusals = RefusalLog(audit: service.storage, limiter: limiter)
        return PasswordChange(
            storage: service.storage, hasher: PasswordHasher(cost: SignInDesk.cost, width: width),
            throttle: SignInThrottle(
                limiter: limiter, limits: LimitSettings(), refusals: refusals, knownBrowsers: try .sample()),
            opener: SessionOpener(
                sessions: service.sessions, store: sessions ?? service.storage, clients: service.clients),
            endings: service.endings, refusals: refusals, keys: service.keys, clients: service.clients,
            time: service.clock.source)
    }

    private func withChange(
        _ body: (PasswordChange, SignInDesk) async throws -> Void
    ) async throws {
        try await withService { service in
            let desk = try SignInDesk(service)
            try await desk.add("alice")
            try await body(makeChange(over: service), desk)
        }
    }

    private func session(_ desk: SignInDesk) async throws -> WebSession {
        try #require(try await desk.attempt("alice").opened).session
    }

    /// A session of the same user that a link handed over.
    private func handedOver(from own: WebSession) -> WebSession {
        WebSession(
            id: "handed", secretDigest: "d",
            lineage: .handedOver(
                to: own.subject, own.authentication, session: own.id, issuedFrom: .browser(own), at: noon,
                lifetime: .seconds(600)),
            clientID: "web", createdAt: noon, idleLifetime: .seconds(600), lastSeenAt: noon)
    }

    private func addSecondFactor(_ desk: SignInDesk) async throws {
        let isAdded = try await desk.service.storage.addSecondFactor(
            SecondFactor(sealedSecret: "sealed"), recoveryDigests: [], of: "sub-alice", in: nil,
            event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
        #expect(isAdded)
    }

    private func invite(_ change: PasswordChange, _ desk: SignInDesk) async throws -> Secret<String> {
        let action = AdminAction(
            actor: .login("root"), reason: "forgotten", origin: nil, at: desk.service.clock.source.now())
        return try #require(try await change.invite("sub-alice", action: action))
    }

    @Test func `a new password ends every other session and goes on in this browser`() async throws {
        try await withChange { change, desk in
            let elsewhere = try await session(desk)
            let here = try await session(desk)
            desk.service.clock.advance(.seconds(1))
            let outcome = try await change.change(
                from: SignInDesk.password, to: Self.new, in: here, origin: origin())
            let opened = try #require(outcome.opened)
            for id in [elsewhere.id, here.id] {
                #expect(try await desk.service.storage.session(id: id)?.endedAt != nil)
            }
            let ends = try await desk.service.storage.search(AuditFilter(type: .webSessionEnded), before: nil, limit: 5)
            let details = ends.records.map(\.event).filter { $0.reason == "password_changed" }.compactMap(\.detail)
            #expect(details == Array(repeating: #"{"by_sid":"\#(here.id.rawValue)"}"#, count: 2))
            #expect(opened.session.authentication == here.authentication)
            #expect(opened.session.isAlive(at: desk.service.clock.source.now()))
            #expect(try await desk.attempt("alice").word == "refused")
            #expect(try await desk.attempt("alice", Self.new).word == "signed in")
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a commit that hangs keeps nobody else's password from being judged`() async throws {
        try await withService { service in
            let sessions = HangingSessions(storage: service.storage)
            let change = try makeChange(over: service, width: 1, openingIn: sessions)
            let desk = try SignInDesk(service)
            for name in ["alice", "bob"] { try await desk.add(name) }
            let alice = try await session(desk)
            let bob = try #require(try await desk.attempt("bob").opened).session
            async let first = change.change(from: SignInDesk.password, to: Self.new, in: alice, origin: origin())
            defer { sessions.letGo() }
            await sessions.waitForHanging(1)
            let second = try await change.change(from: Secret("wrong"), to: Self.new, in: bob, origin: origin())
            #expect(second.word == "wrong")
            sessions.letGo()
            let outcome = try await first
            #expect(outcome.word == "changed")
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `an end of everything right after the new password leaves no session that goes on from it`() async throws {
        try await withService { service in
            let sessions = HangingSessions(storage: service.storage)
            let change = try makeChange(over: service, openingIn: sessions)
            let desk = try SignInDesk(service)
            try await desk.add("alice")
            let here = try await session(desk)
            async let changing = change.change(from: SignInDesk.password, to: Self.new, in: here, origin: origin())
            defer { sessions.letGo() }
            await sessions.waitForHanging(1)
            _ = try await service.endings.end(
                .user(here.subject), Ending(at: service.clock.now, reason: .administrator, origin: nil))
            sessions.letGo()
            let outcome = try await changing
            #expect(outcome.word == "stale")
        }
    }

    @Test func `whoever does not know the old password guesses five times a minute at most`() async throws {
        try await withChange { change, desk in
            let here = try await session(desk)
            for _ in 0..<5 {
                let outcome = try await change.change(from: Secret("wrong"), to: Self.new, in: here, origin: origin())
                #expect(outcome.word == "wrong")
            }
            let last = try await change.change(
                from: SignInDesk.password, to: Self.new, in: here, origin: origin())
            #expect(last.word == "limited")
            #expect(try await desk.failures() == Array(repeating: "wrong_password", count: 5))
        }
    }

    @Test(arguments: [
        ("short", "too_short"), ("Password1", "common"), ("QWERTYUIOP", "common"), ("correct horse", "same"),
    ])
    func `a bad new password is refused and says why`(_ text: String, _ flaw: String) async throws {
        try await withChange { change, desk in
            let outcome = try await change.change(
                from: SignInDesk.password, to: Secret(text), in: try await session(desk), origin: origin())
            #expect(outcome.word == flaw)
            #expect(try await desk.attempt("alice").word == "signed in")
        }
    }

    @Test func `a session that came over an edge changes no password`() async throws {
        try await withChange { change, desk in
            let handed = handedOver(from: try await session(desk))
            let outcome = try await change.change(
                from: SignInDesk.password, to: Self.new, in: handed, origin: origin())
            #expect(outcome.word == "stale")
        }
    }

    @Test func `an account with a second factor wants a session that has it`() async throws {
        try await withChange { change, desk in
            let here = try await session(desk)
            try await addSecondFactor(desk)
            let outcome = try await change.change(
                from: SignInDesk.password, to: Self.new, in: here, origin: origin())
            #expect(outcome.word == "stale")
        }
    }

    @Test func `a change that is refused is in the audit log with the session and why`() async throws {
        try await withChange { change, desk in
            let service = desk.service
            let ended = try await session(desk)
            let weak = try await session(desk)
            let handed = handedOver(from: weak)
            _ = try await service.endings.end(
                .webSession(ended.id), Ending(at: service.clock.now, reason: .administrator, origin: nil))
            for session in [handed, ended, weak] {
                if session.id == weak.id { try await addSecondFactor(desk) }
                let outcome = try await change.change(
                    from: SignInDesk.password, to: Self.new, in: session, origin: origin())
                #expect(outcome.word == "stale")
            }
            let events = try await service.storage.search(
                AuditFilter(type: .userPasswordChanged), before: nil, limit: 10
            ).records.reversed().map(\.event)
            #expect(events.map(\.reason) == ["session_too_weak", "changed_meanwhile", "session_too_weak"])
            #expect(events.map(\.sessionID) == [handed.id, ended.id, weak.id])
            #expect(events.allSatisfy { $0.outcome == .failure && $0.subject == "sub-alice" })
        }
    }

    @Test func `a set-up link sets one password however many use it at once`() async throws {
        try await withChange { change, desk in
            let link = try await invite(change, desk)
            let words = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await change.setUp(Secret("a thief's words \(number)"), invitedBy: link, origin: origin())
                            .word
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(words.count { $0 == "set" } == 1)
            #expect(try await change.account(invitedBy: link, origin: nil) == nil)
        }
    }

    @Test func `a set-up link is worth nothing after its hour or after another password was set`() async throws {
        try await withChange { change, desk in
            let old = try await invite(change, desk)
            let used = try await invite(change, desk)
            #expect(try await change.setUp(Self.new, invitedBy: used, origin: origin()).word == "set")
            #expect(
                try await change.setUp(Secret("another good one"), invitedBy: old, origin: origin()).word == "stale")
            let late = try await invite(change, desk)
            desk.service.clock.advance(PasswordChange.linkLifetime)
            #expect(
                try await change.setUp(Secret("another good one"), invitedBy: late, origin: origin()).word == "stale")
        }
    }

    @Test func `a set-up link stays dead when its user is disabled and enabled again`() async throws {
        try await withChange { change, desk in
            let link = try await invite(change, desk)
            for isDisabled in [true, false] {
                _ = try await desk.service.storage.changeUser(
                    "sub-alice", UserChange(isDisabled: isDisabled),
                    events: { type, _ in AuditEvent(at: noon, type: type, outcome: .success) },
                    ending: Ending(at: noon, reason: .administrator, origin: nil))
            }
            #expect(try await change.setUp(Self.new, invitedBy: link, origin: origin()).word == "stale")
            #expect(try await desk.attempt("alice").word == "signed in")
        }
    }

    @Test func `an app that signs its user out uses up no set-up link`() async throws {
        try await withChange { change, desk in
            let here = try await session(desk)
            let link = try await invite(change, desk)
            let ending = Ending(at: desk.service.clock.now, reason: .signedOutInApp, origin: nil)
            _ = try await desk.service.endings.end(.opened(by: "app", of: here.subject, in: nil), ending)
            #expect(try await change.account(invitedBy: link, origin: origin()) != nil)
            #expect(try await change.setUp(Self.new, invitedBy: link, origin: origin()).word == "set")
        }
    }

    @Test func `a set-up link from before the database went back sets nothing, it may have been used`() async throws {
        try await withChange { change, desk in
            let link = try await invite(change, desk)
            _ = try await desk.service.storage.recordRestore(
                by: .login("root"), at: desk.service.clock.now, keepsSessions: true, reason: nil)
            #expect(try await change.account(invitedBy: link, origin: nil) == nil)
            #expect(try await change.setUp(Self.new, invitedBy: link, origin: origin()).word == "stale")
            #expect(try await desk.attempt("alice").word == "signed in")
            desk.service.clock.advance(.seconds(10))
            let later = try await invite(change, desk)
            #expect(try await change.setUp(Self.new, invitedBy: later, origin: origin()).word == "set")
        }
    }

    @Test func `a set-up link that is refused is in the audit log`() async throws {
        try await withChange { change, desk in
            let link = try await invite(change, desk)
            _ = try await change.setUp(Self.new, invitedBy: link, origin: origin())
            _ = try await change.setUp(Secret("another good one"), invitedBy: link, origin: origin())
            _ = try await change.account(invitedBy: Secret("x"), origin: origin())
            let events = try await desk.service.storage.search(
                AuditFilter(type: .userPasswordChanged), before: nil, limit: 10
            ).records.map(\.event)
            #expect(Set(events.filter { $0.outcome == .failure }.map(\.reason)) == ["link_used", "link_unknown"])
        }
    }

    @Test func `contract §16.2: a changed password makes no session last longer than the one before`() async throws {
        try await withChange { change, desk in
            let here = try await session(desk)
            desk.service.clock.advance(.seconds(600))
            let outcome = try await change.change(
                from: SignInDesk.password, to: Self.new, in: here, origin: origin())
            #expect(try #require(outcome.opened).session.expiresAt == here.expiresAt)
        }
    }

    @Test func `a changed password keeps the session within reach of its provider's logout tokens`() async throws {
        try await withChange { change, desk in
            let service = desk.service
            let provider = "https://login.corporate.example"
            let opener = SessionOpener(
                sessions: service.sessions, store: service.storage, clients: service.clients)
            let here = try #require(
                try await opener.open(
                    for: "sub-alice", authentication: Authentication(time: service.clock.now),
                    provenBy: .upstream(UpstreamSession(issuer: provider, subject: "77", session: "s1")),
                    replacing: nil, origin: origin(), at: service.clock.now)
            ).session
            service.clock.advance(.seconds(1))
            let now = service.clock.now
            let outcome = try await change.change(
                from: SignInDesk.password, to: Self.new, in: here, origin: origin())
            let opened = try #require(outcome.opened).session
            let ended = try await service.storage.end(
                namedBy: LogoutToken(
                    issuer: provider, reach: .session("s1", of: "77"), id: "t1", madeAfter: now - .seconds(30),
                    usableUntil: now + .seconds(150)),
                Ending(at: now, reason: .endedByUser, origin: nil))
            #expect(ended?.sessions == [opened.id])
        }
    }

    @Test func `attack: a session that ended while its request was under way changes no password`() async throws {
        try await withChange { change, desk in
            let here = try await session(desk)
            _ = try await desk.service.endings.end(
                .user(here.subject), Ending(at: desk.service.clock.now, reason: .administrator, origin: nil))
            let outcome = try await change.change(
                from: SignInDesk.password, to: Self.new, in: here, origin: origin())
            #expect(outcome.word == "stale")
            #expect(try await desk.attempt("alice").word == "signed in")
        }
    }

    @Test func `a link that was changed or is another seal opens nothing`() async throws {
        try await withChange { change, desk in
            let link = try await invite(change, desk).expose()
            for text in [
                "", "x", link + "A", String(link.dropLast(2)), link.replacing(".", with: "..", maxReplacements: 1),
            ] {
                #expect(try await change.account(invitedBy: Secret(text), origin: nil) == nil, "\(text)")
            }
        }
    }
}

extension PasswordSetUpOutcome {
    fileprivate var word: String {
        switch self {
        case .isSet: "set"
        case .flawed(let flaw): flaw.rawValue
        case .stale: "stale"
        }
    }
}

extension PasswordChangeOutcome {
    fileprivate var word: String {
        switch self {
        case .changed: "changed"
        case .flawed(let flaw): flaw.rawValue
        case .wrongPassword: "wrong"
        case .limited: "limited"
        case .stale: "stale"
        }
    }

    fileprivate var opened: OpenedSession? { if case .changed(let opened) = self { opened } else { nil } }
}
