import Bridge
import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

/// `/account/consents`, and the same for administrators.
@Suite struct ConsentRouteTests {
    private static let path = "/account/consents"

    /// The user agreed that a website may have something.
    private func agree(
        _ bridge: TestBridge, _ client: ClientID = "shop", to scopes: Set<String> = ["openid", "email"],
        of subject: Subject = "alice"
    ) async throws {
        let now = bridge.clock.now
        try await bridge.storage.rememberConsent(
            of: subject, to: client, scopes: scopes, at: now,
            event: AuditEvent(at: now, type: .consentGranted, outcome: .success, subject: subject, clientID: client))
    }

    private func run(_ body: @Sendable (TestBridge, TestBrowser) async throws -> Void) async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            try await agree(bridge)
            try await body(bridge, TestBrowser(client))
        }
    }

    private func withdrawals(_ bridge: TestBridge) async throws -> [AuditEvent] {
        try await bridge.storage.search(AuditFilter(type: .consentWithdrawn), before: nil, limit: 5)
            .records.map(\.event)
    }

    @Test func `the page says who may do what, and its form takes that back`() async throws {
        try await run { bridge, browser in
            let signedIn = try await browser.signIn(on: browser.get("/sign-in"))
            #expect(signedIn.status == .seeOther)
            let account = try await browser.get("/account")
            #expect(account.text.contains(#"href="/account/consents""#))
            let page = try await browser.get(Self.path)
            for part in [
                "Shop", "see your e-mail address", "know that it is you",
                "Its access to your account ends, and the next time it has to ask you;",
            ] {
                #expect(page.text.contains(part), "\(part)")
            }
            let answer = try await browser.post(Self.path, page.fields)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "https://bridge.example/account/consents?withdrawn")
            let after = try await browser.get("\(Self.path)?withdrawn")
            #expect(after.text.contains("Taken back.") && after.text.contains("None."))
            let left = try await bridge.storage.consent(of: "alice", to: "shop")
            #expect(left == nil)
            let events = try await withdrawals(bridge)
            #expect(events.map(\.targetClientID) == ["shop"])
            let history = try await browser.get("/account")
            #expect(history.text.contains("What an app was allowed was taken back"))
        }
    }

    @Test func `what a website may do is a list, from who somebody is to what it alone knows`() async throws {
        try await run { bridge, browser in
            try await agree(bridge, to: ["billing", "email", "offline_access", "openid", "archive"])
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            let page = try await browser.get(Self.path).text
            #expect(
                page.matches(of: #/<li>([^<]+)</li>/#).map { String($0.1) } == [
                    "know that it is you", "see your e-mail address", "stay signed in after you close it",
                    "use “archive”", "use “billing”",
                ])
            #expect(page.contains(#"aria-describedby="grants-0 about-0""#))
        }
    }

    @Test func `a form that is not the page's own takes nothing back, and the page says so`() async throws {
        try await run { bridge, browser in
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            let answer = try await browser.post(Self.path, [("client_id", "shop"), ("form_token", "x")])
            #expect(answer.status == .badRequest && answer.text.contains("nothing was taken back"))
            let kept = try await bridge.storage.consent(of: "alice", to: "shop")
            #expect(kept != nil)
        }
    }

    @Test func `a session of a login token sees nothing and takes nothing back, and is told where to sign in`()
        async throws
    {
        try await run { bridge, browser in
            let parts = try await browser.client.signIn("alice").split(separator: "=", maxSplits: 1).map(String.init)
            browser.hold(parts[0], parts[1])
            let page = try await browser.get(Self.path)
            #expect(page.status == .ok && page.text.contains(#"id="again""#))
            #expect(!page.text.contains("client_id") && !page.text.contains("see your e-mail address"))
            let account = try await browser.get("/account")
            #expect(!account.text.contains(Self.path))
            let kept = try await bridge.storage.consent(of: "alice", to: "shop")
            #expect(kept != nil)
        }
    }

    @Test func `contract §8: an administrator sees what a user agreed to, and takes it back with a reason`()
        async throws
    {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            try await agree(bridge)
            try await agree(bridge, "web", of: "bob")
            let headers: HTTPFields = [.authorization: "Bearer operator", .contentType: "application/json"]
            let list = try await client.send(.get, "/api/admin/users/alice/consents", headers)
            let agreed = bridge.clock.now.rfc3339
            #expect(
                list.text == #"{"items":[{"client_id":"shop","scope":"email openid","agreed_at":"\#(agreed)"}],"#
                    + #""next_cursor":null}"#)
            let path = "/api/admin/users/alice/consents/shop"
            let done = try await client.send(.delete, path, headers, body: #"{"reason":"asked for"}"#)
            #expect(done.status == .noContent)
            let again = try await client.send(.delete, path, headers)
            #expect(again.status == .notFound)
            let unknown = try await client.send(.get, "/api/admin/users/nobody/consents", headers)
            #expect(unknown.status == .notFound)
            let bobs = try await bridge.storage.consent(of: "bob", to: "web")
            #expect(bobs != nil)
            let events = try await withdrawals(bridge)
            #expect(events.map(\.reason) == ["asked for"])
            #expect(events.map(\.subject) == ["alice"])
            #expect(events.map(\.targetClientID) == ["shop"])
        }
    }

    @Test func `the console's page of a user lists consents, and its form takes one back`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            try await agree(bridge, of: "bob")
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let page = try await browser.get("/admin/users/bob")
            #expect(page.text.contains(#"action="/admin/users/bob/consents/shop""#))
            let token = try #require(page.fields.first { $0.0 == "form_token" })
            let answer = try await browser.post("/admin/users/bob/consents/shop", [token, ("reason", "")])
            #expect(answer.status == .seeOther)
            let left = try await bridge.storage.consents(of: "bob")
            #expect(left.isEmpty)
            let after = try await browser.get("/admin/users/bob")
            #expect(!after.text.contains("/consents/"))
        }
    }
}
