import Bridge
import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

/// Forms of the console that come back when their session is over (contract §8).
@Suite struct EndedSessionFormTests {
    private static let signIn = TestBridge.publicOrigin + "/admin/sign-in"

    @Test(arguments: [
        ("users/bob/standing", "?next=%2Fadmin%2Fusers%2Fbob&lost"), ("explain", "?next=%2Fadmin%2Fexplain&lost"),
        ("sessions/some-id/end", "?next=%2Fadmin%2Fsessions&lost"), ("alerts/acknowledge", "?lost"), ("sign-out", ""),
    ])
    func `a form without a session leads to the sign-in, and from there to its page`(
        path: String, query: String
    ) async throws {
        try await TestBridge.run { _, client in
            let answer = try await TestBrowser(client).post("/admin/\(path)", [("form_token", "x")])
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == Self.signIn + query)
        }
    }

    @Test func `the sign-in says of a form that came without a session that it was not done`() async throws {
        try await TestBridge.run { _, client in
            let browser = TestBrowser(client)
            let page = try await browser.follow(browser.post("/admin/users/bob/standing", [("form_token", "x")]))
            #expect(page.text.contains("You were signed out meanwhile. What you sent was not done."))
            let led = try await browser.open("/admin/users/bob")
            #expect(!led.text.contains("What you sent was not done."))
        }
    }

    /// - Returns: an administrator's browser with a form of a page that was shown before their last sign-in.
    private func oldPage(_ bridge: TestBridge, _ browser: TestBrowser) async throws -> (String, String) {
        try await bridge.addAdministrators()
        try await browser.signIn(as: "carol", bridge)
        let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
        // A code counts once.
        bridge.clock.advance(by: .seconds(60))
        try await browser.signIn(as: "carol", bridge)
        return token
    }

    @Test func `a form of a page from before the last sign-in is not done, and the console says how to go on`()
        async throws
    {
        try await TestBridge.run { bridge, client in
            let browser = TestBrowser(client)
            let token = try await oldPage(bridge, browser)
            let answer = try await browser.post("/admin/users/bob/standing", [token, ("disabled", "true")])
            #expect(answer.status == .forbidden)
            #expect(answer.text.contains("Not done. This page is from before your last sign-in."))
            #expect(answer.text.contains(#"<a href="/admin/users/bob" id="back">Open the page again</a>"#))
            #expect(try await bridge.storage.standing(of: "bob") == .active)
            let found = try await bridge.storage.search(AuditFilter(type: .adminRefused), before: nil, limit: 10)
            #expect(found.records.map(\.event.reason) == ["foreign_page"])
        }
    }

    @Test(arguments: [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")])
    func `attack: a form of another site is shown nothing of the console`(name: String, value: String) async throws {
        try await TestBridge.run { bridge, client in
            let browser = TestBrowser(client)
            let token = try await oldPage(bridge, browser)
            browser.send(name, value)
            let answer = try await browser.post("/admin/users/bob/standing", [token, ("disabled", "true")])
            #expect(answer.status == .forbidden && !answer.text.contains("/admin/sign-out"))
            #expect(try await bridge.storage.standing(of: "bob") == .active)
        }
    }

    @Test(arguments: [("bob", "/admin/users/bob"), ("b%2Fob", "/admin/")])
    func `a form with a password that came too late leads back to its page after the sign-in`(
        user: String, page: String
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
            bridge.clock.advance(by: .seconds(14 * 60))
            _ = try await browser.get("/admin/")
            bridge.clock.advance(by: .seconds(2 * 60))
            let asked = try await browser.post(
                "/admin/users/\(user)/password", [token, ("password", "plum duff at noon"), ("reason", "forgotten")])
            #expect(asked.status == .unauthorized && asked.text.contains("then the page opens again"))
            #expect(asked.fields.contains { $0 == ("redirect", page) })
        }
    }

    @Test func `a form of a console that was closed leads to the sign-in, and the log has it`() async throws {
        try await TestBridge.run { bridge, client in
            let browser = TestBrowser(client)
            browser.hold("__Host-drawbridge_admin", OpaqueSecret.make(.adminSession, random: .system).expose())
            let answer = try await browser.post("/admin/keys/rotate", [("form_token", "x")])
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == Self.signIn + "?next=%2Fadmin%2Fkeys&lost")
            let found = try await bridge.storage.search(AuditFilter(type: .adminRefused), before: nil, limit: 10)
            #expect(found.records.map(\.event.reason) == ["invalid"])
        }
    }

    @Test func `a form with a program's token that is none is told to be refused`() async throws {
        try await TestBridge.run { _, client in
            let headers: HTTPFields = [
                .authorization: "Bearer nonsense", .contentType: "application/x-www-form-urlencoded",
            ]
            let answer = try await client.send(.post, "/admin/keys/rotate", headers, body: "")
            #expect(answer.status == .unauthorized)
        }
    }

    @Test func `the console's sign-out signs an account out of the browser without another question`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
            let cookies = browser.cookies
            let left = try await browser.post("/admin/sign-out", [token])
            #expect(left.status == .seeOther)
            #expect(left.headers[.location] == TestBridge.publicOrigin + "/session/signed-out")
            // Whoever kept the cookies gets nowhere either.
            for (name, value) in cookies { browser.hold(name, value) }
            let after = try await browser.get("/admin/keys")
            #expect(after.status == .seeOther)
            #expect(after.headers[.location]?.hasPrefix(Self.signIn) == true)
        }
    }

    @Test func `a question from a session that lay unused leads to the sign-in, and the way out to the sign-out`()
        async throws
    {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(try await browser.get("/admin/explain").fields.first { $0.0 == "form_token" })
            bridge.clock.advance(by: .seconds(16 * 60))
            let asked = try await browser.post("/admin/explain", [token, ("kind", "redirect")])
            #expect(asked.status == .seeOther)
            #expect(asked.headers[.location] == Self.signIn + "?next=%2Fadmin%2Fexplain&lost")
            let left = try await browser.post("/admin/sign-out", [token])
            #expect(left.headers[.location] == TestBridge.publicOrigin + "/session/logout")
        }
    }
}
