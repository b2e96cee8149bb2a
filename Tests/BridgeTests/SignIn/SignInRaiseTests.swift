import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// A code alone, where only the second factor is missing: which session it raises, and which it does not.
@Suite struct SignInRaiseTests {
    private static let secret = Array("12345678901234567890".utf8)

    /// Alice signed in with her password at noon, set up a second factor a minute later, and is asked for its code.
    private struct Visit {
        let desk: SignInDesk
        let opened: OpenedSession
        let pending: String

        var code: String { OneTimeCode.code(secret: secret, step: OneTimeCode.step(at: desk.service.clock.now)) }

        func confirm(
            _ code: String? = nil, browser: OpaqueSecret? = nil, current: WebSession? = nil, signedOut: Bool = false
        ) async throws -> SignInOutcome {
            try await desk.signIn.confirm(
                pending: pending, code: code ?? self.code, browser: browser ?? desk.browser,
                replacing: signedOut ? nil : current ?? opened.session, origin: origin())
        }

        /// Whether the session of before is still what it was.
        func isUntouched() async throws -> Bool {
            try await desk.service.sessions.lookUp(opened.secret)?.authentication.acr == "aal1"
        }
    }

    private func withVisit(_ body: (Visit) async throws -> Void) async throws {
        try await withService { service in
            let desk = try SignInDesk(service)
            try await desk.add("alice")
            let opened = try #require(try await desk.attempt("alice").opened)
            service.clock.advance(.seconds(60))
            _ = try await service.storage.addSecondFactor(
                SecondFactor(sealedSecret: try desk.secrets.seal(Self.secret, for: "sub-alice")), recoveryDigests: [],
                of: "sub-alice",
                in: nil, event: AuditEvent(at: noon, type: .userSecondFactorChanged, outcome: .success))
            let pending = try desk.signIn.raise(opened.session, browser: desk.browser)
            try await body(Visit(desk: desk, opened: opened, pending: pending))
        }
    }

    @Test func `the code makes two factors of the password's session, and keeps the password's time`() async throws {
        try await withVisit { visit in
            let raised = try #require(try await visit.confirm().opened)
            #expect(
                raised.session.authentication == Authentication(time: noon, acr: "aal2", amr: ["pwd", "otp", "mfa"]))
            #expect(raised.session.id != visit.opened.session.id)
            #expect(raised.secret.digest != visit.opened.secret.digest)
            #expect(raised.session.expiresAt == visit.opened.session.expiresAt)
            let before = try await visit.desk.service.sessions.lookUp(visit.opened.secret)
            #expect(before == nil)
            let events = try await visit.desk.service.storage.search(
                AuditFilter(type: .userSignedIn), before: nil, limit: 10
            ).records.map(\.event)
            #expect(events.map(\.reason) == ["second_factor", nil])
            #expect(events.first?.sessionID == raised.session.id)
        }
    }

    @Test func `a step counts once, and so does what was asked for`() async throws {
        try await withVisit { visit in
            let raised = try #require(try await visit.confirm().opened)
            visit.desk.service.clock.advance(.seconds(30))
            let again = try await visit.confirm(current: raised.session)
            #expect(again.word == "stale")
        }
    }

    @Test func `another session of the same user is not raised`() async throws {
        try await withVisit { visit in
            let other = try #require(
                try await visit.desk.signIn.opener.open(
                    for: "sub-alice", authentication: visit.opened.session.authentication, provenBy: nil,
                    replacing: nil, origin: origin(), at: visit.desk.service.clock.now))
            try await expectStale(visit, visit.confirm(current: other.session))
        }
    }

    @Test func `another user's session is not raised`() async throws {
        try await withVisit { visit in
            try await visit.desk.add("bob")
            let bob = try #require(try await visit.desk.attempt("bob").opened)
            try await expectStale(visit, visit.confirm(current: bob.session))
            let still = try await visit.desk.service.sessions.lookUp(bob.secret)
            #expect(still?.authentication.acr == "aal1")
        }
    }

    @Test func `a browser without a session is not signed in by a code`() async throws {
        try await withVisit { visit in try await expectStale(visit, visit.confirm(signedOut: true)) }
    }

    @Test func `another browser cannot finish what this one began`() async throws {
        try await withVisit { visit in
            let other = OpaqueSecret.make(.formBinding, random: .system)
            try await expectStale(visit, visit.confirm(browser: other))
        }
    }

    @Test func `after five minutes the page has to be asked for anew`() async throws {
        try await withVisit { visit in
            visit.desk.service.clock.advance(.seconds(301))
            try await expectStale(visit, visit.confirm())
        }
    }

    @Test func `a session that has ended is not raised, though this server has not heard of it`() async throws {
        try await withVisit { visit in
            _ = try await visit.desk.service.storage.end(
                .webSession(visit.opened.session.id), .sample(at: visit.desk.service.clock.now))
            let outcome = try await visit.confirm()
            #expect(outcome.word == "stale")
            #expect(try await visit.desk.failures() == ["stale"])
            let isUnused = try await visit.desk.service.storage.claimStep(
                OneTimeCode.step(at: visit.desk.service.clock.now), of: "sub-alice")
            #expect(isUnused)
        }
    }

    @Test func `a wrong code and a used one are refused`() async throws {
        try await withVisit { visit in
            let wrong = try await visit.confirm("000000")
            #expect(wrong.word == "refused")
            let step = OneTimeCode.step(at: visit.desk.service.clock.now)
            _ = try await visit.desk.service.storage.claimStep(step, of: "sub-alice")
            let used = try await visit.confirm()
            #expect(used.word == "refused")
            #expect(try await visit.desk.failures() == ["wrong_code", "wrong_code"])
            #expect(try await visit.isUntouched())
        }
    }

    @Test func `codes cannot be tried without end`() async throws {
        try await withVisit { visit in
            for _ in 0..<5 {
                let outcome = try await visit.confirm("000000")
                #expect(outcome.word == "refused")
            }
            let right = try await visit.confirm()
            #expect(right.word == "limited")
            #expect(try await visit.isUntouched())
        }
    }

    @Test func `a disabled user's session is not raised`() async throws {
        try await withVisit { visit in
            try await visit.desk.service.storage.change(
                "sub-alice", UserChange(isDisabled: true), ending: .sample(at: visit.desk.service.clock.now))
            let outcome = try await visit.confirm()
            #expect(outcome.word == "refused")
            #expect(try await visit.desk.failures() == ["user_disabled"])
        }
    }

    @Test func `what a login token opened stays as weak as it came`() async throws {
        try await withVisit { visit in
            let session = visit.opened.session
            let brought = WebSession(
                id: session.id, secretDigest: session.secretDigest, subject: session.subject,
                clientID: session.clientID, appClientID: nil, parentID: nil, loginTokenID: "t", opening: .loginToken,
                authentication: session.authentication, createdAt: session.createdAt, expiresAt: session.expiresAt,
                idleLifetime: session.idleLifetime, lastSeenAt: session.lastSeenAt)
            try await expectStale(visit, visit.confirm(current: brought))
        }
    }

    /// Refused as stale, the code not used up, the session as before.
    private func expectStale(
        _ visit: Visit, _ outcome: SignInOutcome, at location: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(outcome.word == "stale", sourceLocation: location)
        #expect(try await visit.desk.failures() == ["stale"], sourceLocation: location)
        #expect(try await visit.isUntouched(), sourceLocation: location)
        let isUnused = try await visit.desk.service.storage.claimStep(
            OneTimeCode.step(at: visit.desk.service.clock.now), of: "sub-alice")
        #expect(isUnused, sourceLocation: location)
    }
}
