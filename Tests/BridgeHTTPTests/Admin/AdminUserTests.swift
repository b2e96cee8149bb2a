import Bridge
import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import OAuth2
import SQLStorage
import Testing

@Suite struct AdminUserTests {
    private func patch(
        _ client: any TestClientProtocol, _ subject: String, _ body: String, by token: String = "operator"
    ) async throws -> TestResponse {
        try await client.send(
            .patch, "/api/admin/users/\(subject)",
            [.authorization: "Bearer \(token)", .contentType: "application/json"], body: body)
    }

    @Test(arguments: [
        #"{"password":"another good one","disabled":"yes"}"#, #"{"password":"another good one","claims":7}"#,
        #"{"password":"another good one","role":"owner"}"#, #"{"password":"another good one","colour":"red"}"#,
        #"{"disabled":true,"password":"short"}"#, #"{"disabled":true,"claims":{"sub":"x"}}"#,
        #"{"disabled":true,"reason":7}"#,
    ])
    func `of a change with a fault nothing is done`(body: String) async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let before = try await bridge.storage.account(of: "bob")
            #expect(try await patch(client, "bob", body).status == .badRequest)
            #expect(try await bridge.storage.account(of: "bob") == before)
        }
    }

    @Test func `RFC 9110 §13.1.1: a change that names a state is made to that state alone`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let shown = try await client.send(.get, "/api/admin/users/bob", [.authorization: "Bearer operator"])
            let tag = try #require(shown.headers[.eTag])
            func change(_ condition: String, _ body: String) async throws -> TestResponse {
                try await client.send(
                    .patch, "/api/admin/users/bob",
                    [.authorization: "Bearer operator", .contentType: "application/json", .ifMatch: condition],
                    body: body)
            }
            let stale = try await change("\"stale\"", #"{"disabled":true}"#)
            #expect(stale.status == .preconditionFailed)
            let changed = try await change(tag, #"{"disabled":true}"#)
            #expect(changed.status == .ok && changed.headers[.eTag] != tag)
            let late = try await change(tag, #"{"disabled":false}"#)
            #expect(late.status == .preconditionFailed)
            let known = try await client.send(
                .get, "/api/admin/users/bob",
                [.authorization: "Bearer operator", .ifNoneMatch: changed.headers[.eTag] ?? ""])
            #expect(known.status == .notModified)
        }
    }

    @Test func `the role is given and taken, and stays with the last who has it`() async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            #expect(try await patch(client, "bob", #"{"role":"admin"}"#).text("role") == "admin")
            #expect(try await patch(client, "alice", #"{"role":"admin"}"#).status == .ok)
            #expect(try await patch(client, "alice", #"{"role":null}"#).text("role") == nil)
            for body in [#"{"role":null}"#, #"{"disabled":true}"#, #"{"disabled":true,"password":"another good one"}"#]
            {
                let answer = try await patch(client, "bob", body, by: "carol-60")
                #expect(answer.status == .conflict)
                #expect(try answer.text("error_description")?.contains("last administrator") == true)
            }
            let bob = try await bridge.storage.account(of: "bob")
            #expect(try bob?.passwordHash?.matches(Secret(TestAccounts.password)) == true)
        }
    }

    @Test(arguments: [#"{"role":null}"#, #"{"disabled":true}"#, #"{"disabled":true,"role":null}"#])
    func `contract §16.9: a service takes the last administrator away, since it goes on itself`(
        body: String
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            #expect(try await patch(client, "alice", #"{"role":null}"#).status == .ok)
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            #expect(try await browser.get("/api/admin/keys").status == .ok)
            #expect(try await patch(client, "carol", body, by: "carol-60").status == .conflict)
            #expect(try await patch(client, "carol", body).status == .ok)
            #expect([401, 403].contains(try await browser.get("/api/admin/keys").status.code))
            #expect(try await browser.get("/admin/").status == .seeOther)
        }
    }

    @Test(arguments: [("carol-900", true), ("carol-901", false), ("carol-never", false), ("operator", true)])
    func `a person sets another's password after a fresh sign-in, by a token too`(
        token: String, isDone: Bool
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            let before = try await bridge.storage.account(of: "bob")?.passwordHash
            let answer = try await patch(client, "bob", #"{"password":"another good one"}"#, by: token)
            #expect(answer.status == (isDone ? .ok : .unauthorized))
            #expect((try await bridge.storage.account(of: "bob")?.passwordHash != before) == isDone)
            guard !isDone else { return }
            #expect(answer.headers[.wwwAuthenticate]?.hasSuffix(#"max_age="900""#) == true)
            // What is less dangerous takes the token alone.
            #expect(try await patch(client, "bob", #"{"disabled":true}"#, by: token).status == .ok)
        }
    }

    @Test(arguments: [("carol-900", true), ("carol-901", false), ("carol-never", false), ("operator", true)])
    func `contract §16.2: a person enables a user after a fresh sign-in, by a token too`(
        token: String, isDone: Bool
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await TestAccounts.add(to: bridge)
            #expect(try await patch(client, "bob", #"{"disabled":true}"#, by: token).status == .ok)
            let answer = try await patch(client, "bob", #"{"disabled":false}"#, by: token)
            #expect(answer.status == (isDone ? .ok : .unauthorized))
            #expect((answer.headers[.wwwAuthenticate]?.hasSuffix(#"max_age="900""#) ?? false) == !isDone)
            #expect((try await bridge.storage.account(of: "bob")?.disabledAt == nil) == isDone)
            // By the console's form, which takes a bearer too.
            let form: HTTPFields = [
                .authorization: "Bearer \(token)", .contentType: "application/x-www-form-urlencoded",
            ]
            #expect(try await patch(client, "bob", #"{"disabled":true}"#, by: token).status == .ok)
            let shown = try await client.send(.post, "/admin/users/bob/standing", form, body: "disabled=false")
            #expect((shown.status == .unauthorized) == !isDone)
            #expect((try await bridge.storage.account(of: "bob")?.disabledAt == nil) == isDone)
        }
    }

    /// `bob` has a phone's key besides his password.
    private func linkKey(_ bridge: TestBridge) async throws {
        try await TestAccounts.add(to: bridge)
        let now = bridge.clock.now
        let linking = try await bridge.storage.link(
            LinkedKey(thumbprint: "k1", subject: "bob", algorithm: .es256, origin: .linked, createdAt: now), in: nil,
            event: AuditEvent(at: now, type: .userCreated, outcome: .success, subject: "bob"))
        #expect(linking == .linked)
    }

    @Test(arguments: [("carol-900", true), ("carol-901", false), ("carol-never", false), ("operator", true)])
    func `a person makes a user, unlinks a key and sets claims after a fresh sign-in, by a token too`(
        token: String, isDone: Bool
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await linkKey(bridge)
            let headers: HTTPFields = [.authorization: "Bearer \(token)", .contentType: "application/json"]
            for (method, path, body, done) in [
                (.post, "users", #"{"username":"eve","password":"another good one","role":"admin"}"#, .created),
                (.delete, "users/bob/phone-keys/k1", nil, .noContent),
                (.patch, "users/bob", #"{"claims":{"given_name":"Eve"}}"#, .ok),
            ] as [(HTTPRequest.Method, String, String?, HTTPResponse.Status)] {
                let answer = try await client.send(method, "/api/admin/\(path)", headers, body: body)
                #expect(answer.status == (isDone ? done : .unauthorized), "\(method) \(path)")
                #expect((answer.headers[.wwwAuthenticate]?.hasSuffix(#"max_age="900""#) ?? false) == !isDone)
            }
            let eve = try await bridge.storage.account(named: try #require(Username("eve")))
            #expect((eve != nil) == isDone)
            let keys = try await bridge.storage.linkedKeys(of: "bob")
            #expect(keys.isEmpty == isDone)
            let bob = try await bridge.storage.account(of: "bob")
            #expect((bob?.claims == StandardClaims.none) == !isDone)
        }
    }

    @Test(arguments: [("carol-900", true), ("carol-901", false), ("carol-never", false), ("operator", true)])
    func `attack: a token of an old sign-in sets no password, makes no link and gives no role by the console's forms`(
        token: String, isDone: Bool
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await linkKey(bridge)
            let headers: HTTPFields = [
                .authorization: "Bearer \(token)", .contentType: "application/x-www-form-urlencoded",
            ]
            let before = try await bridge.storage.account(of: "bob")
            for (path, fields, done) in [
                ("new-user", "username=eve&role=admin", .ok), ("users/bob/names", "username=robert", .seeOther),
                ("users/bob/role", "role=admin", .seeOther),
                ("users/bob/password", "password=another+good+one", .seeOther),
                ("users/bob/set-up-link", "", .ok), ("users/carol/second-factor", "", .seeOther),
                ("users/bob/phone-keys/k1", "", .seeOther), ("users/bob/passkeys/p", "", .seeOther),
            ] as [(String, String, HTTPResponse.Status)] {
                let answer = try await client.send(
                    .post, "/admin/\(path)", headers, body: fields + "&reason=asked+for")
                #expect(answer.status == (isDone ? done : .unauthorized), "\(path)")
                #expect((answer.headers[.wwwAuthenticate]?.hasSuffix(#"max_age="900""#) ?? false) == !isDone, "\(path)")
            }
            let bob = try await bridge.storage.account(of: "bob")
            #expect((bob == before) == !isDone)
            let eve = try await bridge.storage.account(named: try #require(Username("eve")))
            #expect(eve?.role == (isDone ? Account.Role.admin : nil))
            #expect((eve == nil) == !isDone)
            let factor = try await bridge.storage.account(of: "carol")?.secondFactor
            #expect((factor == nil) == isDone)
            let keys = try await bridge.storage.linkedKeys(of: "bob")
            #expect(keys.isEmpty == isDone)
            let links = try await bridge.storage.search(AuditFilter(type: .userSetUpLinkMade), before: nil, limit: 5)
            #expect(links.records.count == (isDone ? 2 : 0))
        }
    }

    @Test func `who signs in elsewhere has neither password, claims nor role`() async throws {
        try await TestBridge.run { bridge, client in
            let now = bridge.clock.now
            _ = try await bridge.storage.recordIssue(
                IssuedLoginToken(id: "first", subject: "guest", clientID: "app", issuedAt: now, expiresAt: now),
                scope: nil, namedFirstBy: "i", idempotency: nil,
                event: AuditEvent(at: now, type: .loginTokenIssued, outcome: .success))
            for body in [#"{"password":"another good one"}"#, #"{"claims":{}}"#, #"{"role":"admin"}"#] {
                #expect(try await patch(client, "guest", body).status == .conflict, "\(body)")
            }
            #expect(try await patch(client, "guest", #"{"disabled":true}"#).status == .ok)
            #expect(try await patch(client, "unheard-of", #"{"disabled":true}"#).status == .notFound)
        }
    }

    @Test func `the console says that the last administrator stays`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            #expect(try await patch(client, "alice", #"{"role":null}"#).status == .ok)
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(
                try await browser.get("/admin/users/carol").fields.first { $0.0 == "form_token" })
            let answer = try await browser.post("/admin/users/carol/standing", [token, ("disabled", "true")])
            #expect(answer.status == .conflict)
            #expect(answer.text.contains("last administrator"))
        }
    }

    @Test func `the console says what is wrong with a reason, and takes one as long as its fields do`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(
                try await browser.get("/admin/users/bob").fields.first { $0.0 == "form_token" })
            let reason = "two\n" + String(repeating: "由", count: 496)
            for path in [
                "users/bob/standing", "users/bob/end-sessions", "sessions/x/end", "keys/rotate", "keys/x/retire",
            ] {
                let answer = try await browser.post(
                    "/admin/\(path)", [token, ("disabled", "true"), ("sub", "bob"), ("reason", reason + "x")])
                #expect(answer.status == .badRequest, "\(path)")
                #expect(answer.text.contains("at most 500 characters"), "\(path)")
            }
            #expect(try await bridge.storage.standing(of: "bob") == .active)
            let answer = try await browser.post(
                "/admin/users/bob/standing", [token, ("disabled", "true"), ("reason", reason)])
            #expect(answer.status == .seeOther)
            let found = try await bridge.storage.search(AuditFilter(type: .userDisabled), before: nil, limit: 1)
            #expect(found.records.first?.event.reason == reason.replacing("\n", with: " "))
        }
    }

    @Test func `a user's page says of every time that it is UTC, or shows the reader's own too`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let page = try await browser.get("/admin/users/carol").text
            #expect(page.firstMatch(of: #/opened \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/#) != nil)
            let bare = page.matches(of: #/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?! UTC|</time>)/#).count
            #expect(bare == 0)
        }
    }
}
