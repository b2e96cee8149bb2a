import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Contract §4.3, row by row.
@Suite struct LoginTokenRedeemerTests {
    private let otherPlace = origin("198.51.100.9", userAgent: "Firefox")

    @Test func `the first use opens a new session, lands, and is recorded`() async throws {
        try await withService { service async throws in
            let answer = try await service.issue()
            let outcome = try await service.open(answer.token, redirect: "/account/me")
            guard case .landed("https://bridge.example/account/me", .some(let opened)) = outcome else {
                Issue.record("\(outcome.word)")
                return
            }
            #expect(opened.session.subject == "alice" && opened.session.loginTokenID == answer.id)
            #expect(opened.session.expiresAt == noon + .seconds(3600))
            #expect(try await service.sessions.lookUp(opened.secret) == opened.session)
            #expect(
                try await service.events() == [
                    "login_token.issued", "login_token.redeemed", "web_session.opened login_token",
                ])
        }
    }

    @Test func `the same browser again lands without a second session, however late`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            let opened = try #require(try await service.open(token).opened)
            for pause in [30, 31, 500] {
                service.clock.advance(.seconds(pause))
                #expect(try await service.open(token, session: opened.secret, from: otherPlace).word == "landed")
            }
            #expect(try await service.open(token, from: otherPlace).word == "refused")
            let stored = try await service.sessions.known(opened.secret)
            #expect(stored?.lastSeenAt == noon + .seconds(30), "a late visit is no use of it")
            #expect(try await service.sessions.lookUp(opened.secret) != nil)
        }
    }

    @Test func `a bad redirect of a link that comes again is recorded as well`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            let opened = try #require(try await service.open(token).opened)
            #expect(try await service.open(token, redirect: "//evil.example", session: opened.secret).word == "landed")
            #expect(try await service.events().last == "redirect.refused malformed")
        }
    }

    @Test func `a double tap within three seconds lands without cookies and ends nothing`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            let opened = try #require(try await service.open(token).opened)
            service.clock.advance(.seconds(3))
            #expect(try await service.open(token).word == "landed")
            #expect(try await service.sessions.lookUp(opened.secret) != nil)
        }
    }

    @Test(arguments: [("203.0.113.9", "2001:db8::9"), ("2001:db8::9", "203.0.113.9"), ("203.0.113.9", "203.0.113.77")])
    func `a double tap over the other address family lands, and is recorded as one`(
        first: String, second: String
    ) async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            let opened = try #require(try await service.open(token, from: origin(first)).opened)
            #expect(try await service.open(token, from: origin(second)).word == "landed")
            #expect(try await service.sessions.lookUp(opened.secret) != nil)
            let repeats = try await service.events().filter { $0.contains("repeated") || $0.contains("replayed") }
            #expect(repeats == ["login_token.repeated"])
        }
    }

    @Test(arguments: [
        (origin("203.0.113.9"), origin("198.51.100.9")), (origin("2001:db8::9"), origin("2001:db8:1::9")),
        (origin("203.0.113.9"), origin("203.0.113.9", userAgent: "another")),
        (origin("203.0.113.9"), origin("2001:db8::9", userAgent: "another")),
    ])
    func `soon after, from another network or by another program, is a replay`(
        first: RequestOrigin, second: RequestOrigin
    ) async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            let opened = try #require(try await service.open(token, from: first).opened)
            #expect(try await service.open(token, from: second).word == "refused")
            #expect(try await service.sessions.lookUp(opened.secret) == nil)
        }
    }

    @Test(arguments: [true, false])
    func `another browser is refused, and the session of the first use ends, with or without the guard`(
        remembers: Bool
    ) async throws {
        let replayGuard: any ReplayGuard = remembers ? InProcessReplayGuard() : ForgetfulReplayGuard()
        try await withService(replayGuard: replayGuard) { service async throws in
            let token = try await service.issue().token
            let opened = try #require(try await service.open(token).opened)
            #expect(try await service.open(token, from: otherPlace).word == "refused")
            #expect(try await service.sessions.lookUp(opened.secret) == nil)
            #expect(
                try await service.events().suffix(2) == [
                    "login_token.replayed replayed", "web_session.ended token_replayed",
                ])
        }
    }

    @Test func `an expired token that comes 90 times leaves three events, and its network's limit one`() async throws {
        try await withService { service async throws in
            let token = try await service.issue(LoginTokenIssueRequest(ttl: 10)).token
            service.clock.advance(.seconds(10))
            var words: [String: Int] = [:]
            for _ in 0..<90 { words[try await service.open(token).word, default: 0] += 1 }
            #expect(words == ["refused": 60, "limited": 30])
            #expect(
                try await service.events() == [
                    "login_token.issued", "login_token.refused expired", "login_token.refused expired",
                    "login_token.refused expired", "rate_limit.exceeded redeem.network",
                ])
        }
    }

    @Test func `a token that is replayed 90 times ends its session once and leaves three events more`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            _ = try await service.open(token)
            for _ in 0..<90 { _ = try await service.open(token, from: otherPlace) }
            let events = try await service.events().dropFirst(3)
            #expect(events.count { $0 == "login_token.replayed replayed" } == 3)
            #expect(events.count { $0.hasPrefix("web_session.ended") } == 1)
            #expect(events.count == 5)
        }
    }

    @Test func `wrong verifiers without end leave three events and the one that revoked`() async throws {
        try await withService { service async throws in
            let challenge = CodeChallenge(for: try #require(CodeVerifier(String(repeating: "v", count: 43))))
            let token = try await service.issue(
                LoginTokenIssueRequest(codeChallenge: challenge.value, codeChallengeMethod: "S256")
            ).token
            for _ in 0..<50 { _ = try await service.open(token, verifier: String(repeating: "w", count: 43)) }
            let refused = Array(repeating: "login_token.refused wrong_verifier", count: 3)
            let events = Array(try await service.events().dropFirst())
            #expect(events == refused + ["login_token.revoked too_many_misses"])
            #expect(try await service.refusals.writeSuppressed(at: service.clock.now) == [.loginTokenRefused: 47])
        }
    }

    @Test func `a replay that ends a session is written, and not counted among what was left out`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            // Three double taps, which are all that is written of one token.
            for _ in 0..<4 { _ = try await service.open(token) }
            _ = try await service.open(token, from: otherPlace)
            #expect(try await service.events().count { $0 == "login_token.replayed replayed" } == 1)
            #expect(try await service.refusals.writeSuppressed(at: service.clock.now).isEmpty)
            _ = try await service.open(token, from: otherPlace)
            #expect(try await service.refusals.writeSuppressed(at: service.clock.now) == [.loginTokenReplayed: 1])
        }
    }

    @Test func `the same browser without its cookie after three seconds is a replay`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            _ = try await service.open(token)
            service.clock.advance(.milliseconds(3001))
            #expect(try await service.open(token).word == "refused")
        }
    }

    @Test func `a website that only wants to be told keeps its session`() async throws {
        try await withService { service async throws in
            let token = try await service.issue(LoginTokenIssueRequest(targetClientID: "confirming")).token
            let click = Visit(carrier: .form, formIsOurs: true, origin: .own)
            let opened = try #require(try await service.open(token, visit: click).opened)
            #expect(try await service.open(token, visit: click, from: otherPlace).word == "refused")
            #expect(try await service.sessions.lookUp(opened.secret) != nil)
            #expect(try await service.events().last == "login_token.replayed replayed")
        }
    }

    @Test func `a website that asks is not opened by a navigation`() async throws {
        try await withService { service async throws in
            let token = try await service.issue(LoginTokenIssueRequest(targetClientID: "confirming")).token
            guard case .confirm(submitsItself: false, _) = try await service.open(token) else {
                Issue.record("not asked")
                return
            }
            #expect(try await service.events() == ["login_token.issued"])
        }
    }

    @Test func `a visit that does not consume touches nothing, a hundred times`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            for _ in 0..<100 {
                #expect(try await service.open(token, visit: Visit(carrier: .query)).word == "confirm")
                #expect(try await service.open(Secret("x.y.z"), visit: Visit(carrier: .query)).word == "confirm")
            }
            #expect(try await service.events() == ["login_token.issued"])
            #expect(try await service.open(token).word == "opened")
        }
    }

    @Test func `expired, tampered, foreign and nonsensical tokens are refused and recorded by reason`() async throws {
        try await withService { service async throws in
            let token = try await service.issue(LoginTokenIssueRequest(ttl: 10)).token
            service.clock.advance(.seconds(10))
            let tampered = token.expose().dropLast(2) + (token.expose().hasSuffix("AA") ? "BA" : "AA")
            for text in [token.expose(), String(tampered), "nonsense"] {
                #expect(try await service.open(Secret(text)).word == "refused")
            }
            #expect(
                try await service.events().suffix(3) == [
                    "login_token.refused expired", "login_token.refused bad_signature", "login_token.refused malformed",
                ])
        }
    }

    @Test func `two tokens in one request consume neither, and are recorded only where one would be consumed`()
        async throws
    {
        try await withService { service async throws in
            func redeem(isPrefetch: Bool) async throws -> String {
                let visit = Visit(
                    carrier: .query, isPrefetch: isPrefetch, fetchSite: .sameOrigin, isDocumentNavigation: true)
                return try await service.redeemer.redeem(
                    RedemptionRequest(token: .conflicting, visit: visit, origin: origin())
                ).word
            }
            #expect(try await redeem(isPrefetch: true) == "confirm")
            #expect(try await service.events() == [])
            #expect(try await redeem(isPrefetch: false) == "refused")
            #expect(try await service.events() == ["login_token.refused conflicting_tokens"])
        }
    }

    @Test func `a GET without a token shows the page, a POST without one is refused`() async throws {
        try await withService { service async throws in
            func redeem(_ visit: Visit) async throws -> String {
                try await service.redeemer.redeem(
                    RedemptionRequest(token: .none, visit: visit, origin: origin())
                ).word
            }
            #expect(try await redeem(Visit(carrier: .none)) == "confirm")
            #expect(try await redeem(Visit(carrier: .header)) == "refused")
            #expect(try await redeem(Visit(carrier: .form)) == "refused")
        }
    }

    @Test func `a wrong verifier does not burn the token, the fifth does`() async throws {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        try await withService { service async throws in
            let request = LoginTokenIssueRequest(codeChallenge: challenge, codeChallengeMethod: "S256")
            let survivor = try await service.issue(request).token
            for _ in 0..<4 { #expect(try await service.open(survivor, verifier: "wrong").word == "refused") }
            #expect(try await service.open(survivor, verifier: verifier).word == "opened")
            let burnt = try await service.issue(request).token
            for _ in 0..<5 { #expect(try await service.open(burnt).word == "refused") }
            #expect(try await service.open(burnt, verifier: verifier).word == "refused")
            let id = try #require(CompactJWS(burnt.expose())?.claims?["jti"]?.string)
            let state = try await service.storage.state(of: TokenID(rawValue: id))
            #expect(state?.status == .revoked(at: service.clock.now) && state?.misses == 5)
            #expect(try await service.events().filter { $0 == "login_token.revoked too_many_misses" }.count == 1)
        }
    }

    @Test func `a network binding is compared with the browser's network`() async throws {
        try await withService { service async throws in
            let token = try await service.issue(LoginTokenIssueRequest(bind: "network")).token
            #expect(try await service.open(token, from: origin("198.51.100.9")).word == "refused")
            #expect(try await service.open(token, from: origin("203.0.113.200")).word == "opened")
            #expect(try await service.events().contains("login_token.refused wrong_network"))
        }
    }

    @Test func `another user's browser is asked first, and nothing is consumed until it says yes`() async throws {
        try await withService { service async throws in
            let alice = try #require(try await service.open(try await service.issue().token).opened)
            let token = try await service.issue(subject: "bob").token
            for _ in 0..<3 {
                guard case .switchAccount("alice", "bob") = try await service.open(token, session: alice.secret) else {
                    Issue.record("not asked")
                    return
                }
            }
            #expect(try await service.sessions.lookUp(alice.secret) != nil)
            let yes = Visit(carrier: .form, formIsOurs: true, origin: .own)
            let bob = try #require(
                try await service.open(token, session: alice.secret, visit: yes, confirmsSwitch: true).opened)
            #expect(bob.session.subject == "bob")
            #expect(try await service.sessions.lookUp(alice.secret) == nil)
            #expect(try await service.events().contains("web_session.switched account_switch"))
        }
    }

    @Test func `a yes that does not come from our form is not heard`() async throws {
        try await withService { service async throws in
            let alice = try #require(try await service.open(try await service.issue().token).opened)
            let token = try await service.issue(subject: "bob").token
            let webView = Visit(carrier: .form)
            #expect(
                try await service.open(token, session: alice.secret, visit: webView, confirmsSwitch: true).word
                    == "switch")
        }
    }

    @Test func `a used or revoked token in another user's browser is refused, not offered`() async throws {
        try await withService { service async throws in
            let alice = try #require(try await service.open(try await service.issue().token).opened)
            let token = try await service.issue(subject: "bob").token
            _ = try await service.open(token, from: otherPlace)
            #expect(try await service.open(token, session: alice.secret).word == "refused")
        }
    }

    @Test func `a second token of the same user opens a new session and ends the one it replaces`() async throws {
        try await withService { service async throws in
            let first = try #require(try await service.open(try await service.issue().token).opened)
            let second = try #require(
                try await service.open(try await service.issue().token, session: first.secret).opened)
            #expect(second.session.id != first.session.id)
            #expect(try await service.sessions.lookUp(first.secret) == nil)
            #expect(try await service.events().contains("web_session.ended replaced"))
        }
    }

    @Test func `a session cookie that opens nothing is ignored, and never adopted`() async throws {
        try await withService { service async throws in
            let planted = OpaqueSecret.make(.webSession, random: .system)
            let opened = try #require(try await service.open(try await service.issue().token, session: planted).opened)
            #expect(opened.secret.expose() != planted.expose())
            #expect(try await service.sessions.lookUp(planted) == nil)
        }
    }

    @Test func `a disabled user, an ended parent, a lost right and a lost website are refused`() async throws {
        try await withService { service async throws in
            let token = try await service.issue().token
            try await service.storage.change("alice", UserChange(isDisabled: true), ending: .sample(at: noon))
            #expect(try await service.open(token).word == "refused")
            let all = try testClients()
            service.clients.replace(with: ClientDirectory(all.filter { $0.id != app }, defaultTarget: website))
            #expect(try await service.open(token).word == "refused")
            service.clients.replace(with: ClientDirectory(all.filter { $0.id != website }, defaultTarget: nil))
            #expect(try await service.open(token).word == "refused")
            #expect(
                try await service.events().filter { $0.hasPrefix("login_token.refused") } == [
                    "login_token.refused subject_disabled", "login_token.refused client_without_right",
                    "login_token.refused unknown_website",
                ])
        }
    }

    @Test func `a bad redirect does not fail the sign-in and is recorded`() async throws {
        try await withService { service async throws in
            let outcome = try await service.open(try await service.issue().token, redirect: "//evil.example/?q=secret")
            guard case .landed("https://bridge.example/contacts", .some) = outcome else {
                Issue.record("\(outcome.word)")
                return
            }
            let filter = AuditFilter(type: .redirectRefused)
            let record = try #require(try await service.storage.search(filter, before: nil, limit: 1).records.first)
            #expect(record.event.reason == "malformed")
            #expect(record.event.detail == #"{"length":24,"path":"//evil.example/"}"#)
        }
    }

    @Test func `after sixty failures of a network it is told to wait, and a good token is never held back`()
        async throws
    {
        try await withService { service async throws in
            for _ in 0..<60 { #expect(try await service.open(Secret("x")).word == "refused") }
            #expect(try await service.open(Secret("x")).word == "limited")
            #expect(try await service.open(try await service.issue().token).word == "opened")
            #expect(try await service.open(Secret("x"), from: otherPlace).word == "refused")
            #expect(try await service.events().filter { $0 == "rate_limit.exceeded redeem.network" }.count == 1)
        }
    }

    @Test func `of 1000 concurrent redemptions of one token one opens a session`() async throws {
        for replayGuard: any ReplayGuard in [InProcessReplayGuard(), ForgetfulReplayGuard()] {
            try await withService(replayGuard: replayGuard) { service async throws in
                let token = try await service.issue().token
                let words = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<1000 { group.addTask { try await service.open(token).word } }
                    return try await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
                }
                #expect(words == ["opened": 1, "landed": 999])
            }
        }
    }
}
