import Bridge
import BridgeHTTP
import BridgeTestSupport
import HTTPTypes
import HummingbirdTesting
import OAuth2
import SQLStorage
import Testing

/// The sign-in pages of a browser that is signed in already, only not well enough for the client that asks.
@Suite struct MissingProofPageTests {
    private static let callback = "https://app.example.com/callback"
    private static let session = "__Host-drawbridge_session"

    /// Two clients: `notes` takes any sign-in, `vault` wants two factors.
    private func run(_ body: @Sendable (TestBridge, TestBrowser) async throws -> Void) async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            for (id, minimum) in [("notes", nil), ("vault", "aal2")] as [(ClientID, String?)] {
                var client = Client(id: id, name: "The \(id.rawValue)", kind: .native)
                client.redirectURIs = [
                    try RedirectURI(registering: Self.callback, rules: RedirectURIRules(isNative: true))
                ]
                client.isFirstParty = true
                client.minimumACR = minimum
                bridge.services.clients.add(client)
            }
            try await body(bridge, TestBrowser(client))
        }
    }

    private static func url(_ client: String, _ more: String = "") -> String {
        AuthorizeURL.make(client, redirect: callback, more: more)
    }

    /// Alice signs in with her password, and sets up a second factor afterwards.
    private func signIn(_ bridge: TestBridge, _ browser: TestBrowser, withFactor: Bool = true) async throws {
        _ = try await browser.signIn(on: browser.get("/sign-in"))
        bridge.clock.advance(by: .seconds(60))
        guard withFactor else { return }
        let secrets = try #require(TestAccounts.secrets)
        let factor = SecondFactor(sealedSecret: try secrets.seal(TestAccounts.secret, for: "alice"))
        let isAdded = try await bridge.storage.addSecondFactor(
            factor, recoveryDigests: [], of: "alice",
            in: nil, event: AuditEvent(at: bridge.clock.now, type: .userSecondFactorChanged, outcome: .success))
        #expect(isAdded)
    }

    private func asksForCode(_ page: TestResponse) -> Bool {
        page.text.contains(#"autocomplete="one-time-code""#) && !page.text.contains(#"type="password""#)
    }

    /// Whether the name is given and only the password is asked for.
    private func asksForPassword(_ page: TestResponse, of name: String) -> Bool {
        page.text.contains(#"type="password""#)
            && page.text.contains(#"name="username" value="\#(name)""#) && page.text.contains(" readonly")
    }

    private func asksForEverything(_ page: TestResponse) -> Bool {
        page.text.contains(#"type="password""#) && page.text.contains(#"id="username""#)
            && !page.text.contains(" readonly")
    }

    private func link(of page: TestResponse, _ pattern: Regex<(Substring, Substring)>) throws -> String {
        let link = try #require(page.text.firstMatch(of: pattern)?.1)
        return String(link).replacing("&amp;", with: "&").replacing("&#x2F;", with: "/").replacing("&#x3D;", with: "=")
    }

    private func grant(_ bridge: TestBridge, _ answer: TestResponse) async throws -> AuthorizationGrant {
        let secret = try #require(OpaqueSecret(answer.redirect()["code"] ?? "", kind: .authorizationCode))
        return try #require(try await bridge.storage.code(digest: secret.digest)).code.grant
    }

    private func acr(_ browser: TestBrowser) async throws -> String? {
        try await browser.get("/session").json()["acr"] as? String
    }

    @Test func `where two factors are wanted only the code is asked for`() async throws {
        try await run { bridge, browser in
            let signedInAt = bridge.clock.now
            try await signIn(bridge, browser)
            let before = browser.cookies[Self.session]
            let page = try await browser.open(Self.url("vault"))
            #expect(page.status == .ok && asksForCode(page))
            #expect(page.text.contains("to continue to The vault"))
            #expect(page.text.contains("alice &lt;i&gt;Example"))
            #expect(page.headers[.contentSecurityPolicy]?.contains("form-action") == false)
            let answer = try await browser.follow(
                browser.post("/sign-in/code", page.fields + [("code", TestAccounts.code(at: bridge.clock.now))]))
            let grant = try await grant(bridge, answer)
            #expect(
                grant.authentication == Authentication(time: signedInAt, acr: "aal2", amr: ["pwd", "otp", "mfa"]))
            #expect(browser.cookies[Self.session] != before)
            // Nothing is asked for a second time.
            let again = try await browser.get(Self.url("vault")).redirect()
            #expect(again["code"] != nil)
        }
    }

    @Test func `a wrong code is asked for again, of the same user`() async throws {
        try await run { bridge, browser in
            try await signIn(bridge, browser)
            let page = try await browser.open(Self.url("vault"))
            let wrong = try await browser.post("/sign-in/code", page.fields + [("code", "000000")])
            #expect(wrong.status == .badRequest && asksForCode(wrong) && wrong.text.contains(#"id="known""#))
            let still = try await acr(browser)
            #expect(still == "aal1")
            let answer = try await browser.follow(
                browser.post("/sign-in/code", wrong.fields + [("code", TestAccounts.code(at: bridge.clock.now))]))
            #expect(try answer.redirect()["code"] != nil)
        }
    }

    @Test func `a sign-in that is too old is renewed with the password alone`() async throws {
        try await run { bridge, browser in
            try await signIn(bridge, browser, withFactor: false)
            let page = try await browser.open(Self.url("notes", "&max_age=59"))
            #expect(page.status == .ok && asksForPassword(page, of: "alice"))
            #expect(page.text.contains(#"autocomplete="username""#) && page.text.contains(#"id="known""#))
            let wrong = try await browser.signIn(on: page, password: "wrong horse")
            #expect(wrong.status == .badRequest && asksForPassword(wrong, of: "alice"))
            #expect(wrong.text.contains("This password is not right."))
            let answer = try await browser.follow(browser.signIn(on: wrong))
            let grant = try await grant(bridge, answer)
            #expect(grant.authentication.time == bridge.clock.now)
        }
    }

    @Test func `behind the password the code follows where there is a second factor`() async throws {
        try await run { bridge, browser in
            try await signIn(bridge, browser)
            let page = try await browser.open(Self.url("vault", "&max_age=59"))
            #expect(asksForPassword(page, of: "alice"))
            let code = try await browser.signIn(on: page)
            #expect(code.status == .ok && asksForCode(code))
            let answer = try await browser.follow(
                browser.post("/sign-in/code", code.fields + [("code", TestAccounts.code(at: bridge.clock.now))]))
            let grant = try await grant(bridge, answer)
            #expect(grant.authentication.acr == "aal2" && grant.authentication.time == bridge.clock.now)
        }
    }

    @Test(arguments: [("notes", "&prompt=login"), ("vault", "")])
    func `somebody else finds the way to the complete page, and stays there`(
        client: String, more: String
    ) async throws {
        try await run { bridge, browser in
            try await signIn(bridge, browser)
            let page = try await browser.open(Self.url(client, more))
            let complete = try await browser.get(try link(of: page, #/id="other" href="([^"]*)"/#))
            #expect(complete.status == .ok && asksForEverything(complete))
            let wrong = try await browser.signIn(on: complete, as: "carol", password: "wrong horse")
            #expect(asksForEverything(wrong))
            let code = try await browser.signIn(on: wrong, as: "carol")
            let answer = try await browser.follow(
                browser.post("/sign-in/code", code.fields + [("code", TestAccounts.code(at: bridge.clock.now))]))
            let grant = try await grant(bridge, answer)
            #expect(grant.subject == "carol" && grant.authentication.acr == "aal2")
        }
    }

    @Test(arguments: ["&prompt=login", "&max_age=0"])
    func `who has no password here is not asked for one alone`(more: String) async throws {
        try await run { _, browser in
            let cookie = try await browser.client.signIn("dora")
            browser.hold(Self.session, String(cookie.drop { $0 != "=" }.dropFirst()))
            let page = try await browser.open(Self.url("notes", more))
            #expect(asksForEverything(page) && !page.text.contains(#"id="known""#))
        }
    }

    @Test func `an account without a second factor is refused, and not sent round in circles`() async throws {
        try await run { bridge, browser in
            try await signIn(bridge, browser, withFactor: false)
            let page = try await browser.open(Self.url("vault"))
            #expect(asksForEverything(page))
            let answer = try await browser.follow(browser.signIn(on: page))
            #expect(try answer.redirect()["error"] == "access_denied")
        }
    }

    @Test func `a client that demands more than its user can show is refused, and the log says too_weak`()
        async throws
    {
        try await run { bridge, browser in
            func refusals() async throws -> [AuditEvent] {
                try await bridge.storage.search(
                    AuditFilter(type: .authorizationRequestRefused), before: nil, limit: 5
                ).records.map(\.event)
            }
            try await signIn(bridge, browser, withFactor: false)
            let silent = try await browser.get(Self.url("vault", "&prompt=none")).redirect()
            #expect(silent["error"] == "login_required")
            let before = try await refusals()
            #expect(before.isEmpty, "the answer that a client asks for with prompt=none")
            let answer = try await browser.follow(browser.signIn(on: browser.open(Self.url("vault"))))
            #expect(try answer.redirect()["error"] == "access_denied")
            let refused = try await refusals()
            #expect(refused.map(\.reason) == ["too_weak"])
            #expect(refused.map(\.subject) == ["alice"] && refused.map(\.clientID) == ["vault"])
        }
    }

    @Test func `a session that ended meanwhile leads to the complete page, and through it`() async throws {
        try await run { bridge, browser in
            try await signIn(bridge, browser)
            let page = try await browser.open(Self.url("vault"))
            let current = try #require(browser.cookies[Self.session].flatMap { OpaqueSecret($0, kind: .webSession) })
            let session = try #require(try await bridge.storage.session(secretDigest: current.digest))
            _ = try await bridge.storage.end(
                .webSession(session.id), Ending(at: bridge.clock.now, reason: .administrator, origin: nil),
                first: [])
            let stale = try await browser.post(
                "/sign-in/code", page.fields + [("code", TestAccounts.code(at: bridge.clock.now))])
            #expect(stale.status == .badRequest && asksForEverything(stale))
            #expect(stale.text.contains("open for too long"))
            let code = try await browser.signIn(on: stale)
            let answer = try await browser.follow(
                browser.post("/sign-in/code", code.fields + [("code", TestAccounts.code(at: bridge.clock.now))]))
            #expect(try answer.redirect()["code"] != nil)
        }
    }

    @Test func `another browser's form raises nothing`() async throws {
        try await run { bridge, browser in
            try await signIn(bridge, browser)
            let attacker = TestBrowser(browser.client)
            attacker.hold(Self.session, browser.cookies[Self.session] ?? "")
            let theirs = try await attacker.open(Self.url("vault"))
            #expect(asksForCode(theirs))
            _ = try await browser.open(Self.url("vault"))
            let fields = theirs.fields + [("code", TestAccounts.code(at: bridge.clock.now))]
            let answer = try await browser.post("/sign-in/code", fields)
            #expect(answer.status == .badRequest)
            let withoutToken = try await attacker.post("/sign-in/code", fields.filter { $0.0 != "form_token" })
            #expect(withoutToken.status == .badRequest)
            let still = try await acr(browser)
            #expect(still == "aal1")
        }
    }

    @Test func `the page that lay open for too long is offered again, with a code to type`() async throws {
        try await run { bridge, browser in
            try await signIn(bridge, browser)
            let page = try await browser.open(Self.url("vault"))
            bridge.clock.advance(by: .seconds(301))
            let code = TestAccounts.code(at: bridge.clock.now)
            let again = try await browser.post("/sign-in/code", page.fields + [("code", code)])
            #expect(again.status == .badRequest && asksForCode(again) && again.text.contains("open for too long"))
            let answer = try await browser.follow(browser.post("/sign-in/code", again.fields + [("code", code)]))
            #expect(try answer.redirect()["code"] != nil)
        }
    }

    @Test func `the consent page's way to another account shows the complete page`() async throws {
        try await run { bridge, browser in
            try await signIn(bridge, browser, withFactor: false)
            let consent = try await browser.open(Self.url("notes", "&prompt=consent&max_age=60"))
            let link = try link(of: consent, #/href="([^"]*sign-in[^"]*)"/#)
            bridge.clock.advance(by: .seconds(60))
            let page = try await browser.get(link)
            #expect(asksForEverything(page))
        }
    }

    @Test func `both pages speak German`() async throws {
        try await run { bridge, browser in
            try await signIn(bridge, browser)
            browser.send("Accept-Language", "de")
            let code = try await browser.open(Self.url("vault"))
            #expect(code.text.contains("Sie sind angemeldet als") && code.text.contains("Als jemand anderes anmelden"))
            let password = try await browser.open(Self.url("notes", "&prompt=login"))
            #expect(password.text.contains("<h1>Geben Sie Ihr Passwort noch einmal ein</h1>"))
        }
    }
}
