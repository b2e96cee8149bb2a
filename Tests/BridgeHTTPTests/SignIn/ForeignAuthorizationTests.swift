import Bridge
import BridgeHTTP
import BridgeTestSupport
import HTTPTypes
import HummingbirdTesting
import OAuth2
import Testing

/// An authorization request that another website's page posts.
@Suite struct ForeignAuthorizationTests {
    private static let callback = "https://app.example.com/callback"

    private static func run(_ body: @Sendable (TestBridge, TestBrowser) async throws -> Void) async throws {
        try await TestBridge.run { bridge, client async throws in
            try await TestAccounts.add(to: bridge)
            let uri = try RedirectURI(registering: callback, rules: RedirectURIRules(isNative: true))
            bridge.services.clients.change("app", "web") { $0.redirectURIs = [uri] }
            try await body(bridge, TestBrowser(client))
        }
    }

    private static func foreign(_ site: String) -> HTTPFields {
        [
            .contentType: "application/x-www-form-urlencoded", .userAgent: Visitor.browser, .origin: site,
            .name("Sec-Fetch-Site"): "cross-site",
        ]
    }

    @Test(arguments: ["https://app.example.com", "null"])
    func `OpenID Core §3.1.2.1: a website's own POST finds its user signed in, by the GET that follows`(
        site: String
    ) async throws {
        try await Self.run { _, browser async throws in
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            let address = AuthorizeURL.make(redirect: Self.callback, more: "&x=%zz&y=a+b")
            let form = address.drop { $0 != "?" }.dropFirst()
            // What the browser sends there, whose cookies are Lax.
            let answer = try await browser.client.send(
                .post, "/oauth/authorize", Self.foreign(site), body: "login_token=a.b.c&\(form)&login%5Ftoken=d")
            #expect(answer.status == .seeOther && answer.cookies.isEmpty)
            let location = try #require(answer.headers[.location])
            #expect(location.hasPrefix("https://bridge.example/oauth/authorize?request_form="))
            let consent = try await browser.get(location)
            #expect(consent.status == .ok && consent.text.contains(#"id="allow""#))
        }
    }

    @Test func `RFC 9700 §4.2: the address of that GET shows nothing of what was posted, and all of it counts`()
        async throws
    {
        try await Self.run { _, browser async throws in
            let form = AuthorizeURL.make(redirect: Self.callback).drop { $0 != "?" }.dropFirst()
            let answer = try await browser.client.send(
                .post, "/oauth/authorize", Self.foreign("null"),
                body: "\(form)&client_secret=hunter2&id_token_hint=e30.e30.e30")
            let location = try #require(answer.headers[.location])
            for word in ["hunter2", "e30.e30", "app.example.com"] {
                #expect(!location.contains(word), "\(word)")
            }
            let refused = try await browser.get(location).redirect()
            #expect(refused["error_description"] == "id_token_hint is not an ID token of this server")
            #expect(refused["state"] == "s-1")
        }
    }

    @Test func `a login token in a posted request is none in its GET, whatever the browser tells of where it was`()
        async throws
    {
        try await Self.run { _, browser async throws in
            let address = AuthorizeURL.make("web", redirect: Self.callback)
            let form = address.drop { $0 != "?" }.dropFirst()
            let token = try await browser.client.issue(for: "alice").token
            let answer = try await browser.client.send(
                .post, "/oauth/authorize", Self.foreign("null"), body: "\(form)&login%5Ftoken=\(token)")
            let onward = try await browser.get(try #require(answer.headers[.location]))
            #expect(onward.headers[.location]?.hasPrefix("https://bridge.example/sign-in?journey=") == true)
            let used = try await browser.get("\(address)&login_token=\(token)")
            #expect(used.status == .ok, "the token was good, and is unused: its user is asked for consent")
        }
    }

    @Test func `a sealed request that is too old, or not ours, is a request without parameters`() async throws {
        try await Self.run { bridge, browser async throws in
            let form = AuthorizeURL.make(redirect: Self.callback).drop { $0 != "?" }.dropFirst()
            let answer = try await browser.client.send(
                .post, "/oauth/authorize", Self.foreign("null"), body: String(form))
            let location = try #require(answer.headers[.location])
            #expect(try await browser.get(location).status == .seeOther)
            bridge.clock.advance(by: .seconds(1800))
            for address in [location, "\(AuthorizeURL.path)?request_form=x&\(form)"] {
                let page = try await browser.get(address)
                #expect(page.status == .badRequest && page.headers[.location] == nil)
            }
        }
    }

    @Test func `a foreign POST is answered itself where its address would be too long, or cookies came along`()
        async throws
    {
        try await Self.run { _, browser async throws in
            let form = String(AuthorizeURL.make(redirect: Self.callback).drop { $0 != "?" }.dropFirst())
            let long = try await browser.client.send(
                .post, "/oauth/authorize", Self.foreign("null"),
                body: "\(form)&x=\(String(repeating: "a", count: 4096))")
            #expect(long.headers[.location]?.hasPrefix("https://bridge.example/sign-in?journey=") == true)
            _ = try await browser.signIn(on: browser.get("/sign-in"))
            var headers = Self.foreign("null")
            headers[.cookie] = browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            let consent = try await browser.client.send(.post, "/oauth/authorize", headers, body: form)
            #expect(consent.status == .ok && consent.text.contains(#"id="allow""#))
        }
    }
}
