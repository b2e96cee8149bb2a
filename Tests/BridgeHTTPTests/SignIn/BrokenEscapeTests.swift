import Bridge
import BridgeHTTP
import BridgeTestSupport
import HTTPTypes
import HummingbirdTesting
import OAuth2
import Testing

/// A `%` that two hexadecimal digits do not follow stops nobody who follows a link, where nothing depends on it.
@Suite struct BrokenEscapeTests {
    private func run(_ body: @Sendable (TestBrowser) async throws -> Void) async throws {
        try await TestBridge.run { bridge, client in
            let uri = try RedirectURI(
                registering: "com.example.app:/callback", rules: RedirectURIRules(isNative: true))
            bridge.services.clients.change("app") { $0.redirectURIs = [uri] }
            try await body(TestBrowser(client))
        }
    }

    /// The request by GET and by POST.
    private func answers(to url: String, _ browser: TestBrowser) async throws -> [TestResponse] {
        let form = String(url.drop { $0 != "?" }.dropFirst())
        return [
            try await browser.get(url),
            try await browser.client.send(
                .post, AuthorizeURL.path,
                [.contentType: "application/x-www-form-urlencoded", .userAgent: Visitor.browser], body: form),
        ]
    }

    @Test(arguments: ["&login_hint=50%", "&ui_locales=%", "&utm=%zz", "&%zz=1"])
    func `a request goes on without what it does not depend on`(more: String) async throws {
        try await run { browser in
            for answer in try await answers(to: AuthorizeURL.make(more: more), browser) {
                #expect(answer.status == .seeOther)
                #expect(answer.headers[.location]?.hasPrefix("https://bridge.example/sign-in?journey=") == true)
            }
        }
    }

    @Test(arguments: [
        "&nonce=%zz", "&claims=%", "&resource=%4g", "&max_age=1%", "&request_uri=%", "&id_token_hint=%",
    ])
    func `a request is refused whose meaning depends on it`(more: String) async throws {
        try await run { browser in
            for answer in try await answers(to: AuthorizeURL.make(more: more), browser) {
                #expect(answer.status == .badRequest && answer.headers[.location] == nil)
            }
        }
    }

    @Test(arguments: [("client_id=app", "client_id=%app"), ("state=s-1", "state=100%"), ("callback", "callback%")])
    func `who asks and for what has to be well-formed`(part: String, broken: String) async throws {
        try await run { browser in
            let url = AuthorizeURL.make().replacing(part, with: broken)
            for answer in try await answers(to: url, browser) {
                #expect(answer.status == .badRequest && answer.headers[.location] == nil)
            }
        }
    }

    @Test(arguments: [
        ("redirect=%zz", "/sign-in"), ("redirect=%2Fcontacts&utm=50%", "/sign-in?redirect=%2Fcontacts"),
        ("redirect=%2Fcontacts" + String(repeating: "&more=1", count: 70), "/sign-in"),
    ])
    func `a website's way to the sign-in is open whatever its query is`(query: String, leads: String) async throws {
        try await run { browser in
            let answer = try await browser.get("/session/sign-in?\(query)")
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location]?.hasSuffix(leads) == true)
        }
    }
}
