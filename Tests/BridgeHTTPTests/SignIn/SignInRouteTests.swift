import Bridge
import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import OAuth2
import SQLStorage
import Testing

@Suite struct SignInRouteTests {
    private func run(
        limiter: any RateLimiter = UnlimitedRateLimiter(),
        _ body: @Sendable (TestBridge, TestBrowser) async throws -> Void
    ) async throws {
        try await TestBridge.run(limiter: limiter) { bridge, client in
            try await TestAccounts.add(to: bridge)
            try await body(bridge, TestBrowser(client))
        }
    }

    private static let session = "__Host-drawbridge_session"

    @Test func `the right password lands on the page that was asked for`() async throws {
        try await run { _, browser in
            let page = try await browser.get("/sign-in?redirect=%2Faccount%2Fprofile")
            #expect(page.status == .ok && !page.text.contains("id=\"notice\""))
            let answer = try await browser.signIn(on: page)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "https://bridge.example/account/profile")
            let state = try await browser.get("/session").json()
            #expect(state["sub"] as? String == "alice" && state["origin"] as? String == "authorize")
        }
    }

    @Test(arguments: ["https://evil.example/", "//evil.example", "/%5Cevil.example", "/not-listed"])
    func `a path that is not on the list lands on the default page, and is recorded`(redirect: String) async throws {
        try await run { bridge, browser in
            let page = try await browser.get("/sign-in?redirect=\(PercentEncoding.encode(redirect))")
            let answer = try await browser.signIn(on: page)
            #expect(answer.headers[.location] == "https://bridge.example/contacts")
            let events = try await bridge.storage.search(
                AuditFilter(type: .redirectRefused), before: nil, limit: 5)
            #expect(events.records.count == 1)
        }
    }

    @Test func `a path that comes twice lands on the default page, and is recorded once`() async throws {
        try await run { bridge, browser in
            let page = try await browser.get("/sign-in?redirect=%2Faccount%2Fprofile&redirect=%2Faccount%2Fa")
            let again = try await browser.signIn(on: page, password: "wrong horse")
            let answer = try await browser.signIn(on: again)
            #expect(answer.headers[.location] == "https://bridge.example/contacts")
            let events = try await bridge.storage.search(
                AuditFilter(type: .redirectRefused), before: nil, limit: 5
            ).records.map(\.event)
            #expect(events.map(\.reason) == ["repeated"] && events.map(\.subject) == ["alice"])
            #expect(events.map(\.detail) == [#"{"length":16,"path":"/account/profile"}"#])
        }
    }

    @Test func `the fields are what password managers look for`() async throws {
        try await run { _, browser in
            let text = try await browser.get("/sign-in").text
            #expect(
                text.contains(#"autocomplete="username webauthn""#)
                    && text.contains(#"autocomplete="current-password""#))
            // One script has forms sent once, the other asks for passkeys; neither reads what is typed.
            #expect(text.contains(#"type="password""#) && text.matches(of: /<script/).count == 2)
            #expect(text.contains(#"<script src="/assets/once.js" defer></script>"#))
            #expect(text.contains(#"<script src="/assets/passkey.js" defer></script>"#))
        }
    }

    @Test func `wrong password and unknown user look the same`() async throws {
        try await run { _, browser in
            let wrong = try await browser.signIn(on: browser.get("/sign-in"), password: "wrong horse")
            let unknown = try await browser.signIn(on: browser.get("/sign-in"), as: "nobody")
            #expect(wrong.status == unknown.status && wrong.status == .badRequest)
            #expect(wrong.text.contains("The user name or the password is not right."))
            func plain(_ page: TestResponse) -> String {
                page.text.replacing(#/(value|data-challenge|data-sealed)="[^"]*"/#, with: "").replacing(
                    #/<code>[^<]*<\/code>/#, with: "")
            }
            #expect(plain(wrong) == plain(unknown))
            for part in [
                "<title>Error: ", #"aria-invalid="true""#, #"aria-describedby="notice""#, "Forgotten your password?",
            ] {
                #expect(wrong.text.contains(part), "\(part)")
            }
            #expect(browser.cookies[Self.session] == nil)
        }
    }

    // MARK: Login CSRF (RFC 9700 §4.7.1)

    @Test func `a form without our token signs nobody in`() async throws {
        try await run { _, browser in
            let page = try await browser.get("/sign-in")
            let fields = page.fields.filter { $0.0 != "form_token" }
            let answer = try await browser.post(
                "/sign-in", fields + [("username", "alice"), ("password", TestAccounts.password)])
            #expect(answer.status == .badRequest && browser.cookies[Self.session] == nil)
        }
    }

    @Test func `another browser's form signs nobody in`() async throws {
        try await run { _, browser in
            let attacker = TestBrowser(browser.client)
            let page = try await attacker.get("/sign-in")
            let answer = try await browser.signIn(on: page)
            #expect(answer.status == .badRequest && browser.cookies[Self.session] == nil)
            // What came back is a form of the browser's own.
            let mended = try await browser.signIn(on: answer)
            #expect(mended.status == .seeOther)
        }
    }

    @Test func `a form that lay open for too long is offered again`() async throws {
        try await run { bridge, browser in
            let page = try await browser.get("/sign-in?redirect=%2Faccount%2Fprofile")
            bridge.clock.advance(by: .seconds(301))
            let again = try await browser.signIn(on: page)
            #expect(again.status == .badRequest && again.text.contains("open for too long"))
            #expect(again.text.contains("<title>Error: ") && !again.text.contains("aria-invalid"))
            let landed = try await browser.signIn(on: again)
            #expect(landed.headers[.location] == "https://bridge.example/account/profile")
        }
    }

    @Test(arguments: ["/sign-in", "/admin/sign-in"])
    func `a browser that keeps no cookies is told so, while the page is new`(path: String) async throws {
        try await run { bridge, browser in
            let page = try await browser.get(path)
            let typed = page.fields + [("username", "alice"), ("password", TestAccounts.password), ("token", "t")]
            func answer() async throws -> String { try await TestBrowser(browser.client).post(path, typed).text }
            #expect(try await answer().contains("Your browser keeps no cookies from this site."))
            bridge.clock.advance(by: .seconds(301))
            #expect(try await answer().contains("open for too long"))
        }
    }

    // MARK: Fixation, clickjacking, throttling

    @Test func `a session that was planted before is not taken over`() async throws {
        try await run { _, browser in
            let planted = try await browser.client.signIn("mallory")
            browser.hold(Self.session, String(planted.drop { $0 != "=" }.dropFirst()))
            let before = browser.cookies[Self.session]
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            #expect(browser.cookies[Self.session] != before)
            let isPlantedAlive = try await browser.client.isSignedIn(planted)
            #expect(!isPlantedAlive)
            let state = try await browser.get("/session").json()
            #expect(state["sub"] as? String == "alice")
        }
    }

    @Test(arguments: ["/sign-in", AuthorizeURL.make("nobody")])
    func `no page may be framed`(path: String) async throws {
        try await run { _, browser in
            let page = try await browser.open(path)
            #expect(page.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
            #expect(page.headers[.name("X-Frame-Options")] == "DENY")
            #expect(page.headers[.cacheControl] == "no-store")
        }
    }

    @Test func `guessing is answered with 429 and a time to wait`() async throws {
        try await run(limiter: InProcessRateLimiter(clock: .parameter)) { _, browser in
            browser.send("X-Forwarded-For", "203.0.113.9")
            for _ in 0..<5 {
                let answer = try await browser.signIn(on: browser.get("/sign-in"), password: "wrong")
                #expect(answer.status == .badRequest)
            }
            let answer = try await browser.signIn(on: browser.get("/sign-in"))
            #expect(answer.status == .tooManyRequests && answer.text.contains("<title>Error: "))
            let wait = try #require(answer.headers[.retryAfter].flatMap { Int($0) })
            #expect(wait > 0 && answer.text.contains("Please wait \(wait) s, then try again."))
        }
    }

    @Test func `why the own account takes a sign-in is told to whoever has a session that came by a link`() async throws
    {
        try await run { _, browser in
            let path = "/sign-in?redirect=%2Faccount%2Fpasskeys"
            let stranger = try await browser.get(path)
            #expect(stranger.text.contains("to open your account") && !stranger.text.contains("came from an app"))
            let cookie = try await browser.client.signIn("alice")
            browser.hold(Self.session, String(cookie.drop { $0 != "=" }.dropFirst()))
            let page = try await browser.get(path)
            let wrong = try await browser.signIn(on: page, password: "wrong horse")
            for known in [page, wrong] {
                #expect(known.text.contains("A sign-in that came from an app or a link cannot change how you sign in."))
            }
        }
    }

    @Test func `without a website the user lands among the own devices`() async throws {
        try await run { bridge, browser in
            bridge.services.clients.replace(with: ClientDirectory([], defaultTarget: nil))
            let landed = try await browser.signIn(on: browser.get("/sign-in"))
            #expect(landed.headers[.location] == "https://bridge.example/account/devices")
            let asked = try await browser.signIn(on: browser.get("/sign-in?redirect=%2Faccount%2Fdevices"))
            #expect(asked.headers[.location] == "https://bridge.example/account/devices")
        }
    }

    @Test func `the address of the code page leads back to the beginning`() async throws {
        try await run { _, browser in
            let answer = try await browser.get("/sign-in/code")
            #expect(answer.status == .seeOther && answer.headers[.location] == "https://bridge.example/sign-in")
        }
    }

    @Test func `what a sign-in is for is what its form says, whatever the form's address says`() async throws {
        try await run { _, browser in
            let page = try await browser.get("/sign-in?redirect=%2Faccount%2Fprofile")
            #expect(page.text.contains(#"action="/sign-in?redirect=%2Faccount%2Fprofile""#))
            let answer = try await browser.post(
                "/sign-in?redirect=%2Fcontacts&redirect=%2Fcontacts",
                page.fields + [("username", "alice"), ("password", TestAccounts.password)])
            #expect(answer.headers[.location] == "https://bridge.example/account/profile")
        }
    }

    @Test func `whoever loads the address of the code's form again begins the same sign-in anew`() async throws {
        try await run { _, browser in
            let page = try await browser.signIn(on: browser.get("/sign-in?redirect=%2Faccount%2Fprofile"), as: "carol")
            let address = try #require(page.text.firstMatch(of: #/action="(\/sign-in\/code[^"]*)"/#)).1
            #expect(address == "/sign-in/code?redirect=%2Faccount%2Fprofile")
            let answer = try await browser.get(String(address))
            #expect(answer.headers[.location] == "https://bridge.example/sign-in?redirect=%2Faccount%2Fprofile")
        }
    }

    // MARK: Second factor

    @Test func `an account with a second factor is asked for its code`() async throws {
        try await run { bridge, browser in
            let page = try await browser.signIn(on: browser.get("/sign-in?redirect=%2Fcontacts"), as: "carol")
            #expect(page.status == .ok && page.text.contains(#"autocomplete="one-time-code""#))
            #expect(browser.cookies[Self.session] == nil)
            let wrong = try await browser.post("/sign-in/code", page.fields + [("code", "000000")])
            #expect(wrong.status == .badRequest)
            let right = try await browser.post(
                "/sign-in/code", wrong.fields + [("code", TestAccounts.code(at: bridge.clock.now))])
            #expect(right.headers[.location] == "https://bridge.example/contacts")
            let state = try await browser.get("/session").json()
            #expect(state["acr"] as? String == "aal2")
        }
    }
}
