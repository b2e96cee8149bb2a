import Bridge
import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

@Suite struct PasskeyRouteTests {
    private static let path = "/account/passkeys"

    private func run(_ body: @Sendable (TestBridge, TestBrowser) async throws -> Void) async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            try await body(bridge, TestBrowser(client))
        }
    }

    private func signIn(_ browser: TestBrowser) async throws {
        #expect(try await browser.signIn(on: browser.get("/sign-in")).status == .seeOther)
    }

    private func sealed(_ page: TestResponse) throws -> String {
        String(try #require(page.text.firstMatch(of: /data-sealed="([^"]+)"/)).1)
    }

    @Test func `the sign-in page asks for any passkey of the host, and names none`() async throws {
        try await run { _, browser in
            let page = try await browser.get("/sign-in").text
            #expect(page.contains(#"data-party="bridge.example""#) && !page.contains("data-excluded"))
            let again = try await browser.get("/sign-in").text
            let challenges = try [page, again].map { try #require($0.firstMatch(of: /data-challenge="([^"]+)"/)).1 }
            #expect(challenges[0] != challenges[1])
        }
    }

    // MARK: Login CSRF (RFC 9700 §4.7.1)

    @Test func `an answer without the page's own token is not looked at`() async throws {
        try await run { bridge, browser in
            let page = try await browser.get("/sign-in")
            let answer = try await browser.post("/sign-in/passkey", [("challenge", try sealed(page))])
            #expect(answer.status == .badRequest && answer.text.contains("open for too long"))
            let events = try await bridge.storage.search(AuditFilter(type: .userSignInFailed), before: nil, limit: 5)
            #expect(events.records.isEmpty)
        }
    }

    @Test func `an answer that is none gets one bland sentence, and a reason in the log`() async throws {
        try await run { bridge, browser in
            let page = try await browser.get("/sign-in?redirect=%2Faccount")
            let answer = try await browser.post(
                "/sign-in/passkey", page.fields + [("challenge", try sealed(page)), ("credential", "AAAA")])
            #expect(answer.status == .badRequest && answer.text.contains("does not sign you in here"))
            #expect(answer.fields.contains { $0.0 == "redirect" && $0.1 == "/account" })
            let events = try await bridge.storage.search(AuditFilter(type: .userSignInFailed), before: nil, limit: 5)
            #expect(events.records.map(\.event.reason) == ["passkey_malformed"])
        }
    }

    // MARK: One's own passkeys

    @Test func `the page asks for a new passkey with all that a browser needs`() async throws {
        try await run { _, browser in
            try await signIn(browser)
            let page = try await browser.get(Self.path).text
            for part in [
                #"data-party="bridge.example""#, #"data-site="Example""#, #"data-username="alice""#,
                #"data-algorithms="-7 -8 -257""#, #"data-excluded="""#,
            ] {
                #expect(page.contains(part), "\(part)")
            }
        }
    }

    @Test func `a sign-in of long ago sees its passkeys and changes none`() async throws {
        try await run { bridge, browser in
            try await signIn(browser)
            bridge.clock.advance(by: .seconds(899))
            #expect(try await browser.get(Self.path).text.contains("data-passkey"))
            bridge.clock.advance(by: .seconds(2))
            let page = try await browser.get(Self.path)
            #expect(page.status == .ok && !page.text.contains("data-passkey") && page.text.contains(#"id="again""#))
        }
    }

    @Test func `a session of a login token is led to the sign-in`() async throws {
        try await run { _, browser in
            let parts = try await browser.client.signIn("alice").split(separator: "=", maxSplits: 1).map(String.init)
            browser.hold(parts[0], parts[1])
            let answer = try await browser.get(Self.path)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location]?.contains("/sign-in?redirect=") == true)
        }
    }

    @Test func `a session of a login token for a user without an account says so, and leads to no sign-in`()
        async throws
    {
        try await run { _, browser in
            let parts = try await browser.client.signIn("dora").split(separator: "=", maxSplits: 1).map(String.init)
            browser.hold(parts[0], parts[1])
            let page = try await browser.get(Self.path)
            #expect(page.status == .ok && page.text.contains("Set up your passkeys there."))
            let account = try await browser.get("/account")
            #expect(account.text.contains("You sign in elsewhere, and change there how you do so."))
            #expect(!page.text.contains(#"id="again""#) && !account.text.contains(#"id="again""#))
        }
    }

    @Test func `a form of another page removes nothing`() async throws {
        try await run { _, browser in
            try await signIn(browser)
            let answer = try await browser.post(Self.path, [("what", "remove"), ("passkey", "x"), ("form_token", "x")])
            #expect(answer.status == .badRequest && answer.text.contains("open for too long"))
        }
    }
}
