import OAuth2
import Testing

@testable import Bridge

/// Contract §13: who waits for `admin.signed_in` hears of every person who may open the console.
@Suite struct AdministratorSignInTests {
    private static let secret = Array("12345678901234567890".utf8)

    /// Root has the role `admin`, and alice has none.
    private func withDesk(
        secondFactor: Bool = false, _ body: (SignInDesk) async throws -> Void
    ) async throws {
        try await withService { service in
            let desk = try SignInDesk(service)
            let factor = SecondFactor(sealedSecret: try desk.secrets.seal(Self.secret, for: "sub-root"))
            try await desk.add("root", factor: secondFactor ? factor : nil)
            try await desk.add("alice")
            _ = try await service.storage.changeUser(
                "sub-root", UserChange(role: .give(.admin)),
                events: { type, _ in AuditEvent(at: noon, type: type, outcome: .success, subject: "sub-root") },
                ending: Ending(at: noon, reason: .administrator, origin: nil))
            service.clock.advance(.seconds(60))
            try await body(desk)
        }
    }

    /// The sign-ins of administrators, newest first.
    private func events(_ desk: SignInDesk) async throws -> [AuditEvent] {
        try await desk.service.storage.search(AuditFilter(type: .adminSignedIn), before: nil, limit: 10).records
            .map(\.event)
    }

    @Test func `an administrator's sign-in is recorded with its session, and nobody else's`() async throws {
        try await withDesk { desk in
            let opened = try #require(try await desk.attempt("root").opened)
            _ = try #require(try await desk.attempt("alice").opened)
            let found = try await events(desk)
            #expect(found.map(\.subject) == ["sub-root"])
            #expect(found.map(\.sessionID) == [opened.session.id])
            #expect(found.map(\.reason) == ["administrator"])
            #expect(found.map(\.detail) == [#"{"actor":"account:sub-root"}"#])
            #expect(found.map(\.address) == ["203.0.113.7"])
        }
    }

    @Test func `who has a second factor has not signed in before the code`() async throws {
        try await withDesk(secondFactor: true) { desk in
            let pending = try #require(try await desk.attempt("root").pending)
            #expect(try await events(desk) == [])
            let step = OneTimeCode.step(at: desk.service.clock.now)
            let confirmed = try await desk.signIn.confirm(
                pending: pending, code: OneTimeCode.code(secret: Self.secret, step: step), browser: desk.browser,
                replacing: nil, origin: origin())
            let opened = try #require(confirmed.opened)
            #expect(try await events(desk).map(\.sessionID) == [opened.session.id])
        }
    }

    @Test(
        arguments: [
            (.here, "administrator"), (.passkey("mark"), "passkey"), (.phone, "self_issued"), (.phoneElsewhere, nil),
        ] as [(SignInMethod, String?)])
    func `every way to sign in counts whose session opens the console`(_ way: SignInMethod, _ reason: String?)
        async throws
    {
        try await withDesk { desk in
            let now = desk.service.clock.now
            let opened = try await desk.signIn.opener.open(
                for: "sub-root", authentication: Authentication(time: now, acr: "aal2", amr: ["mfa"]), provenBy: nil,
                replacing: nil, by: way, origin: origin(), at: now)
            #expect(opened?.session.isOwnSignIn == (reason != nil))
            #expect(try await events(desk).map(\.reason) == [reason].compactMap(\.self))
        }
    }

    @Test func `a session that is made stronger is recorded once more, since only that one opens the console`()
        async throws
    {
        try await withDesk { desk in
            let opened = try #require(try await desk.attempt("root").opened)
            let now = desk.service.clock.now
            let raised = try await desk.signIn.opener.raise(
                opened.session, to: Authentication(time: now, acr: "aal2", amr: ["pwd", "otp", "mfa"]),
                origin: origin(), at: now)
            #expect(raised != nil)
            let found = try await events(desk)
            #expect(found.map(\.reason) == ["second_factor", "administrator"])
            #expect(found.first?.sessionID == raised?.session.id)
        }
    }
}
