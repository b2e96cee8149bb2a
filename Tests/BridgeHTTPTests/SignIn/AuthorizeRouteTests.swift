import Bridge
import BridgeHTTP
import BridgeTestSupport
import HTTPTypes
import HummingbirdTesting
import OAuth2
import SQLStorage
import Testing

@Suite struct AuthorizeRouteTests {
    private func run(
        limits: LimitSettings = LimitSettings(), limiter: any RateLimiter = UnlimitedRateLimiter(),
        _ body: @Sendable (TestBridge, TestBrowser) async throws -> Void
    ) async throws {
        try await TestBridge.run(limits: limits, limiter: limiter) { bridge, client in
            try await TestAccounts.add(to: bridge)
            var app = Client(id: "app", name: "Notes & <b>more</b>", kind: .native)
            let rules = RedirectURIRules(isNative: true)
            app.redirectURIs = try [
                "com.example.app:/callback", "http://127.0.0.1/callback", "http://[::1]/callback",
                "https://app.example.com/callback",
            ].map { try RedirectURI(registering: $0, rules: rules) }
            bridge.services.clients.add(app)
            try await body(bridge, TestBrowser(client))
        }
    }

    @Test(arguments: [
        "com.example.app:/callback", "http://127.0.0.1:51004/callback", "http://[::1]:61023/callback",
        "https://app.example.com/callback",
    ])
    func `sign in, agree, and the app gets a code with state and iss`(redirect: String) async throws {
        try await run { bridge, browser in
            let page = try await browser.open(AuthorizeURL.make(redirect: redirect))
            #expect(page.text.contains("to continue to Notes &amp; &lt;b&gt;more&lt;/b&gt;"))
            let consent = try await browser.follow(browser.signIn(on: page))
            #expect(consent.status == .ok && consent.text.contains(#"id="allow""#))
            let answer = try await browser.decide(on: consent)
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location]?.hasPrefix(redirect + "?code=") == true)
            let parameters = try answer.redirect()
            #expect(parameters["state"] == "s-1" && parameters["iss"] == "https://bridge.example")
            let secret = try #require(OpaqueSecret(parameters["code"] ?? "", kind: .authorizationCode))
            let code = try #require(try await bridge.storage.code(digest: secret.digest)).code
            #expect(code.grant.subject == "alice" && code.grant.redirectURI == redirect)
            #expect(code.grant.codeChallenge?.value == AuthorizeURL.challenge)
            #expect(code.grant.authentication.amr == ["pwd"])
        }
    }

    @Test func `whoever loads the address of a refused sign-in again has not lost what it is for`() async throws {
        try await run { _, browser in
            let asked = try await browser.open(AuthorizeURL.make())
            let address = try #require(asked.text.firstMatch(of: #/<form method="post" action="([^"]+)"/#)).1
            #expect(address.hasPrefix("/sign-in?journey="))
            let wrong = try await browser.post(
                String(address), asked.fields + [("username", "alice"), ("password", "wrong horse")])
            #expect(wrong.status == .badRequest && wrong.text.contains(#"action="\#(address)""#))
            let again = try await browser.get(String(address))
            let signedIn = try await browser.post(
                String(address), again.fields + [("username", "alice"), ("password", TestAccounts.password)])
            let consent = try await browser.follow(signedIn)
            #expect(consent.text.contains(#"id="allow""#))
        }
    }

    @Test func `a redirect to an app carries a link for browsers that do not follow it`() async throws {
        try await run { _, browser in
            let consent = try await browser.follow(browser.signIn(on: browser.open(AuthorizeURL.make())))
            let answer = try await browser.decide(on: consent)
            let location = try #require(answer.headers[.location])
            let page = answer.text.replacing("&#x2F;", with: "/").replacing("&amp;", with: "&")
            #expect(answer.status == .seeOther && page.contains("href=\"\(location)\""))
            #expect(answer.headers[.cacheControl] == "no-store")
        }
    }

    @Test(arguments: [
        ("User-Agent", "Mozilla/5.0 (Linux; Android 14; wv) Chrome/130"), ("X-Requested-With", "com.evil"),
    ])
    func `a web view is recorded, and refused where the client wants it`(name: String, value: String) async throws {
        try await run { bridge, browser in
            browser.send(name, value)
            #expect(try await browser.open(AuthorizeURL.make()).text.contains("autocomplete=\"username "))
            let journey = try await browser.get(AuthorizeURL.make()).headers[.location] ?? ""
            bridge.services.clients.change("app") { $0.blocksWebViews = true }
            for uri in [AuthorizeURL.make(), journey] {
                let page = try await browser.get(uri)
                #expect(page.status == .badRequest && page.text.contains("could read your password"))
            }
            let events = try await bridge.storage.search(
                AuditFilter(type: .authorizationRequestEmbedded), before: nil, limit: 5
            ).records.map(\.event)
            #expect(events.map(\.outcome) == [.failure, .success, .success])
            #expect(events.map(\.reason) == ["embedded_browser", nil, nil])
        }
    }

    /// Every route, with the pages for phones that no ``TestBridge`` has, is asked in `DeclaredRoutesTests`.
    @Test func `a web view that took the journey of another browser gets to no way of signing in`() async throws {
        try await run { bridge, browser in
            bridge.services.clients.change("app") { $0.blocksWebViews = true }
            let page = try await browser.open(AuthorizeURL.make())
            let journey = try #require(page.fields.first { $0.0 == "journey" })
            let form = page.fields + [("username", "alice"), ("password", TestAccounts.password)]
            for (agent, isBlocked) in [("Mozilla/5.0 (Linux; wv) Chrome/130", true), (Visitor.browser, false)] {
                browser.send("User-Agent", agent)
                var answers: [(path: String, answer: TestResponse)] = []
                for path in ["/sign-in", "/sign-in/with/other", "/self-issued/start"] {
                    answers.append((path, try await browser.get("\(path)?\([journey].encoded)")))
                }
                for path in ["/sign-in/passkey", "/sign-in/code", "/sign-in"] {
                    answers.append((path, try await browser.post(path, form)))
                }
                for (path, answer) in answers {
                    #expect(answer.text.contains("could read your password") == isBlocked, "\(path)")
                    #expect(!isBlocked || answer.status == .badRequest, "\(path)")
                }
                let hasSession = browser.cookies["__Host-drawbridge_session"] != nil
                #expect(hasSession == !isBlocked)
            }
        }
    }

    @Test func `the way through the sign-in outlasts a slow provider`() async throws {
        try await run { bridge, browser in
            let answer = try await browser.get(AuthorizeURL.make())
            let cookie = answer.headers[values: .setCookie].first { $0.hasPrefix("__Host-drawbridge_form=") }
            #expect(cookie?.contains("Max-Age=1800") == true)
        }
    }

    @Test(arguments: ["allow", "deny"])
    func `a user who answers too often leaves nothing more behind`(word: String) async throws {
        var limits = LimitSettings()
        limits.authorizationPerSubject = TokenBucket(perMinute: 2)
        try await run(limits: limits, limiter: InProcessRateLimiter(clock: .parameter)) { bridge, browser in
            let page = try await browser.open(AuthorizeURL.make())
            let consent = try await browser.follow(browser.signIn(on: page))
            var errors: [String?] = []
            for _ in 0..<4 { errors.append(try await browser.decide(on: consent, word).redirect()["error"]) }
            let passed = word == "allow" ? nil : "access_denied"
            #expect(errors == [passed, passed, "temporarily_unavailable", "temporarily_unavailable"])
            let events = try await bridge.storage.search(AuditFilter(), before: nil, limit: 100).records.map(\.event)
            #expect(events.count { $0.type.rawValue.hasPrefix("consent.") } == 2)
            #expect(events.count { $0.type == .rateLimitExceeded && $0.reason == "authorize.subject" } == 1)
        }
    }

    @Test func `no is an answer, too`() async throws {
        try await run { bridge, browser in
            let consent = try await browser.follow(browser.signIn(on: browser.open(AuthorizeURL.make())))
            let parameters = try await browser.decide(on: consent, "deny").redirect()
            #expect(parameters["error"] == "access_denied" && parameters["code"] == nil)
            #expect(parameters["state"] == "s-1" && parameters["iss"] == "https://bridge.example")
            let denied = try await bridge.storage.search(AuditFilter(type: .consentDenied), before: nil, limit: 5)
            #expect(denied.records.map(\.event.subject) == ["alice"])
            let signedIn = try await bridge.storage.search(AuditFilter(type: .userSignedIn), before: nil, limit: 5)
            #expect(denied.records.map(\.event.sessionID) == signedIn.records.map(\.event.sessionID))
        }
    }

    @Test func `the request may come by POST and is answered by 303`() async throws {
        try await run { _, browser in
            let query = AuthorizeURL.make().drop { $0 != "?" }.dropFirst()
            let answer = try await browser.client.send(
                .post, "/oauth/authorize",
                [.contentType: "application/x-www-form-urlencoded", .userAgent: Visitor.browser], body: String(query))
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location]?.hasPrefix("https://bridge.example/sign-in?journey=") == true)
        }
    }

    @Test(arguments: [
        ("nobody", "com.example.app:/callback"), ("app", "https://evil.example/"),
        ("app", "http://127.0.0.1.evil.example/callback"), ("app", "com.example.app://callback"),
    ])
    func `a bad client or redirect gets a page and never a redirect`(client: String, redirect: String) async throws {
        try await run { _, browser in
            let answer = try await browser.get(AuthorizeURL.make(client, redirect: redirect))
            #expect(answer.status == .badRequest && answer.headers[.location] == nil)
            #expect(answer.headers[.contentType]?.hasPrefix("text/html") == true)
            #expect(!answer.text.contains("evil.example"))
            #expect(
                answer.text.contains(#"href="https://www.example/sign-in""#), "contract §11: a way on without a script")
        }
    }

    @Test func `every refused request is in the audit log, with what its client did wrong`() async throws {
        try await run { bridge, browser in
            let wrong = "com.example.app:/wrong?secret=1"
            for url in [
                AuthorizeURL.make("no%07body"), AuthorizeURL.make(redirect: wrong),
                AuthorizeURL.make(more: "&response_mode=form_post"), AuthorizeURL.make(more: "&max_age=x"),
            ] { _ = try await browser.get(url) }
            let events = try await bridge.storage.search(
                AuditFilter(type: .authorizationRequestRefused), before: nil, limit: 9
            ).records.map(\.event).reversed()
            #expect(
                events.map(\.reason) == ["unknown_client", "unregistered_redirect", "response_mode", "invalid_request"])
            #expect(events.map(\.clientID) == [nil, "app", "app", "app"])
            #expect(
                events.map(\.detail) == [
                    #"{"client_id":"no\\x07body"}"#, #"{"length":31,"path":"com.example.app:/wrong"}"#, nil,
                    #"{"description":"max_age must be a number of seconds"}"#,
                ])
            for _ in 0..<20 { _ = try await browser.get(AuthorizeURL.make("nobody")) }
            let all = try await bridge.storage.search(
                AuditFilter(type: .authorizationRequestRefused), before: nil, limit: 50)
            #expect(all.records.count == 10, "whoever sends many must not fill the log")
        }
    }

    @Test func `an unknown response mode gets a page and never a redirect`() async throws {
        try await run { _, browser in
            let answer = try await browser.get(AuthorizeURL.make(more: "&response_mode=fragment"))
            #expect(answer.status == .badRequest && answer.headers[.location] == nil)
            #expect(answer.headers[.contentType]?.hasPrefix("text/html") == true)
            #expect(answer.text.contains(#"href="https://www.example/sign-in""#))
        }
    }

    @Test func `HEAD changes nothing`() async throws {
        try await run { _, browser in
            let answer = try await browser.client.send(.head, AuthorizeURL.make())
            #expect(answer.status == .methodNotAllowed)
        }
    }

    // MARK: CSRF on the consent page

    @Test func `a yes without our token is no yes`() async throws {
        try await run { bridge, browser in
            let consent = try await browser.follow(browser.signIn(on: browser.open(AuthorizeURL.make())))
            let fields = consent.fields.prefix { $0.0 != "decision" }.filter { $0.0 != "form_token" }
            let answer = try await browser.post("/oauth/consent", fields + [("decision", "allow")])
            #expect(answer.status == .ok && answer.text.contains(#"id="allow""#))
            #expect(answer.text.contains("nothing was allowed") && answer.text.contains("<title>Error: "))
            #expect(!consent.text.contains("nothing was allowed"))
            let issued = try await codes(bridge)
            #expect(issued == 0)
        }
    }

    @Test func `a yes that was meant for another account is a form of no session any more`() async throws {
        try await run { bridge, browser in
            let consent = try await browser.follow(browser.signIn(on: browser.open(AuthorizeURL.make())))
            _ = try await browser.signIn(on: browser.get("/sign-in"), as: "bob")
            let answer = try await browser.decide(on: consent)
            #expect(answer.status == .ok && answer.text.contains("bob"))
            let issued = try await codes(bridge)
            #expect(issued == 0)
        }
    }

    @Test func `somebody else's journey does not count as this browser's sign-in`() async throws {
        try await run { _, browser in
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            let attacker = TestBrowser(browser.client)
            let link = try await attacker.get(AuthorizeURL.make(more: "&prompt=login")).headers[.location] ?? ""
            let journey = link.replacing("/sign-in?", with: "/oauth/authorize?")
            // The victim has signed in after the attacker's demand, but not on its behalf.
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            let answer = try await browser.get(journey)
            #expect(answer.headers[.location]?.hasPrefix("https://bridge.example/sign-in?journey=") == true)
        }
    }

    private func codes(_ bridge: TestBridge) async throws -> Int {
        try await bridge.storage.search(AuditFilter(type: .authorizationCodeIssued), before: nil, limit: 9).records
            .count
    }

    // MARK: A login token of another user (contract §4.5)

    @Test func `a form of ours without its yes, or with two tokens, switches nobody`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let callback = "https://app.example.com/callback"
            let uri = try RedirectURI(registering: callback, rules: RedirectURIRules(isNative: false))
            bridge.services.clients.change("web") {
                $0.redirectURIs = [uri]
                // So that `/session` tells of what its token opened (contract §16.3).
                $0.isFirstParty = true
            }
            let browser = TestBrowser(client)
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            let token = try await client.issue(for: "bob").token
            let question = try await browser.get(
                AuthorizeURL.make("web", redirect: callback, more: "&login_token=\(token)"))
            #expect(question.text.contains("Continue as bob"))
            let form = question.fields
            let unsaid = form.filter { $0.0 != "confirm_switch" }
            #expect(unsaid.count == form.count - 1)
            let other = try await client.issue(for: "bob").token
            let forged: [[(String, String)]] = [
                unsaid, unsaid + [("confirm_switch", "no")], form + [("confirm_switch", "yes")],
                form + [("login_token", other)],
            ]
            for fields in forged {
                _ = try await browser.post("/oauth/authorize", fields)
                let subject = try await browser.get("/session").text("sub")
                #expect(subject == "alice", "\(fields.map { $0.0 })")
            }
            _ = try await browser.post("/oauth/authorize", form)
            let subject = try await browser.get("/session").text("sub")
            #expect(subject == "bob")
        }
    }

    // MARK: prompt, max_age

    @Test func `prompt none answers without a page`() async throws {
        try await run { _, browser in
            let url = AuthorizeURL.make(redirect: "https://app.example.com/callback", more: "&prompt=none")
            let first = try await browser.get(url).redirect()
            #expect(first["error"] == "login_required")
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            let second = try await browser.get(url).redirect()
            #expect(second["error"] == "consent_required")
            let consent = try await browser.open(AuthorizeURL.make(redirect: "https://app.example.com/callback"))
            _ = try await browser.decide(on: consent)
            let third = try await browser.get(url).redirect()
            #expect(third["code"] != nil)
        }
    }

    @Test func `prompt login signs in again, once`() async throws {
        try await run { bridge, browser in
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            let page = try await browser.open(AuthorizeURL.make(more: "&prompt=login"))
            #expect(page.text.contains(#"type="password""#))
            bridge.clock.advance(by: .seconds(5))
            let consent = try await browser.follow(browser.signIn(on: page))
            #expect(consent.text.contains(#"id="allow""#))
        }
    }

    @Test func `max_age signs in again when the sign-in is too old`() async throws {
        try await run { bridge, browser in
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            bridge.clock.advance(by: .seconds(2))
            let young = try await browser.open(AuthorizeURL.make(more: "&max_age=10000"))
            #expect(young.text.contains(#"id="allow""#))
            let old = try await browser.open(AuthorizeURL.make(more: "&max_age=1"))
            #expect(old.text.contains(#"type="password""#))
        }
    }

    @Test func `a secret in the place of the client leaves no more than its length in the audit log`() async throws {
        try await run { bridge, browser in
            let secret = OpaqueSecret.make(.refreshToken, random: .system).expose()
            let token = Base64URL.encode(Array(#"{"alg":"HS256","typ":"login+jwt"}"#.utf8)) + ".e30.c2ln"
            let values = [secret, String(secret.prefix(40)), "id%20\(token)", "com.example.other"]
            for value in values { _ = try await browser.get(AuthorizeURL.make(value)) }
            let events = try await bridge.storage.search(
                AuditFilter(type: .authorizationRequestRefused), before: nil, limit: 9
            ).records.map(\.event).reversed()
            #expect(
                events.map(\.detail) == [
                    #"{"length":53}"#, #"{"length":40}"#, #"{"length":\#(token.utf8.count + 3)}"#,
                    #"{"client_id":"com.example.other"}"#,
                ])
        }
    }

    @Test func `ui_locales and login_hint shape the page`() async throws {
        try await run { _, browser in
            let page = try await browser.open(
                AuthorizeURL.make(more: "&ui_locales=xx+de&login_hint=alice%40example.com"))
            #expect(page.text.contains("<html lang=\"de\">") && page.text.contains(#"value="alice@example.com""#))
        }
    }

    @Test(arguments: [
        "com.example.app:/callback", "http://127.0.0.1:51004/callback", "https://app.example.com/callback",
    ])
    func `the page's form may lead wherever the app sends its visitor on`(redirect: String) async throws {
        try await run { _, browser in
            let policy = try #require(
                try await browser.open(AuthorizeURL.make(redirect: redirect)).headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'") && !policy.contains("form-action"))
        }
    }
}
