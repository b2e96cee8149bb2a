import Bridge
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

/// Contract §4.3 over HTTP: what each case answers.
@Suite struct OutcomeTests {
    @Test func `first use sets both cookies exactly`() async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.redeem(client.issue().token)
            let cookies = answer.headers[values: .setCookie]
            #expect(cookies.count == 2)
            #expect(
                cookies[1].wholeMatch(
                    of:
                        #/__Host-drawbridge_session=dbs_[A-Za-z0-9_-]{57}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=43200/#
                ) != nil)
            #expect(
                cookies[0].wholeMatch(
                    of:
                        #/drawbridge_info=%7B%22expires_at%22%3A\d+%2C%22idle_expires_at%22%3A\d+%7D; Path=/; Secure; SameSite=Lax; Max-Age=43200/#
                ) != nil)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.name("Referrer-Policy")] == "no-referrer")
            #expect(answer.headers[.name("X-Robots-Tag")] == "noindex")
        }
    }

    @Test func `the same browser again lands without a second session`() async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue().token
            let first = try await client.redeem(token)
            bridge.clock.advance(by: .seconds(10))
            let again = try await client.redeem(token, Visitor.navigation(cookie: first.cookieHeader))
            #expect(again.status == .seeOther)
            #expect(again.headers[values: .setCookie].isEmpty)
            #expect(try await client.isSignedIn(first.cookieHeader))
        }
    }

    @Test func `a double tap lands without cookies and ends nothing`() async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue().token
            let first = try await client.redeem(token)
            bridge.clock.advance(by: .seconds(2))
            let again = try await client.redeem(token)
            #expect(again.status == .seeOther)
            #expect(again.headers[values: .setCookie].isEmpty)
            #expect(try await client.isSignedIn(first.cookieHeader))
        }
    }

    @Test func `another browser ends the session that the first use opened`() async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue().token
            let first = try await client.redeem(token)
            let other = try await client.redeem(token, Visitor.navigation(agent: Visitor.otherBrowser))
            #expect(other.status == .badRequest)
            #expect(try await !client.isSignedIn(first.cookieHeader))
        }
    }

    @Test func `a redirect that is repeated, once empty, counts as repeated after the confirm page too`() async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue().token
            let page = try await client.redeem(
                token, Visitor.navigation(site: "cross-site"), more: "&redirect=&redirect=/account/x")
            let answer = try await client.post(
                page.fields, [.userAgent: Visitor.browser, .cookie: page.cookieHeader])
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "https://bridge.example/contacts")
            let refused = try await bridge.storage.search(
                AuditFilter(type: .redirectRefused), before: nil, limit: 9)
            #expect(refused.records.map(\.event.reason) == [ReturnPathRefusal.repeated.rawValue])
        }
    }

    @Test func `a website that only wants an alert keeps the session`() async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue(#"{"client_id":"tolerant"}"#).token
            let first = try await client.redeem(token)
            _ = try await client.redeem(token, Visitor.navigation(agent: Visitor.otherBrowser))
            #expect(try await client.isSignedIn(first.cookieHeader))
            let events = try await bridge.storage.search(AuditFilter(), before: nil, limit: 50).records
            #expect(events.contains { $0.event.type == .loginTokenReplayed })
        }
    }

    @Test func `every refusal is the same page but for the request id`() async throws {
        try await TestBridge.run { bridge, client in
            let good = try await client.issue().token
            let used = try await client.issue().token
            _ = try await client.redeem(used)
            let revoked = try await client.issue()
            _ = try await client.send(
                .delete, "/api/auth/sso-tokens/\(revoked.id)", [.authorization: "Bearer alice.app"])
            let expired = try await client.issue(#"{"ttl":1}"#).token
            bridge.clock.advance(by: .seconds(4))
            var pages: Set<String> = []
            for token in [
                "abc", "..", good.dropLast(4) + "AAAA", expired, revoked.token, used, "%ff%fe", "%zz", "alice.app",
            ] {
                let answer = try await client.redeem(
                    String(token), Visitor.navigation(agent: Visitor.otherBrowser))
                #expect(answer.status == .badRequest, "\(token)")
                let id = try #require(answer.headers[.name("X-Request-Id")])
                #expect(answer.text.contains(id))
                pages.insert(answer.text.replacing(id, with: "") + answer.headers.map(\.name.rawName).sorted().joined())
            }
            #expect(pages.count == 1)
        }
    }

    @Test func `the refusal page leads to the normal sign-in`() async throws {
        try await TestBridge.run { _, client in
            let page = try await client.redeem("abc")
            #expect(page.text.contains("href=\"https://www.example/sign-in\""))
        }
    }

    @Test(arguments: [
        ("/account/plan%3Fx%3D1", "/account/plan?x=1"), ("/contacts%3F", "/contacts"),
        ("%2F%2Fevil.example", "/contacts"),
        ("/50%", "/contacts"), ("/account/%ff", "/contacts"), ("/account/a&redirect=/account/b", "/contacts"),
        ("", "/contacts"),
    ])
    func `a bad redirect lands on the default page`(redirect: String, path: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.redeem(client.issue().token, more: "&redirect=\(redirect)")
            #expect(answer.headers[.location] == "https://bridge.example\(path)")
        }
    }

    @Test func `a website on another origin is landed on there, and the page's form may lead there`() async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue(#"{"client_id":"shop"}"#).token
            let page = try await client.redeem(token, [:])
            #expect(page.headers[.contentSecurityPolicy]?.contains("form-action") == false)
            let answer = try await client.redeem(token)
            #expect(answer.headers[.location] == "https://shop.example/contacts")
        }
    }

    @Test func `the page's policy says nothing of its token, and names no website`() async throws {
        try await TestBridge.run { _, client in
            func policy(_ token: String) async throws -> String {
                let answer = try await client.send(.get, "/login-with-token\(token)")
                return try #require(answer.headers[.contentSecurityPolicy])
            }
            let tokens = try await [client.issue(#"{"client_id":"web"}"#), client.issue(#"{"client_id":"shop"}"#)]
                .map(\.token)
            // A token in the fragment is not sent here.
            let plain = try await policy("")
            #expect(!plain.contains("shop.example"))
            for token in tokens + tokens.map({ String($0.dropLast()) }) {
                #expect(try await policy("?token=\(token)") == plain)
            }
        }
    }

    @Test func `a yes to another account counts in the session that was asked about`() async throws {
        try await TestBridge.run { _, client in
            let (alice, carol) = (try await client.signIn("alice"), try await client.signIn("carol"))
            let token = try await client.issue(for: "bob")
            let page = try await client.redeem(token.token, Visitor.navigation(cookie: alice))
            let form = page.fields + [("confirm_switch", "yes")]
            let headers: HTTPFields = [
                .userAgent: Visitor.browser, .cookie: "\(carol); \(page.cookieHeader)", .name("Origin"): "null",
            ]
            let asked = try await client.post(form, headers)
            #expect(asked.status == .ok)
            #expect(try await client.isSignedIn(carol))
        }
    }

    @Test func `the question names both people, with their ids beside, which nobody can imitate`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let alice = try await client.signIn("alice")
            let page = try await client.redeem(client.issue(for: "bob").token, Visitor.navigation(cookie: alice))
            for (words, name) in [("Stay signed in as", "alice"), ("Continue as", "bob")] {
                #expect(page.text.contains("\(words) \(name) &lt;i&gt;Example&lt;/i&gt;"))
                #expect(page.text.contains("<bdi dir=\"ltr\">\(name)</bdi>"))
            }
        }
    }

    @Test func `another user's session is asked about, and nothing happens before yes`() async throws {
        try await TestBridge.run { _, client in
            let alice = try await client.signIn("alice")
            let token = try await client.issue(for: "bob")
            let page = try await client.redeem(token.token, Visitor.navigation(cookie: alice))
            #expect(page.status == .ok)
            #expect(page.text.contains("Stay signed in as alice"))
            #expect(page.text.contains("Continue as bob"))
            #expect(page.text.contains(#"<p id="cost">If you continue, alice is signed out in this browser.</p>"#))
            #expect(page.text.contains(#"type="submit" aria-describedby="cost">"#))
            #expect(page.text.contains("href=\"https://bridge.example/contacts\""))
            #expect(try await client.isSignedIn(alice))

            let yes = try await client.post(
                page.fields, [.userAgent: Visitor.browser, .cookie: "\(alice); \(page.cookieHeader)"])
            #expect(yes.status == .seeOther)
            #expect(try await !client.isSignedIn(alice))
            let session = try await client.send(.get, "/session", [.cookie: yes.cookieHeader])
            #expect(try session.text("sub") == "bob")
        }
    }

    @Test func `saying yes takes our own form`() async throws {
        try await TestBridge.run { _, client in
            let alice = try await client.signIn("alice")
            let token = try await client.issue(for: "bob").token
            let answer = try await client.post(
                [("token", token), ("confirm_switch", "yes")], [.cookie: alice])
            #expect(answer.status == .ok)
            #expect(try await client.isSignedIn(alice))
        }
    }

    @Test func `a planted session id is never adopted`() async throws {
        try await TestBridge.run { _, client in
            let planted = try await client.signIn("mallory")
            _ = try await client.send(
                .post, "/session/logout", [.cookie: planted, .name("Sec-Fetch-Site"): "same-origin"])
            let answer = try await client.redeem(client.issue().token, Visitor.navigation(cookie: planted))
            #expect(answer.status == .seeOther)
            #expect(!planted.contains(try #require(answer.cookies["__Host-drawbridge_session"])))
        }
    }

    @Test func `a store that cannot decide is 503 with Retry-After`() async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue().token
            try await bridge.storage.close()
            let answer = try await client.redeem(token)
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.headers[.retryAfter] == "1")
            #expect(answer.text.contains("Sign-in is not available right now"))
        }
    }

    @Test func `too many refusals from one network are 429, a good token is not held back`() async throws {
        var limits = LimitSettings()
        limits.failedRedemptionPerNetwork = TokenBucket(perMinute: 2)
        try await TestBridge.run(
            limits: limits,
            limiter: InProcessRateLimiter(clock: .parameter)
        ) { _, client in
            let from = Visitor.navigation(more: [.name("X-Forwarded-For"): "203.0.113.9"])
            let good = try await client.issue().token
            for _ in 0..<2 { #expect(try await client.redeem("bad", from).status == .badRequest) }
            let limited = try await client.redeem("bad", from)
            #expect(limited.status == .tooManyRequests)
            #expect(try Int(#require(limited.headers[.retryAfter])) == 30)
            #expect(limited.text.contains("Please wait 30 s, then open the website from your app once more."))
            #expect(try await client.redeem(good, from).status == .seeOther)
        }
    }

    @Test func `further paths redeem too, and their form stays on them`() async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue().token
            let page = try await client.send(.get, "/user/login-with-token.php?token=\(token)")
            #expect(page.text.contains("action=\"/user/login-with-token.php\""))
            let answer = try await client.send(
                .get, "/user/login-with-token.php?token=\(token)", Visitor.navigation())
            #expect(answer.status == .seeOther)
        }
    }

    @Test(arguments: ["//user//login-with-token.php", "/user/login-with-token.php/", "/login-with-token/"])
    func `another spelling of a path is not found, and consumes nothing`(path: String) async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue().token
            let answer = try await client.send(.get, "\(path)?token=\(token)", Visitor.navigation())
            #expect(answer.status == .notFound)
            #expect(try await client.redeem(token).status == .seeOther)
        }
    }

    @Test func `a POST that is no form is 415 and consumes nothing`() async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue().token
            let answer = try await client.send(
                .post, "/login-with-token", [.contentType: "application/json"], body: #"{"token":"\#(token)"}"#)
            #expect(answer.status == .unsupportedMediaType)
            #expect(try await client.redeem(token).status == .seeOther)
        }
    }
}
