import HTTPTypes
import HummingbirdTesting
import Testing

/// Contract §4.2 over HTTP: what consumes a token, and what never does.
@Suite struct ConsumingVisitTests {
    @Test(arguments: ["none", "same-origin", "same-site"])
    func `a person's own navigation signs in at once`(site: String) async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue()
            let answer = try await client.redeem(token.token, Visitor.navigation(site: site))
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == "https://bridge.example/contacts")
            #expect(answer.cookies["__Host-drawbridge_session"] != nil)
        }
    }

    static let unsure: [HTTPFields] = [
        [:],
        [.userAgent: Visitor.otherBrowser],
        Visitor.navigation(site: "cross-site"),
        Visitor.navigation(site: "galaxy"),
        [.name("Sec-Fetch-Site"): "none", .name("Sec-Fetch-Mode"): "cors", .name("Sec-Fetch-Dest"): "document"],
        [.name("Sec-Fetch-Site"): "none", .name("Sec-Fetch-Mode"): "navigate", .name("Sec-Fetch-Dest"): "iframe"],
        [.name("Sec-Fetch-Mode"): "navigate", .name("Sec-Fetch-Dest"): "document"],
        Visitor.navigation(more: [.name("Sec-Purpose"): "prefetch"]),
        Visitor.navigation(more: [.name("Sec-Purpose"): "prefetch;prerender"]),
        Visitor.navigation(more: [.name("Purpose"): "PREFETCH"]),
        Visitor.navigation(more: [.name("X-Purpose"): "preview"]),
        Visitor.navigation(more: [.name("X-Moz"): "prefetch"]),
        Visitor.navigation(agent: "facebookexternalhit/1.1"),
        Visitor.navigation(more: [.name("Sec-Fetch-Site"): "none"]),
    ]

    @Test(arguments: unsure)
    func `every other GET gets the confirm page and touches nothing`(headers: HTTPFields) async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue()
            let answer = try await client.redeem(token.token, headers)
            #expect(answer.status == .ok)
            #expect(answer.text.contains("<form id=\"confirm\""))
            #expect(answer.cookies["__Host-drawbridge_session"] == nil)
            let status = try await client.send(
                .get, "/api/auth/sso-tokens/\(token.id)", [.authorization: "Bearer alice.app"])
            #expect(try status.text("status") == "pending")
        }
    }

    @Test(arguments: [HTTPRequest.Method.head, .options])
    func `HEAD and OPTIONS never consume`(method: HTTPRequest.Method) async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue()
            let answer = try await client.send(
                method, "/login-with-token?token=\(token.token)", Visitor.navigation())
            #expect(answer.status == (method == .head ? .ok : .noContent))
            #expect(answer.text.isEmpty)
            #expect(answer.headers[values: .setCookie].isEmpty)
            #expect(try await client.redeem(token.token).status == .seeOther)
        }
    }

    @Test func `OPTIONS says which methods there are`() async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.options, "/login-with-token")
            #expect(answer.headers[.allow] == "GET, HEAD, POST, OPTIONS")
        }
    }

    @Test func `the header carrier consumes even on a cross-site visit`() async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue()
            let answer = try await client.send(
                .get, "/login-with-token?redirect=%2Faccount%2Fplan",
                Visitor.navigation(site: "cross-site", more: [.name("Drawbridge-Login-Token"): token.token]))
            #expect(answer.headers[.location] == "https://bridge.example/account/plan")
        }
    }

    @Test func `a prefetch signal beats the header carrier`() async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue()
            let answer = try await client.send(
                .get, "/login-with-token",
                Visitor.navigation(more: [
                    .name("Drawbridge-Login-Token"): token.token, .name("Sec-Purpose"): "prefetch",
                ]))
            #expect(answer.status == .ok)
        }
    }

    static let webViewPosts: [HTTPFields] = [
        [:], [.name("Sec-Fetch-Site"): "none"], [.name("Sec-Fetch-Site"): "same-origin"],
        [.origin: "https://bridge.example"],
    ]

    @Test(arguments: webViewPosts)
    func `a web view's own POST consumes`(headers: HTTPFields) async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue()
            let answer = try await client.post([("token", token.token), ("redirect", "/account/a")], headers)
            #expect(answer.headers[.location] == "https://bridge.example/account/a")
        }
    }

    static let foreignPosts: [HTTPFields] = [
        [.origin: "https://evil.example"], [.origin: "null"], [.name("Sec-Fetch-Site"): "cross-site"],
        [.name("Sec-Fetch-Site"): "same-site"], [.origin: "https://bridge.example.evil.example"],
    ]

    @Test(arguments: foreignPosts)
    func `a foreign POST gets the confirm page`(headers: HTTPFields) async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue()
            let answer = try await client.post([("token", token.token)], headers)
            #expect(answer.status == .ok)
            #expect(try await client.redeem(token.token).status == .seeOther)
        }
    }

    @Test func `our own form consumes whatever Origin says`() async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue()
            let page = try await client.redeem(
                token.token, Visitor.navigation(site: "cross-site"), more: "&redirect=%2Faccount%2Fb")
            let answer = try await client.post(
                page.fields, [.origin: "null", .name("Sec-Fetch-Site"): "cross-site", .cookie: page.cookieHeader])
            #expect(answer.headers[.location] == "https://bridge.example/account/b")
        }
    }

    @Test func `a form token counts only in the browser it was made for`() async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue()
            let page = try await client.redeem(token.token, [:])
            let other = try await client.redeem(token.token, [:])
            for cookie in ["", other.cookieHeader] {
                let answer = try await client.post(page.fields, [.origin: "null", .cookie: cookie])
                #expect(answer.status == .ok)
            }
        }
    }

    @Test func `a form token counts for five minutes only`() async throws {
        try await TestBridge.run { bridge, client in
            let page = try await client.send(.get, "/login-with-token", Visitor.navigation())
            bridge.clock.advance(by: .seconds(301))
            let token = try await client.issue()
            let answer = try await client.post(
                page.fields + [("token", token.token)], [.origin: "null", .cookie: page.cookieHeader])
            #expect(answer.status == .ok)
        }
    }

    @Test func `a second page keeps the binding, so both forms work`() async throws {
        try await TestBridge.run { _, client in
            let first = try await client.issue()
            let second = try await client.issue()
            let page = try await client.redeem(first.token, [:])
            let next = try await client.redeem(second.token, [.cookie: page.cookieHeader])
            #expect(next.cookies == page.cookies)
        }
    }

    @Test func `a website that asks for a click gets one`() async throws {
        try await TestBridge.run { _, client in
            let token = try await client.issue(#"{"client_id":"careful"}"#)
            let page = try await client.redeem(token.token)
            #expect(page.status == .ok)
            #expect(!page.text.contains("data-submits-itself"))
            let script = page.fields.filter { $0.0 != "auto" } + [("auto", "1")]
            #expect(try await client.post(script, [.cookie: page.cookieHeader]).status == .ok)
            let click = try await client.post(page.fields, [.cookie: page.cookieHeader])
            #expect(click.status == .seeOther)
        }
    }

    @Test(arguments: [("none", true), ("same-site", true), ("cross-site", false)])
    func `the page submits itself unless the visit is cross-site`(site: String, submits: Bool) async throws {
        try await TestBridge.run { _, client in
            let page = try await client.send(.get, "/login-with-token", Visitor.navigation(site: site))
            #expect(page.text.contains("data-submits-itself") == submits)
        }
    }
}
