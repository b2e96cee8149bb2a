import Bridge
import BridgeTestSupport
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

/// `/session`, its logout and `/auth/check` (contract §6).
@Suite struct SessionRouteTests {
    @Test(arguments: [
        nil, "__Host-drawbridge_session=nonsense", "__Host-drawbridge_session=", "other=1",
    ])
    func `signed out is 200 and says so`(cookie: String?) async throws {
        try await TestBridge.run { _, client in
            var headers: HTTPFields = [:]
            headers[.cookie] = cookie
            let answer = try await client.send(.get, "/session", headers)
            #expect(answer.status == .ok)
            #expect(answer.text == #"{"authenticated":false}"#)
            #expect(answer.headers[.cacheControl] == "no-store")
        }
    }

    @Test func `signed in shows what is known and leaves out what is not`() async throws {
        try await TestBridge.run { _, client in
            let plain = try await client.send(.get, "/session", [.cookie: client.signIn()])
            #expect(
                Set(try plain.json().keys) == ["authenticated", "sub", "expires_at", "idle_expires_at", "origin"])
            #expect(try plain.text("expires_at") == "2025-11-21T19:00:00.000Z")
            #expect(try plain.text("origin") == "login_token")
            let strong = try await client.send(.get, "/session", [.cookie: client.signIn(acr: "aal2")])
            #expect(strong.text.contains(#""acr":"aal2","amr":["pwd"],"auth_time":"2025-11-21T06:59:00.000Z""#))
        }
    }

    @Test func `two cookies of the name are none`() async throws {
        try await TestBridge.run { _, client in
            let cookie = try await client.signIn()
            let answer = try await client.send(.get, "/session", [.cookie: "\(cookie); \(cookie)"])
            #expect(answer.text == #"{"authenticated":false}"#)
        }
    }

    @Test func `who is asked whether to sign out may stay after all`() async throws {
        try await TestBridge.run { _, client in
            let asked = try await client.send(.get, "/session/logout", [.cookie: client.signIn()])
            #expect(asked.text.contains("Do you want to sign out?"))
            #expect(asked.text.contains("<a class=\"button second\" href=\"/account\" id=\"stay\">Stay signed in</a>"))
        }
    }

    @Test(arguments: [nil, "__Host-drawbridge_session=nonsense"])
    func `who is not signed in is told so instead of being asked`(cookie: String?) async throws {
        try await TestBridge.run { _, client in
            var headers: HTTPFields = [:]
            headers[.cookie] = cookie
            let page = try await client.send(.get, "/session/logout", headers)
            #expect(page.status == .ok && page.text.contains("<h1>You are not signed in</h1>"))
            #expect(!page.text.contains("id=\"stay\""))
            let answer = try await client.post(
                page.fields, [.origin: "null", .cookie: page.cookieHeader], to: "/session/logout")
            #expect(answer.status == .seeOther)
        }
    }

    @Test func `a page that is seen in the middle of a sign-in does not shorten the way through it`() async throws {
        try await TestBridge.run { _, client in
            let begun = try await client.send(.get, "/sign-in")
            let binding = try #require(begun.cookies["__Host-drawbridge_form"])
            let page = try await client.send(.get, "/session/logout", [.cookie: begun.cookieHeader])
            let cookie = try #require(page.headers[values: .setCookie].first)
            #expect(cookie.hasPrefix("__Host-drawbridge_form=\(binding);") && cookie.contains("; Max-Age=1800"))
        }
    }

    @Test func `a form of ours that has a field twice signs nobody out`() async throws {
        try await TestBridge.run { _, client in
            let cookie = try await client.signIn()
            let page = try await client.send(.get, "/session/logout", [.cookie: cookie])
            let headers: HTTPFields = [.origin: "null", .cookie: "\(cookie); \(page.cookieHeader)"]
            let refused = try await client.post(
                page.fields + [("x", "1"), ("x", "2")], headers, to: "/session/logout")
            #expect(refused.status == .forbidden)
            #expect(try await client.isSignedIn(cookie))
            #expect(try await client.post(page.fields, headers, to: "/session/logout").status == .seeOther)
        }
    }

    @Test func `logout by a script is 204, by a form 303 to the signed-out page`() async throws {
        try await TestBridge.run { _, client in
            let cookie = try await client.signIn()
            let byScript = try await client.send(
                .post, "/session/logout", [.cookie: cookie, .name("Sec-Fetch-Site"): "same-origin"])
            #expect(byScript.status == .noContent)
            #expect(
                byScript.headers[values: .setCookie] == [
                    "__Host-drawbridge_session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0",
                    "drawbridge_info=; Path=/; Secure; SameSite=Lax; Max-Age=0",
                ])
            #expect(try await !client.isSignedIn(cookie))

            let second = try await client.signIn()
            let page = try await client.send(.get, "/session/logout", [.cookie: second])
            #expect(try await client.isSignedIn(second))
            let byForm = try await client.post(
                page.fields, [.origin: "null", .cookie: "\(second); \(page.cookieHeader)"], to: "/session/logout")
            #expect(byForm.status == .seeOther)
            #expect(byForm.headers[.location] == "https://bridge.example/session/signed-out")
            #expect(try await !client.isSignedIn(second))
        }
    }

    static let elsewhere: [HTTPFields] = [
        [.origin: "https://evil.example"], [.origin: "null"], [.name("Sec-Fetch-Site"): "cross-site"],
        [.name("Sec-Fetch-Site"): "same-site"],
        [.origin: "https://bridge.example", .name("Sec-Fetch-Site"): "cross-site"],
        [.origin: "https://evil.example", .name("Sec-Fetch-Site"): "same-origin"],
    ]

    @Test(arguments: elsewhere)
    func `logout from elsewhere is 403`(headers: HTTPFields) async throws {
        try await TestBridge.run { _, client in
            let cookie = try await client.signIn()
            var headers = headers
            headers[.cookie] = cookie
            #expect(try await client.send(.post, "/session/logout", headers).status == .forbidden)
            #expect(try await client.isSignedIn(cookie))
        }
    }

    @Test func `check tells a proxy who, without a body`() async throws {
        try await TestBridge.run { _, client in
            let cookie = try await client.signIn(acr: "aal2")
            for method in [HTTPRequest.Method.get, .post, .head, .put] {
                let answer = try await client.send(method, "/auth/check", [.cookie: cookie])
                #expect(answer.status == .ok)
                #expect(answer.text.isEmpty)
                #expect(answer.headers[.name("X-Auth-Subject")] == "alice")
                #expect(answer.headers[.name("X-Auth-Acr")] == "aal2")
                let session = try #require(answer.headers[.name("X-Auth-Session")])
                #expect(!session.isEmpty && !cookie.contains(session))
                #expect(answer.headers[values: .setCookie].isEmpty)
            }
        }
    }

    static let demands = [
        ("", 200), ("?acr=aal2", 200), ("?acr=aal3", 401), ("?acr=aal3%20aal2", 200), ("?acr=aal3+aal2", 200),
        // Who showed two factors showed one, and no sign-in would make it less.
        ("?acr=aal1", 200), ("?acr=urn:example:other", 401),
        ("?max_age=60", 200), ("?max_age=59", 401), ("?acr=aal2&max_age=3600", 200), ("?max_age=-1", 400),
        ("?max_age=soon", 400), ("?max_age=1.5", 400), ("?max_age=60&max_age=60", 400), ("?acr=%22", 400),
        ("?acr=a%20%20b", 400), ("?max_age=", 400), ("?acr=", 400), ("?acr=%ff", 400), ("?max_age=%zz", 400),
        ("?other=1", 200), ("?other=1&other=2", 400), ("?redirect=/x&redirect=/y", 400), ("?acr_values=aal2", 400),
        ("?max-age=60", 400), ("?ACR=aal3", 400), ("?maxAge=60", 400), ("?aCr-Values=aal2", 400), ("?rd=/x", 200),
        ("?acr=aal2&acr=aal2", 400), ("?identity=name&identity=", 400), ("?website=&website=web", 400),
    ]

    @Test(arguments: demands)
    func `check understands acr and max_age`(query: String, status: Int) async throws {
        try await TestBridge.run { _, client in
            let cookie = try await client.signIn(acr: "aal2")
            let answer = try await client.send(.get, "/auth/check\(query)", [.cookie: cookie])
            #expect(answer.status.code == status)
            #expect(answer.text.isEmpty)
            if status == 401 {
                let challenge = try #require(answer.headers[.wwwAuthenticate])
                #expect(challenge.hasPrefix("Bearer error=\"insufficient_user_authentication\", "))
            }
        }
    }

    @Test func `check without a session is 401 and says nothing`() async throws {
        try await TestBridge.run { _, client in
            // Envoy asks by the visitor's own method, and a visitor's may be WebDAV's.
            for name in ["GET", "PROPFIND", "REPORT", "MKCOL", "SEARCH", "LOCK", "MSEARCH"] {
                let method = try #require(HTTPRequest.Method(name))
                let answer = try await client.send(method, "/auth/check", [.accept: "text/html"])
                #expect(answer.status == .unauthorized, "\(name)")
                #expect(answer.text.isEmpty)
                #expect(answer.headers[.wwwAuthenticate] == "Bearer")
                #expect(answer.headers[.contentType] == nil)
            }
        }
    }

    static let websites = [
        ("shop", 200), ("web", 400), ("app", 400), ("nobody", 400), ("", 400), ("%ff", 400), ("shop&website=shop", 400),
    ]

    @Test(arguments: websites)
    func `check takes the website that a proxy names, and refuses one without an origin of its own`(
        name: String, status: Int
    ) async throws {
        try await TestBridge.run { _, client in
            let cookie = try await client.signIn()
            let answer = try await client.send(.get, "/auth/check?website=\(name)", [.cookie: cookie])
            #expect(answer.status.code == status)
            #expect(answer.text.isEmpty)
        }
    }

    @Test func `a check about a website that is not there is in the service log, once a minute`() async throws {
        try await TestBridge.run { bridge, client in
            for (seconds, told) in [(0, 1), (59, 1), (1, 2)] {
                bridge.clock.advance(by: .seconds(seconds))
                _ = try await client.send(.get, "/auth/check?website=nobody")
                #expect(bridge.logMessages.text.ranges(of: "asked /auth/check").count == told)
            }
        }
    }

    @Test func `attack: a website that is not there gets into the service log short and in plain characters`()
        async throws
    {
        try await TestBridge.run { bridge, client in
            _ = try await client.send(.get, "/auth/check?website=shpo%1B%5B2J\(String(repeating: "a", count: 500))")
            let line = try #require(bridge.logMessages.all.first { $0.contains("asked /auth/check") })
            #expect(line.hasSuffix(" website=shpo%1B[2J\(String(repeating: "a", count: 54))"), "64 bytes")
            #expect(line.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        }
    }

    @Test(arguments: [false, true])
    func `attack: a secret that is sent for a website gets into no service log`(isEncoded: Bool) async throws {
        try await TestBridge.run { bridge, client in
            let secret = OpaqueSecret.make(.deviceSecret, random: .system).expose()
            // Once more than the query needs.
            let name = isEncoded ? secret.utf8.map { "%25\(String($0, radix: 16))" }.joined() : secret
            _ = try await client.send(.get, "/auth/check?website=\(name)")
            let line = try #require(bridge.logMessages.all.first { $0.contains("asked /auth/check") })
            #expect(line.hasSuffix(" website=<redacted>"))
        }
    }

    @Test func `what the service log says of a request has the id of its answer and no other`() async throws {
        try await TestBridge.run { bridge, client in
            let answer = try await client.send(.get, "/auth/check?website=nobody")
            let id = try #require(answer.headers[.name("X-Request-Id")])
            let line = try #require(bridge.logMessages.all.first { $0.contains("asked /auth/check") })
            #expect(line.contains(" request_id=\(id)") && !line.contains("hb.request.id"))
        }
    }

    @Test func `check of a store that cannot answer is 503 without a body`() async throws {
        try await TestBridge.run { bridge, client in
            let cookie = try await client.signIn()
            bridge.clock.advance(by: .seconds(30))
            try await bridge.storage.close()
            let answer = try await client.send(.get, "/auth/check", [.cookie: cookie])
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.text.isEmpty)
        }
    }
}
