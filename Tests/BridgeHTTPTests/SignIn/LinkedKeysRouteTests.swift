import Bridge
import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import OAuth2
import SQLStorage
import Testing

@Suite struct LinkedKeysRouteTests {
    private static let path = "/account/phone-keys"

    /// One refusal a minute for a network, and a browser that has an address.
    private func run(_ body: @Sendable (TestBridge, TestBrowser) async throws -> Void) async throws {
        var limits = LimitSettings()
        limits.refusedSelfIssuedPerNetwork = TokenBucket(perMinute: 1)
        try await TestBridge.run(limits: limits, limiter: InProcessRateLimiter(clock: .parameter)) { bridge, client in
            try await TestAccounts.add(to: bridge)
            let browser = TestBrowser(client)
            browser.send("X-Forwarded-For", "203.0.113.9")
            try await body(bridge, browser)
        }
    }

    /// Has a phone answer whose key is nobody's, and alice sign in.
    /// - Returns: the page that offers the key.
    private func pageOfAKey(_ bridge: TestBridge, _ browser: TestBrowser) async throws -> TestResponse {
        let start = try await browser.get("/self-issued/start").text
        let link = String(try #require(start.firstMatch(of: /id="open-app" href="[^"?]*\?([^"]*)"/)).1)
        let asked = try FormParameters(
            parsing: link.replacing("&amp;", with: "&").replacing("&#x2F;", with: "/").replacing("&#x3D;", with: "=")
                .utf8)
        let now = bridge.clock.now.seconds
        let key = try SigningKey.generate(.es256)
        let claims = JSONValue.object([
            "iss": .string("https://self-issued.me"), "sub": .string(key.publicKey.thumbprint),
            "sub_jwk": key.publicKey.bareJWK, "aud": .string(TestBridge.publicOrigin + "/"),
            "nonce": .string(asked["nonce"] ?? ""), "iat": .number(String(now)), "exp": .number(String(now + 300)),
        ])
        let token = try CompactJWS.sign(Array(claims.text.utf8), type: "JWT", with: key)
        let answer = try await browser.post(
            "/self-issued/response", [("state", asked["state"] ?? ""), ("id_token", token)])
        #expect(try answer.text("location") == "/self-issued/choice")
        #expect(try await browser.signIn(on: browser.get("/sign-in")).status == .seeOther)
        let page = try await browser.get(Self.path)
        #expect(page.text.contains(#"value="link""#))
        return page
    }

    private func refusals(_ bridge: TestBridge) async throws -> [String?] {
        try await bridge.storage.search(AuditFilter(type: .selfIssuedRefused), before: nil, limit: 10).records
            .map(\.event.reason)
    }

    @Test func `a network that was refused too often is told how long to wait, where it links a key`() async throws {
        try await run { bridge, browser in
            let page = try await pageOfAKey(bridge, browser)
            let strange = try await browser.post("/self-issued/response", [("state", "nobody's"), ("id_token", "x")])
            #expect(strange.status == .badRequest)
            let answer = try await browser.post(Self.path, page.fields + [("what", "link")])
            let wait = try #require(answer.headers[.retryAfter].flatMap { Int($0) })
            #expect(answer.status.code == 429 && wait > 0)
            #expect(try await bridge.storage.linkedKeys(of: "alice").isEmpty)
        }
    }

    @Test(arguments: ["link", "unlink"])
    func `who signed in too long ago to change a key is led to the sign-in`(what: String) async throws {
        try await run { bridge, browser in
            _ = try await pageOfAKey(bridge, browser)
            bridge.clock.advance(by: .seconds(200))
            let page = try await browser.get(Self.path)
            bridge.clock.advance(by: .seconds(101))
            let answer = try await browser.post(Self.path, page.fields + [("what", what), ("key", "k")])
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location]?.contains("/sign-in?redirect=") == true)
            #expect(try await refusals(bridge) == ["not_signed_in"])
            // The key that the phone showed is still offered, once its user has signed in.
            #expect(browser.cookies["__Host-siop_proof"] != nil)
        }
    }

    @Test func `a key is linked by a form of its page`() async throws {
        try await run { bridge, browser in
            let page = try await pageOfAKey(bridge, browser)
            let answer = try await browser.post(Self.path, page.fields + [("what", "link")])
            #expect(answer.status == .seeOther && answer.headers[.location]?.hasSuffix("?linked") == true)
            #expect(try await bridge.storage.linkedKeys(of: "alice").count == 1)
        }
    }
}
