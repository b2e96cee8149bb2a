import OAuth2
import Testing

@testable import Bridge

@Suite struct SecondFactorEnrolmentTests {
    private static let secret = Array("12345678901234567890".utf8)

    /// A user with a second factor, and a session of a moment ago.
    private func withEnrolment(
        _ body: (SecondFactorEnrolment, WebSession, SignInDesk) async throws -> Void
    ) async throws {
        try await withService { service in
            let desk = try SignInDesk(service)
            try await desk.add("alice")
            let session = try #require(try await desk.attempt("alice").opened).session
            let factor = SecondFactor(sealedSecret: try desk.secrets.seal(Self.secret, for: session.subject))
            _ = try await service.storage.addSecondFactor(
                factor, recoveryDigests: [], of: session.subject,
                in: nil, event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            let limiter = InProcessRateLimiter(clock: .parameter)
            let refusals = RefusalLog(audit: service.storage, limiter: limiter)
            try await body(
                SecondFactorEnrolment(
                    accounts: service.storage, secrets: desk.secrets,
                    codes: SecondFactorCheck(accounts: service.storage, secrets: desk.secrets),
                    throttle: SignInThrottle(
                        limiter: limiter, limits: LimitSettings(), refusals: refusals, knownBrowsers: try .sample()),
                    refusals: refusals, keys: service.keys, time: service.clock.source),
                session, desk)
        }
    }

    @Test func `attack: a session that ended while its request was under way sets up no second factor`() async throws {
        try await withEnrolment { enrolment, session, desk in
            _ = try await desk.service.storage.removeSecondFactor(
                of: session.subject, event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            let draft = try enrolment.draft(in: session)
            let now = desk.service.clock.now
            _ = try await desk.service.endings.end(
                .user(session.subject), Ending(at: now, reason: .administrator, origin: nil))
            let code = OneTimeCode.code(secret: draft.secret.expose(), step: OneTimeCode.step(at: now))
            guard
                case .conflict = try await enrolment.enrol(
                    draft.sealed, code: code, session: session, origin: origin())
            else {
                Issue.record("a dead session set up a second factor")
                return
            }
            #expect(try await desk.service.storage.account(of: session.subject)?.secondFactor == nil)
        }
    }

    @Test func `attack: whoever signed in with a phone's key sets up no factor beside the password`() async throws {
        try await withEnrolment { enrolment, session, desk in
            _ = try await desk.service.storage.removeSecondFactor(
                of: session.subject, event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            let now = desk.service.clock.now
            let byKey = WebSession(
                id: "by-key", secretDigest: "d",
                lineage: .signIn(
                    of: session.subject,
                    authentication: Authentication(time: now, acr: "aal1", amr: [Authentication.selfIssued, "pop"]),
                    at: now, lifetime: .seconds(600)),
                clientID: session.clientID, createdAt: now, idleLifetime: .seconds(600), lastSeenAt: now)
            #expect(enrolment.isRecent(session) && !enrolment.isRecent(byKey))
            let draft = try enrolment.draft(in: byKey)
            let code = OneTimeCode.code(secret: draft.secret.expose(), step: OneTimeCode.step(at: now))
            guard
                case .stale = try await enrolment.enrol(
                    draft.sealed, code: code, session: byKey, origin: origin())
            else {
                Issue.record("a phone's key set up a second factor")
                return
            }
            #expect(try await desk.service.storage.account(of: session.subject)?.secondFactor == nil)
        }
    }

    @Test func `why a second factor was not changed is in the log`() async throws {
        try await withEnrolment { enrolment, session, desk in
            let draft = try enrolment.draft(in: session)
            _ = try await enrolment.enrol(draft.sealed, code: "nonsense", session: session, origin: origin())
            _ = try await enrolment.enrol("nonsense", code: "nonsense", session: session, origin: origin())
            _ = try await desk.service.storage.removeSecondFactor(
                of: session.subject, event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            _ = try await enrolment.enrol(draft.sealed, code: "nonsense", session: session, origin: origin())
            _ = try await enrolment.remove(code: "nonsense", session: session, origin: origin())
            desk.service.clock.advance(SecondFactorEnrolment.recency + .seconds(1))
            _ = try await enrolment.renewRecoveryCodes(code: "nonsense", session: session, origin: origin())
            let refused = try await desk.service.events().filter { $0.hasPrefix("user.second_factor_changed ") }
            #expect(
                refused.map { $0.dropFirst("user.second_factor_changed ".count) }
                    == ["conflict", "stale", "wrong_code", "conflict", "stale"])
        }
    }

    /// The detail of the event of a recovery code that `sub-alice` used.
    static func usedUp(left: Int) -> String {
        #"{"actor":"account:sub-alice","change":"recovery_code_used","recovery_codes_left":"\#(left)"}"#
    }

    @Test func `a recovery code that removes the factor is in the log, beside the removal`() async throws {
        try await withEnrolment { enrolment, session, desk in
            let codes = RecoveryCode.make(random: .system)
            _ = try await desk.service.storage.replaceRecoveryCodes(
                codes.map(\.digest), of: session.subject,
                event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            let outcome = try await enrolment.remove(
                code: codes[0].text.expose(), session: session, origin: origin())
            guard case .removed = outcome else { Issue.record("\(outcome)"); return }
            let written = try await desk.service.secondFactorChanges().suffix(2)
            #expect(
                written.map(\.detail)
                    == [Self.usedUp(left: 9), #"{"actor":"account:sub-alice","change":"removed"}"#])
            #expect(written.allSatisfy { $0.sessionID == session.id && $0.reason == AuditEvent.byTheUser })
        }
    }

    @Test func `attack: wrong codes of a draft fill no log`() async throws {
        try await withEnrolment { enrolment, session, desk in
            _ = try await desk.service.storage.removeSecondFactor(
                of: session.subject, event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            let draft = try enrolment.draft(in: session)
            for _ in 0..<20 {
                _ = try await enrolment.enrol(draft.sealed, code: "nonsense", session: session, origin: origin())
            }
            let refused = try await desk.service.events().filter { $0 == "user.second_factor_changed wrong_code" }
            #expect(refused.count == 10)
        }
    }

    @Test func `a form that comes many times at once sets up one second factor, and no other is called a conflict`()
        async throws
    {
        try await withEnrolment { enrolment, session, desk in
            _ = try await desk.service.storage.removeSecondFactor(
                of: session.subject, event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            let draft = try enrolment.draft(in: session)
            let step = OneTimeCode.step(at: desk.service.clock.now)
            let code = OneTimeCode.code(secret: draft.secret.expose(), step: step)
            let words = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        switch try await enrolment.enrol(draft.sealed, code: code, session: session, origin: origin()) {
                        case .enrolled: return "enrolled"
                        case .enrolledBefore: return "enrolled before"
                        default: return "something else"
                        }
                    }
                }
                return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(words == ["enrolled": 1, "enrolled before": 39])
        }
    }

    @Test func `codes at once get no more guesses than codes in a row`() async throws {
        try await withEnrolment { enrolment, session, desk in
            let looked = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        let outcome = try await enrolment.remove(code: "000000", session: session, origin: origin())
                        if case .wrongCode = outcome { return true } else { return false }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(looked == 5)
            let right = OneTimeCode.code(secret: Self.secret, step: OneTimeCode.step(at: noon))
            guard case .limited = try await enrolment.remove(code: right, session: session, origin: origin()) else {
                Issue.record("the sixth code was looked at")
                return
            }
        }
    }
}
