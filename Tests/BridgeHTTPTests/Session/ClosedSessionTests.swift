import Bridge
import HTTPTypes
import HummingbirdTesting
import OAuth2
import SQLStorage
import Testing

@testable import BridgeHTTP

/// A browser that has its cookie still, of a session that nobody has used for long: what was granted in it goes on, and a
/// person who acts ends it or takes it over (contract §6, §7, ADR-0017).
@Suite struct ClosedSessionTests {
    private static let granted: SessionID = "granted"

    /// Signs alice in, grants something in that session, and leaves the browser alone for half an hour.
    private func run(
        _ body: @Sendable (TestBridge, TestBrowser, WebSession) async throws -> Void
    ) async throws {
        try await TestBridge.run { bridge, client async throws in
            try await TestAccounts.add(to: bridge)
            let browser = TestBrowser(client)
            browser.send("Sec-Fetch-Site", "same-origin")
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            let session = try #require(
                try await bridge.storage.sessions(of: "alice", aliveAt: bridge.clock.now, limit: 1).first)
            let outcome = try await bridge.storage.open(
                AppSession(
                    id: Self.granted,
                    lineage: session.granted(
                        Scope(tokens: [Scope.openID]), at: bridge.clock.now, lifetime: .seconds(86_400)),
                    clientID: "reader", browserSessionID: session.id, createdAt: bridge.clock.now),
                refreshToken: nil, events: [])
            #expect(outcome == .opened)
            bridge.clock.advance(by: session.idleLifetime)
            #expect(try await browser.get("/auth/check").status == .unauthorized)
            #expect(try await Self.isGranted(bridge))
            try await body(bridge, browser, session)
        }
    }

    private static func isGranted(_ bridge: TestBridge) async throws -> Bool {
        try await bridge.storage.appSession(id: granted)?.endedAt == nil
    }

    @Test func `a sign-out ends it, and is asked about`() async throws {
        try await run { bridge, browser, session async throws in
            let page = try await browser.get("/session/logout")
            #expect(page.text.contains("Do you want to sign out?"))
            #expect(try await Self.isGranted(bridge), "a question ends nothing")
            #expect(try await browser.post("/session/logout", page.fields).status == .seeOther)
            #expect(try await !Self.isGranted(bridge))
            #expect(try await bridge.storage.session(id: session.id)?.endedAt == bridge.clock.now)
        }
    }

    @Test func `a sign-out ends nothing without the cookie, or by another website's page`() async throws {
        try await run { bridge, browser, _ async throws in
            let other = TestBrowser(browser.client)
            other.send("Sec-Fetch-Site", "same-origin")
            #expect(try await other.post("/session/logout", []).status == .seeOther)
            browser.send("Sec-Fetch-Site", "cross-site")
            #expect(try await browser.post("/session/logout", []).status == .forbidden)
            #expect(try await Self.isGranted(bridge))
        }
    }

    @Test func `another user's sign-in ends it`() async throws {
        try await run { bridge, browser, session async throws in
            _ = try await browser.signIn(on: browser.get("/sign-in"), as: "bob")
            #expect(try await browser.get("/session").json()["sub"] as? String == "bob")
            #expect(try await !Self.isGranted(bridge))
            let switched = try await bridge.storage.search(
                AuditFilter(type: .webSessionSwitched), before: nil, limit: 5
            ).records.map(\.event.sessionID)
            #expect(switched == [session.id])
        }
    }

    @Test func `the same user's sign-in takes it over, and their sign-out ends it`() async throws {
        try await run { bridge, browser, _ async throws in
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            #expect(try await browser.get("/auth/check").status == .ok)
            #expect(try await Self.isGranted(bridge))
            #expect(try await browser.post("/session/logout", []).status == .seeOther)
            #expect(try await !Self.isGranted(bridge))
        }
    }

    @Test func `another user's link ends it, and asks nobody`() async throws {
        try await run { bridge, browser, _ async throws in
            let cookie = try #require(browser.cookies["__Host-drawbridge_session"])
            let token = try await browser.client.issue(for: "bob").token
            let answer = try await browser.client.redeem(
                token, Visitor.navigation(cookie: "__Host-drawbridge_session=\(cookie)"))
            #expect(answer.status == .seeOther)
            #expect(try await !Self.isGranted(bridge))
        }
    }

    @Test func `past its absolute end the cookie names nothing that could be ended`() async throws {
        try await run { bridge, browser, session async throws in
            bridge.clock.advance(by: session.expiresAt - bridge.clock.now)
            #expect(try await browser.get("/session/logout").text.contains("<h1>You are not signed in</h1>"))
            #expect(try await browser.post("/session/logout", []).status == .seeOther)
            #expect(try await bridge.storage.session(id: session.id)?.endedAt == nil)
        }
    }

    @Test func `it opens nothing, and to look at pages brings nothing back`() async throws {
        try await run { bridge, browser, session async throws in
            #expect(try await browser.get("/account").status != .ok)
            #expect(try await browser.get("/sign-in").text.contains(#"autocomplete="username "#))
            #expect(try await bridge.storage.session(id: session.id)?.lastSeenAt == session.lastSeenAt)
        }
    }
}
