import Bridge
import HTTPTypes
import HummingbirdTesting
import OAuth2
import Testing

@testable import BridgeHTTP

@Suite struct StaticRouteTests {
    static let assets = [
        ("drawbridge.css", "text/css; charset=utf-8"), ("confirm.js", "text/javascript; charset=utf-8"),
        ("drawbridge.js", "text/javascript; charset=utf-8"), ("drawbridge.svg", "image/svg+xml"),
    ]

    @Test(arguments: assets)
    func `an asset is served once and then confirmed by its tag`(name: String, type: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, "/assets/\(name)")
            #expect(answer.headers[.contentType] == type)
            let tag = try #require(answer.headers[.eTag])
            let again = try await client.send(.get, "/assets/\(name)", [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
            #expect(again.text.isEmpty)
        }
    }

    @Test func `a picture that could hold scripts is answered with a policy that lets none run`() async throws {
        try await TestBridge.run { _, client in
            let policy = try await client.send(.get, "/assets/drawbridge.svg").headers[.contentSecurityPolicy]
            #expect(policy == "default-src 'none'; style-src 'unsafe-inline'; sandbox")
            #expect(try await client.send(.get, "/assets/drawbridge.css").headers[.contentSecurityPolicy] == nil)
        }
    }

    @Test func `a browser that looks at JSON finds an icon`() async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, "/favicon.ico")
            #expect(answer.status == .ok && answer.headers[.contentType] == "image/svg+xml")
            #expect(answer.headers[.eTag] != nil)
        }
    }

    @Test(arguments: ["nothing.js", "..%2Ftexts%2Fen.json", "../texts/en.json", ".."])
    func `nothing else is served`(name: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, "/assets/\(name)")
            #expect(answer.status == .notFound)
        }
    }

    @Test func `app links exclude the redemption paths, and the page that phones answer to, first`() async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, "/.well-known/apple-app-site-association")
            #expect(answer.headers[.contentType] == "application/json")
            let start = """
                {"applinks":{"details":[{"appIDs":["TEAM.com.example.app"],"components":[\
                {"/":"/login-with-token","exclude":true},{"/":"/user/login-with-token.php","exclude":true},\
                {"/":"/self-issued/callback","exclude":true},
                """
            #expect(answer.text.hasPrefix(start))
            #expect(answer.text.contains(#",{"/":"/sign-in/callback/*","exclude":true},"#))
            #expect(answer.text.hasSuffix(#","exclude":true},{"/":"/contacts/*"}]}]}}"#))
            #expect(try await client.send(.get, "/.well-known/assetlinks.json").status == .notFound)
        }
    }

    @Test func `contract §13: every page of ours stays in the browser, but those that an app is to open`() {
        func isExcluded(_ path: String, at purposes: Origins.Purposes) -> Bool {
            RouteTable.browserPages(at: purposes).contains {
                $0.hasSuffix("*") ? path.hasPrefix(String($0.dropLast())) : path == $0
            }
        }
        let pages = RouteTable.all.filter { $0.method == .get && $0.shape == .page }.map(\.path)
        // Settings say where three of these are; the other two are meant for apps.
        #expect(
            Set(pages.filter { !isExcluded($0, at: .all) }) == [
                "/login-with-token", "/self-issued/callback", "/", "/x/{id}", "/self-issued/open",
            ])
        for path in ["/session", "/session/hand-off", "/v0/sign_in/authorize", "/v0/sign_in/logout"] {
            #expect(isExcluded(path, at: .all), "\(path)")
        }
        for path in ["/account/orders", "/sessions", "/v0/appointments", "/devices", "/oauth/app/callback"] {
            #expect(!isExcluded(path, at: .all), "a website's own, or an app's: \(path)")
        }
        #expect(isExcluded("/session/sign-in", at: .website))
        #expect(!isExcluded("/sign-in", at: .website), "nothing of ours where the provider has an origin of its own")
    }

    @Test func `an exchange's error page has an entry for each of its causes`() async throws {
        try await TestBridge.run { _, client in
            let grant = try await client.send(.get, "/errors/invalid_grant").text
            for cause in NativeSSORefusal.allCases {
                #expect(grant.contains("<div id=\"\(cause.rawValue)\">") == (cause.code == .invalidGrant), "\(cause)")
            }
            let token = try await client.send(.get, "/errors/invalid_token").text
            #expect(token.contains("<div id=\"subject_token_invalid\">"))
            #expect(try await !client.send(.get, "/errors/invalid_client").text.contains("<dt "))
        }
    }

    @Test(arguments: [
        ("invalid_token", 401, 400, "In an exchange with a device secret: the subject token"),
        ("access_denied", 403, 400, "In a token exchange: the client of the subject token does not share"),
        ("slow_down", 429, 400, "A device without a browser asked again too soon."),
        ("unauthorized_client", 403, 400, "To a client that asks for tokens: it may not use this grant type"),
    ])
    func `a code that the token endpoint answers with another status has both on its page, and what each means`(
        code: String, status: Int, other: Int, explanation: String
    ) async throws {
        try await TestBridge.run { _, client in
            let page = try await client.send(.get, "/errors/\(code)").text
            for part in ["Sent with HTTP status \(status)<", "Sent with HTTP status \(other)<", explanation] {
                #expect(page.contains(part), "\(part)")
            }
            let index = try await client.send(.get, "/errors").text
            #expect(
                index.contains(#"<code>\#(code)</code></a> <span class="small quiet">\#(status), \#(other)</span>"#))
            let plain = try await client.send(.get, "/errors/invalid_grant").text
            #expect(plain.ranges(of: "Sent with HTTP status").count == 1)
        }
    }

    @Test func `an error code has a page, an unknown one has none`() async throws {
        try await TestBridge.run { _, client in
            let page = try await client.send(.get, "/errors/invalid_target")
            #expect(page.status == .ok)
            for part in [
                "The requested website or audience is unknown.", #"id="remedy""#, #"href="/errors""#,
                "drawbridge audit search <span>--config FILE</span> <span>--request REQUEST_ID</span>",
            ] {
                #expect(page.text.contains(part), "\(part)")
            }
            #expect(try await client.send(.get, "/errors/nonsense").status == .notFound)
            let index = try await client.send(.get, "/errors").text
            for code in ErrorCode.all {
                #expect(index.contains(#"href="/errors/\#(code.rawValue)""#), "\(code)")
            }
            for reason in SelfIssuedRefusal.Reason.allCases {
                #expect(index.contains(#"href="/errors/\#(reason.rawValue)""#), "\(reason)")
                let page = try await client.send(.get, "/errors/\(reason.rawValue)")
                #expect(page.text.contains("<h1><code>\(reason.rawValue)</code></h1>"), "\(reason)")
            }
        }
    }
}
