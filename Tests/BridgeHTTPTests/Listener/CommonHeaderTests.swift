import HTTPTypes
import HummingbirdTesting
import Testing

@Suite struct CommonHeaderTests {
    static let pages = [
        "/login-with-token", "/login-with-token?token=abc", "/session/logout", "/session/signed-out",
        "/errors/invalid_request",
    ]

    @Test(arguments: pages)
    func `every page carries the headers of contract §11`(path: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, path, Visitor.navigation())
            #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.name("Referrer-Policy")] == "no-referrer")
            #expect(answer.headers[.name("Cross-Origin-Resource-Policy")] == "same-origin")
            #expect(answer.headers[.name("Permissions-Policy")] == "camera=(), geolocation=(), microphone=()")
            #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            #expect(answer.headers[.strictTransportSecurity] == "max-age=31536000")
            let policy = try #require(answer.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe") && !policy.contains("*"))
            #expect(!answer.text.contains("<script>") && !answer.text.contains(" style="))
            #expect(answer.text.contains("<html lang=\"en\">"))
        }
    }

    @Test(arguments: [
        "/session/logout", "/session/signed-out", "/errors/invalid_request", "/sign-in?redirect=%2Faccount",
    ])
    func `a form that is answered here may be sent nowhere else`(path: String) async throws {
        try await TestBridge.run { _, client in
            let page = try await client.send(.get, path, Visitor.navigation())
            #expect(page.headers[.contentSecurityPolicy]?.contains("form-action 'self';") == true)
        }
    }

    @Test(arguments: ["/", "/account", "/sign-in/code", "/session/language?language=de&again=%2Fsign-in"])
    func `a redirect is kept by no cache and tells nobody where the visitor came from`(path: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, path, Visitor.navigation(site: "same-origin"))
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.cacheControl] == "no-store")
            #expect(answer.headers[.name("Referrer-Policy")] == "no-referrer")
        }
    }

    static let anything = [
        (HTTPRequest.Method.get, "/nowhere"), (.post, "/session"), (.get, "/api/auth/create-sso-token"),
        (.put, "/login-with-token"), (.get, "/assets/drawbridge.css"), (.get, "/auth/check"),
    ]

    @Test(arguments: anything)
    func `every answer has a request id and no sniffing`(method: HTTPRequest.Method, path: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(method, path)
            #expect(answer.headers[.name("X-Request-Id")]?.utf8.count == 20)
            #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            #expect(![301, 302, 307, 308].contains(answer.status.code))
        }
    }

    @Test(arguments: [
        ("/session", "same-origin"), ("/assets/drawbridge.js", nil), ("/openapi.json", nil),
    ])
    func `no other origin loads what is about a session, and every one what is for all`(
        path: String, policy: String?
    ) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, path)
            #expect(answer.headers[.name("Cross-Origin-Resource-Policy")] == policy)
        }
    }

    @Test func `the list of errors may be asked for with its slash or without`() async throws {
        try await TestBridge.run { _, client in
            for path in ["/errors", "/errors/"] {
                let answer = try await client.send(.get, path, Visitor.navigation())
                #expect(answer.status == .ok)
            }
            let none = try await client.send(.get, "/errors//", Visitor.navigation())
            #expect(none.status == .notFound)
        }
    }

    @Test func `a wrong method is 405 and says which are right`() async throws {
        try await TestBridge.run { _, client in
            for method in [HTTPRequest.Method.put, try #require(HTTPRequest.Method("PROPFIND"))] {
                let answer = try await client.send(method, "/session")
                #expect(answer.status == .methodNotAllowed)
                #expect(answer.headers[.allow] == "GET, HEAD, OPTIONS")
            }
        }
    }

    @Test(arguments: ["/api/docs", "/api/docs/console"])
    func `whoever sends anything to a page of the API is answered as a program, contract §11`(
        path: String
    ) async throws {
        try await TestBridge.run { _, client in
            for method in [HTTPRequest.Method.post, .put, .delete] {
                let answer = try await client.send(method, path, Visitor.navigation())
                #expect(answer.status == .methodNotAllowed)
                #expect(answer.headers[.contentType]?.hasPrefix("application/json") == true)
            }
            #expect(try await client.send(.get, path).headers[.contentType]?.hasPrefix("text/html") == true)
        }
    }

    @Test(
        arguments: [
            (nil, "text/html"), ("text/html,*/*;q=0.8", "text/html"), ("application/json", "application/json"),
        ] as [(String?, String)])
    func `a hand-off by whoever is not signed in is refused in the form that Accept asks for, contract §11`(
        accepted: String?, type: String
    ) async throws {
        try await TestBridge.run { _, client in
            var headers = Visitor.navigation(site: "cross-site")
            headers[.accept] = accepted
            let state = String(repeating: "s", count: 22)
            let answer = try await client.send(.get, "/session/hand-off?client_id=web&state=\(state)", headers)
            #expect(answer.status == .unauthorized)
            #expect(answer.headers[.contentType]?.hasPrefix(type) == true)
            #expect(answer.headers[.wwwAuthenticate] == "Bearer")
        }
    }

    @Test(arguments: [
        ("/oauth/authorize", "GET, POST, OPTIONS"), ("/session/hand-off", "GET, POST, OPTIONS"),
        ("/self-issued/start", "GET, OPTIONS"),
    ])
    func `what has no HEAD says so wherever it says what it takes, RFC 9110 §15.5.6`(
        path: String, allowed: String
    ) async throws {
        try await TestBridge.run { _, client in
            for method in [HTTPRequest.Method.head, .put] {
                let answer = try await client.send(method, path)
                #expect(answer.status == .methodNotAllowed)
                #expect(answer.headers[.allow] == allowed)
            }
            #expect(try await client.send(.options, path).headers[.allow] == allowed)
        }
    }

    @Test(arguments: [
        ("/session", 200), ("/login-with-token", 200), ("/nowhere", 404), ("/oauth/authorize", 405),
        ("/api/auth/create-sso-token", 405), ("/api/admin/users", 401),
    ])
    func `HEAD is answered without content whatever the answer is, RFC 9110 §9.3.2`(
        path: String, status: Int
    ) async throws {
        try await TestBridge.run { _, client in
            for accept in ["text/html", "application/json"] {
                let answer = try await client.send(.head, path, [.accept: accept])
                #expect(answer.status.code == status)
                #expect(answer.text.isEmpty)
                // Of the page that confirms the length is not known before a token is.
                if path != "/login-with-token" {
                    #expect(try #require(answer.headers[.contentLength].flatMap { Int($0) }) > 0)
                }
            }
        }
    }

    @Test(arguments: ["/sign-in", "/errors/invalid_request", "/errors", "/session"])
    func `HEAD says how long the answer to GET is, RFC 9110 §8.6`(path: String) async throws {
        try await TestBridge.run { _, client in
            let whole = try await client.send(.get, path, Visitor.navigation())
            let head = try await client.send(.head, path, Visitor.navigation())
            #expect(whole.status == .ok && head.text.isEmpty)
            #expect(head.headers[.contentLength] == whole.headers[.contentLength])
        }
    }

    @Test(arguments: ["/api/admin/audit-events.csv", "/api/admin/audit-events.jsonl", "/api/admin/audit-events/stream"])
    func `HEAD says no length of what is streamed, RFC 9110 §8.6`(path: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.head, path, [.authorization: "Bearer operator"])
            #expect(answer.status == .ok && answer.text.isEmpty)
            #expect(answer.headers[.contentLength] == nil)
        }
    }

    @Test(arguments: [("text/html,*/*", "text/html; charset=utf-8"), ("application/json", "application/json")])
    func `an unknown path is answered in the visitor's kind`(accept: String, type: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.get, "/nowhere", [.accept: accept])
            #expect(answer.status == .notFound)
            #expect(answer.headers[.contentType] == type)
        }
    }

    @Test(arguments: [
        ("plain-id_1.a", "plain-id_1.a"), ("<script>", nil), ("", nil), (String(repeating: "a", count: 65), nil),
    ])
    func `a trusted proxy's request id is adopted if it is plain`(given: String, adopted: String?) async throws {
        try await TestBridge.run { _, client in
            let id = try await client.send(.get, "/session", [.name("X-Request-Id"): given])
                .headers[.name("X-Request-Id")]
            #expect((id == given) == (adopted != nil))
        }
    }
}
