import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

/// `/api/admin/clients` and the console's editor (contract §8, §14).
@Suite struct AdminClientTests {
    private func send(
        _ client: any TestClientProtocol, _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil,
        _ more: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = more
        headers[.authorization] = "Bearer operator"
        headers[.contentType] = "application/json"
        return try await client.send(method, "/api/admin/clients\(path)", headers, body: body)
    }

    /// The tag of a new client, `kiosk`.
    private func add(_ client: any TestClientProtocol) async throws -> String {
        let made = try await send(client, .post, "", #"{"client_id":"kiosk","client_type":"web"}"#)
        #expect(made.status == .created)
        return try #require(made.headers[.eTag])
    }

    @Test(arguments: [("carol-900", true), ("carol-901", false), ("carol-never", false), ("operator", true)])
    func `contract §16.2: a person changes clients and keys after a fresh sign-in, by a token too`(
        token: String, isDone: Bool
    ) async throws {
        try await TestBridge.run { _, client in
            let desk = #"{"client_id":"desk","client_type":"service","scope":"read"}"#
            #expect(try await send(client, .post, "", desk).status == .created)
            let wider = #"{"client_type":"service","scope":"admin"}"#
            let headers: HTTPFields = [
                .authorization: "Bearer \(token)", .contentType: "application/json", .ifMatch: "*",
            ]
            for (method, path, body) in [
                (.post, "clients", wider), (.put, "clients/desk", wider),
                (.patch, "clients/desk", #"{"scope":"admin"}"#), (.post, "clients/desk/secret", nil),
                (.post, "keys/rotate", nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                let answer = try await client.send(method, "/api/admin/\(path)", headers, body: body)
                #expect((answer.status == .unauthorized) == !isDone, "\(method) \(path) \(answer.status)")
                #expect((answer.headers[.wwwAuthenticate]?.hasSuffix(#"max_age="900""#) ?? false) == !isDone)
            }
            // What takes something away, and gives nothing, takes the token alone.
            #expect(try await client.send(.delete, "/api/admin/clients/desk", headers).status == .noContent)
        }
    }

    @Test(arguments: [("carol-900", true), ("carol-901", false), ("carol-never", false), ("operator", true)])
    func `a person retires and rotates keys after a fresh sign-in, by the console's forms and a token too`(
        token: String, isDone: Bool
    ) async throws {
        try await TestBridge.run { _, client in
            let service: HTTPFields = [.authorization: "Bearer operator"]
            let made = try await client.send(.post, "/api/admin/keys/rotate", service)
            let kids = made.text.matches(of: /"kid":"([^"]+)"/).map { String($0.1) }
            try #require(kids.count > 1)
            let api: HTTPFields = [.authorization: "Bearer \(token)", .contentType: "application/json"]
            let form: HTTPFields = [
                .authorization: "Bearer \(token)", .contentType: "application/x-www-form-urlencoded",
            ]
            for (path, headers, body, done) in [
                ("/api/admin/keys/\(kids[0])/retire", api, #"{"reason":"lost"}"#, .ok),
                ("/admin/keys/\(kids[1])/retire", form, "reason=lost", .seeOther),
                ("/admin/keys/rotate", form, "reason=lost", .seeOther),
            ] as [(String, HTTPFields, String, HTTPResponse.Status)] {
                let before = try await client.send(.get, "/api/admin/keys", service).text
                let answer = try await client.send(.post, path, headers, body: body)
                #expect(answer.status == (isDone ? done : .unauthorized), "\(path)")
                #expect((answer.headers[.wwwAuthenticate]?.hasSuffix(#"max_age="900""#) ?? false) == !isDone)
                let after = try await client.send(.get, "/api/admin/keys", service).text
                #expect((before == after) == !isDone, "\(path)")
            }
        }
    }

    @Test(arguments: [
        ("session_lifetime", "1e999"), ("session_idle", "-1e999"), ("nobody_knows_it", #"[{"a":1e999}]"#),
    ])
    func `a number that nothing can hold is refused by its member, contract §14`(
        member: String, number: String
    ) async throws {
        try await TestBridge.run { _, client in
            _ = try await add(client)
            let wrong = "{\"client_type\":\"web\",\"\(member)\":\(number)}"
            for (method, path) in [(HTTPRequest.Method.post, ""), (.put, "/kiosk"), (.patch, "/kiosk")] {
                let answer = try await send(client, method, path, wrong, [.ifMatch: "*"])
                #expect(answer.status == .badRequest, "\(method)")
                #expect(try answer.text("error") == "invalid_request")
                #expect(try #require(try answer.text("error_description")).contains(member))
            }
        }
    }

    @Test(arguments: ["a b", "<b>", "", String(repeating: "s", count: 41)])
    func `a member whose name cannot be one is not shown`(name: String) async throws {
        try await TestBridge.run { _, client in
            let body = "{\"client_id\":\"kiosk\",\"client_type\":\"web\",\"\(name)\":1}"
            let answer = try await send(client, .post, "", body)
            #expect(answer.status == .badRequest)
            #expect(try answer.text("error_description") == "one of the names is not a field of a client")
        }
    }

    @Test func `what is wrong with a document is told in whole sentences, and then how much more there is`()
        async throws
    {
        let flags = [
            "first_party", "portal", "require_pkce", "native_sso_enabled", "can_issue_login_tokens",
            "allow_localhost", "dpop_bound_access_tokens", "block_webviews", "reject_reused_challenge",
        ]
        let members = flags.map { "\"\($0)\":\"on\"" }.joined(separator: ",")
        try await TestBridge.run { _, client in
            let answer = try await send(client, .post, "", #"{"client_id":"kiosk","client_type":"web",\#(members)}"#)
            #expect(answer.status == .badRequest)
            let parts = try #require(try answer.text("error_description")).components(separatedBy: "; ")
            #expect(parts.dropLast().allSatisfy { $0.hasSuffix(" must be true or false") })
            #expect(parts.last == "and \(flags.count - parts.count + 1) more")
        }
    }

    @Test func `the console shows a document with such a number again`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
            let answer = try await browser.post(
                "/admin/clients", [token, ("document", #"{"client_type":"web","session_lifetime":1e999}"#)])
            #expect(answer.status == .badRequest)
            #expect(answer.text.contains("1e999"))
        }
    }

    @Test func `a number that is none leaves the console's form as it was filled in`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
            let typed = [
                ("client_type", "native"), ("client_id", "kiosk-app"), ("client_name", "Kiosk"),
                ("session_idle", "ten"), ("reason", "new kiosk"),
            ]
            let answer = try await browser.post(
                "/admin/clients", [token, ("redirect_uris", "com.example.kiosk:callback")] + typed)
            #expect(answer.status == .badRequest)
            #expect(answer.text.contains("session_idle must be a whole number of seconds"))
            #expect(answer.text.contains(#"aria-describedby="problem-session_idle help-session_idle" aria-invalid="#))
            for (name, value) in typed {
                #expect(answer.text.contains("name=\"\(name)\" value=\"\(value)\""), "\(name)")
            }
            #expect(answer.text.contains(">com.example.kiosk:callback</textarea>"))
            // Of the form, and of the document beside it.
            #expect(answer.text.ranges(of: "value=\"new kiosk\"").count == 2)
        }
    }

    @Test(arguments: [
        (#"{"client_type":"web","client_name":"Kiosk","client_id":null}"#, HTTPResponse.Status.ok),
        (#"{"client_type":"web","client_name":null,"client_id":null}"#, .badRequest),
    ])
    func `a document with null in the place of an id is given one by the console too, but only with a name`(
        document: String, status: HTTPResponse.Status
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
            let answer = try await browser.post("/admin/clients", [token, ("document", document)])
            #expect(answer.status == status)
            let ids = try await send(client, .get, "").text.matches(of: /"client_id":"(c-[^"]+)"/)
            #expect(ids.count == (status == .ok ? 1 : 0))
        }
    }

    @Test(
        arguments: [
            ("never", nil, 404), ("shop", nil, 428), ("shop", #""x""#, 412), ("shop", "*", 409),
        ] as [(String, String?, Int)])
    func `what stands in a change's way is told in one order: no client, no tag, an old tag, the settings file`(
        id: String, condition: String?, status: Int
    ) async throws {
        try await TestBridge.run { _, client in
            // Signed in too long ago, which is told last.
            var headers: HTTPFields = [.authorization: "Bearer carol-901", .contentType: "application/json"]
            headers[.ifMatch] = condition
            for (method, path, body) in [
                (.put, "", #"{"client_type":"web"}"#), (.patch, "", #"{"client_name":"Other"}"#),
                (.post, "/secret", nil), (.delete, "", nil),
            ] as [(HTTPRequest.Method, String, String?)] {
                let answer = try await client.send(method, "/api/admin/clients/\(id)\(path)", headers, body: body)
                #expect(answer.status.code == status, "\(method) \(path)")
            }
        }
    }

    @Test(arguments: ["7", "true", #"["kiosk"]"#, "{}", #""other""#])
    func `a client keeps its client_id, whatever is sent in its place, contract §14`(id: String) async throws {
        try await TestBridge.run { _, client in
            _ = try await add(client)
            for method in [HTTPRequest.Method.put, .patch] {
                let answer = try await send(
                    client, method, "/kiosk", "{\"client_type\":\"web\",\"client_id\":\(id)}", [.ifMatch: "*"])
                #expect(answer.status == .badRequest, "\(method)")
                #expect(try #require(try answer.text("error_description")).contains("client_id"))
            }
        }
    }

    @Test(arguments: ["<tag>", "W/<tag>", "*", #""x", <tag>"#, #""x",W/<tag>"#])
    func `who has the state already is told so, RFC 9110 §13.1.2`(condition: String) async throws {
        try await TestBridge.run { _, client in
            let tag = try await add(client)
            let answer = try await send(
                client, .get, "/kiosk", nil, [.ifNoneMatch: condition.replacing("<tag>", with: tag)])
            #expect(answer.status == .notModified)
            #expect(answer.headers[.eTag] == tag)
        }
    }

    @Test(arguments: [
        ("<tag>", true), ("*", true), (#"<tag> , "x""#, true), (#""x",<tag>"#, true), ("W/<tag>", false),
        (#""x", W/<tag>"#, false), (#""x""#, false), ("nonsense", false),
    ])
    func `a change is of the state that was seen, and a weak tag names none, RFC 9110 §13.1.1`(
        condition: String, isSeen: Bool
    ) async throws {
        try await TestBridge.run { _, client in
            let tag = try await add(client)
            let answer = try await send(
                client, .patch, "/kiosk", #"{"client_name":"Other"}"#,
                [.ifMatch: condition.replacing("<tag>", with: tag)])
            #expect(answer.status == (isSeen ? .ok : .preconditionFailed))
        }
    }
}
