import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import Testing

/// What a browser sends by itself where a proxy asks for a password of its own.
@Suite struct ProxyCredentialsTests {
    @Test(arguments: ["Basic b3BzOnB3", "Negotiate YII=", "Digest username=\"ops\"", "Basic"])
    func `a console behind a proxy's own password is open to an administrator's session`(
        credentials: String
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            browser.send("Authorization", credentials)
            let stranger = try await browser.get("/admin/keys")
            #expect(stranger.headers[.location]?.contains("/admin/sign-in") == true)
            try await browser.signIn(as: "carol", bridge)
            #expect(try await browser.get("/api/admin/keys").status == .ok)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
            #expect(try await browser.post("/admin/keys/rotate", [token]).status == .seeOther)
        }
    }

    @Test func `attack: a browser with a proxy's password takes proof of the console's page`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            browser.send("Authorization", "Basic b3BzOnB3")
            try await browser.signIn(as: "carol", bridge)
            #expect(try await browser.post("/admin/keys/rotate", []).status == .forbidden)
            #expect(try await browser.post("/api/admin/keys/rotate", []).status == .forbidden)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
            bridge.clock.advance(by: .seconds(10 * 60))
            #expect(try await browser.get("/api/admin/keys").status == .ok)
            bridge.clock.advance(by: .seconds(5 * 60 + 1))
            browser.send("X-CSRF-Token", token.1)
            #expect(try await browser.send(.post, "/api/admin/keys/rotate").status == .unauthorized)
            browser.send("Sec-Fetch-Site", "cross-site")
            #expect(try await browser.post("/admin/keys/rotate", [token]).status == .forbidden)
        }
    }

    @Test(arguments: ["Bearer", "bearer nonsense", "DPoP nonsense"])
    func `a program that shows a token has no session beside it`(credentials: String) async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            browser.send("Authorization", credentials)
            #expect(try await browser.get("/api/admin/keys").status == .unauthorized)
        }
    }
}
