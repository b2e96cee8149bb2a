import Bridge
import BridgeHTTP
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

@Suite struct AdminGateTests {
    private static let routes: [(HTTPRequest.Method, String)] = [
        (.get, "audit-events"), (.get, "audit-events.csv"), (.get, "audit-events/stream"), (.get, "audit/verify"),
        (.get, "clients"), (.post, "clients"), (.get, "clients/web"), (.put, "clients/web"), (.patch, "clients/web"),
        (.delete, "clients/web"), (.get, "users"), (.post, "users"), (.get, "users/alice"), (.patch, "users/alice"),
        (.get, "users/alice/sessions"), (.delete, "users/alice/sessions"), (.delete, "sessions/x"), (.get, "keys"),
        (.post, "keys/rotate"), (.post, "explain"),
    ]

    private static let refusals: [(name: String, authorization: String?, status: Int, challenge: String)] = [
        ("nothing", nil, 401, "Bearer"), ("another scheme", "Basic eA==", 401, "Bearer"),
        ("an unknown token", "Bearer nonsense", 401, "Bearer error=\"invalid_token\""),
        (
            "a wrong scope", "Bearer reader-scope", 403,
            "Bearer error=\"insufficient_scope\", scope=\"admin\""
        ),
        ("a user's token", "Bearer alice.app", 403, "Bearer error=\"insufficient_scope\", scope=\"admin\""),
    ]

    @Test func `every route refuses everybody but an administrator`() async throws {
        try await TestBridge.run { _, client in
            for (method, path) in Self.routes {
                for refusal in Self.refusals {
                    var headers: HTTPFields = [:]
                    headers[.authorization] = refusal.authorization
                    let answer = try await client.send(method, "/api/admin/\(path)", headers)
                    #expect(answer.status.code == refusal.status, "\(method) \(path) \(refusal.name)")
                    #expect(answer.headers[.wwwAuthenticate] == refusal.challenge, "\(path) \(refusal.name)")
                }
            }
        }
    }

    @Test func `contract §16.2: what another issuer says of an administrator's sign-in opens nothing`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            for acr in [nil, "aal2"] {
                let cookie = try await client.signIn("carol", acr: acr)
                let answer = try await client.send(.get, "/api/admin/keys", [.cookie: cookie])
                #expect(answer.status == .forbidden)
                let page = try await client.send(.get, "/admin/", [.cookie: cookie])
                #expect(page.headers[.location]?.hasSuffix("/admin/sign-in?why=not_signed_in_here") == true)
            }
            let found = try await bridge.storage.search(AuditFilter(type: .adminRefused), before: nil, limit: 10)
            #expect(found.records.map(\.event.reason) == ["not_signed_in_here", "not_signed_in_here"])
        }
    }

    @Test func `an administrator's sign-in needs a second factor, the role, and use`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let (weak, strong, user) = (TestBrowser(client), TestBrowser(client), TestBrowser(client))
            try await weak.signIn(as: "alice", bridge)
            #expect(try await weak.get("/api/admin/keys").status == .unauthorized)
            try await strong.signIn(as: "carol", bridge)
            #expect(try await strong.get("/api/admin/keys").status == .ok)
            try await user.signIn(as: "bob", bridge)
            #expect(try await user.get("/api/admin/keys").status == .forbidden)
            bridge.clock.advance(by: .seconds(15 * 60 + 1))
            let idle = try await strong.get("/api/admin/keys")
            #expect(idle.status == .unauthorized)
            #expect(
                idle.headers[.wwwAuthenticate]
                    == #"Bearer error="insufficient_user_authentication", acr_values="aal2""#)
        }
    }

    @Test(arguments: ["otp", "face", "hwk"])
    func `attack: one method of an upstream provider is no second factor, whatever it is called`(
        _ method: String
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let now = bridge.clock.now
            for (acr, status) in [("aal1", 401), ("aal2", 200)] {
                let secret = OpaqueSecret.make(.webSession, at: now, random: .system)
                let session = WebSession(
                    id: SessionID.make(at: now, random: .system), secretDigest: secret.digest,
                    lineage: .signIn(
                        of: "carol", authentication: Authentication(time: now, acr: acr, amr: [method]), at: now,
                        lifetime: .seconds(3600)),
                    clientID: "web", createdAt: now, idleLifetime: .seconds(600), lastSeenAt: now)
                #expect(try await bridge.storage.open(session, replacing: nil, events: []))
                let cookie = "__Host-drawbridge_session=\(secret.expose())"
                let answer = try await client.send(.get, "/api/admin/keys", [.cookie: cookie])
                #expect(answer.status.code == status, "\(acr)")
            }
        }
    }

    @Test func `a change takes proof of the page, and a sign-in of the last 15 minutes`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            #expect(try await browser.post("/api/admin/keys/rotate", []).status == .forbidden)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" }).1
            browser.send("X-CSRF-Token", token)
            #expect(try await browser.send(.post, "/api/admin/keys/rotate").status == .ok)
            for _ in 0..<3 {
                bridge.clock.advance(by: .seconds(5 * 60))
                #expect(try await browser.get("/api/admin/keys").status == .ok)
            }
            #expect(try await browser.send(.post, "/api/admin/keys/rotate").status == .ok)
            bridge.clock.advance(by: .seconds(1))
            let late = try await browser.send(.post, "/api/admin/keys/rotate")
            #expect(late.status == .unauthorized)
            #expect(
                late.headers[.wwwAuthenticate]
                    == #"Bearer error="insufficient_user_authentication", max_age="900""#)
            // A question changes nothing.
            let question = try await browser.send(
                .post, "/api/admin/explain", body: #"{"kind":"redirect","client_id":"web","redirect":"/contacts"}"#)
            #expect(question.status == .ok)
        }
    }

    @Test func `a browser that another website led here takes nothing out of the audit log`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let paths = ["-events.csv", "-events.jsonl", "-events.ocsf.jsonl", "/verify"].map {
                "/api/admin/audit\($0)"
            }
            for (site, status) in [("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403)] {
                browser.send("Sec-Fetch-Site", site)
                for path in paths {
                    #expect(try await browser.send(.get, path).status.code == status, "\(site) \(path)")
                }
            }
        }
    }

    @Test func `contract §16.2: a script of the console's own origin changes something without a form token`()
        async throws
    {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            browser.send("Origin", TestBridge.publicOrigin)
            for _ in 0..<2 {
                let changed = try await browser.send(.patch, "/api/admin/users/bob", body: #"{"disabled":false}"#)
                #expect(changed.status == .ok)
                #expect(try await browser.send(.delete, "/api/admin/users/bob/sessions").status == .noContent)
                // What a form sends too takes the token all the same.
                let bare = try await browser.send(.post, "/api/admin/keys/rotate")
                #expect(bare.status == .forbidden)
                #expect(try bare.text("error_description")?.contains("X-CSRF-Token") == true)
                #expect(try await browser.post("/api/admin/keys/rotate", []).status == .forbidden)
                browser.send("Sec-Fetch-Site", "same-origin")
            }
            bridge.clock.advance(by: .seconds(10 * 60))
            #expect(try await browser.get("/api/admin/keys").status == .ok)
            bridge.clock.advance(by: .seconds(5 * 60 + 1))
            #expect(try await browser.send(.delete, "/api/admin/users/bob/sessions").status == .unauthorized)
        }
    }

    static let elsewhere: [[String: String]] = [
        [:], ["Sec-Fetch-Site": "same-origin"], ["Origin": "null"], ["Origin": "https://evil.example"],
        ["Origin": "https://BRIDGE.example"], ["Origin": "https://bridge.example:443"],
        ["Origin": "https://bridge.example."], ["Origin": "https://www.bridge.example"],
        ["Origin": "http://bridge.example"], ["Origin": TestBridge.publicOrigin, "Sec-Fetch-Site": "same-site"],
        ["Origin": TestBridge.publicOrigin, "Sec-Fetch-Site": "cross-site"],
        ["Origin": TestBridge.publicOrigin, "Sec-Fetch-Site": "none"],
        ["Origin": TestBridge.publicOrigin, "Sec-Fetch-Site": "x"],
    ]

    @Test(arguments: elsewhere)
    func `attack: whoever is not surely of the console's own origin takes its form token`(
        headers: [String: String]
    ) async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            for (name, value) in headers { browser.send(name, value) }
            let changed = try await browser.send(.patch, "/api/admin/users/bob", body: #"{"disabled":false}"#)
            #expect(changed.status == .forbidden)
            #expect(try await browser.send(.delete, "/api/admin/users/bob/sessions").status == .forbidden)
        }
    }

    @Test func `what was sent too late is kept over the sign-in, shown, and then done`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            for _ in 0..<2 {
                bridge.clock.advance(by: .seconds(8 * 60))
                #expect(try await browser.get("/admin/users/bob").status == .ok)
            }
            let form = try await browser.get("/admin/users/bob")
            let token = try #require(form.fields.first { $0.0 == "form_token" })
            let asked = try await browser.post(
                "/admin/users/bob/standing", [token, ("reason", "left <us>"), ("disabled", "true")])
            #expect(asked.status == .unauthorized)
            // The user is known: only the password is asked for, then the code.
            #expect(asked.text.contains(" readonly"))
            #expect(try await bridge.storage.standing(of: "bob") == .active)
            let code = try await browser.post(
                "/sign-in", asked.fields + [("username", "carol"), ("password", TestAccounts.password)])
            let page = try await browser.post(
                "/sign-in/code", code.fields + [("code", TestAccounts.code(at: bridge.clock.now))])
            #expect(page.status == .ok)
            #expect(page.text.contains("left &lt;us&gt;"))
            // In the words of the page that it came from, without what nobody typed.
            #expect(page.text.contains("<strong>Disable and end everything</strong>"))
            #expect(page.text.contains("<dt>User</dt><dd><bdi>bob</bdi></dd>"))
            #expect(page.text.contains("<dt>Reason</dt>") && !page.text.contains(">disabled</dt>"))
            #expect(try await bridge.storage.standing(of: "bob") == .active)
            let fields = page.fields.map { ($0.0, $0.1.replacing("&lt;", with: "<").replacing("&gt;", with: ">")) }
            #expect(try await browser.post("/admin/users/bob/standing", fields).status == .seeOther)
            #expect(try await bridge.storage.standing(of: "bob") == .disabled)
            let event = try await bridge.storage.search(AuditFilter(type: .userDisabled), before: nil, limit: 1)
            #expect(event.records.first?.event.reason == "left <us>")
        }
    }

    @Test func `what was sent from a session that lay unused is kept over the sign-in as well`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let form = try await browser.get("/admin/users/bob")
            let token = try #require(form.fields.first { $0.0 == "form_token" })
            bridge.clock.advance(by: .seconds(16 * 60))
            let asked = try await browser.post(
                "/admin/users/bob/standing", [token, ("reason", "left us"), ("disabled", "true")])
            #expect(asked.status == .unauthorized)
            #expect(asked.text.contains(" readonly"))
            // The session stays unused all the same, and nothing was done.
            #expect(try await browser.get("/admin/users/bob").status == .seeOther)
            #expect(try await bridge.storage.standing(of: "bob") == .active)
            let code = try await browser.post(
                "/sign-in", asked.fields + [("username", "carol"), ("password", TestAccounts.password)])
            let page = try await browser.post(
                "/sign-in/code", code.fields + [("code", TestAccounts.code(at: bridge.clock.now))])
            #expect(page.status == .ok)
            #expect(page.text.contains("left us"))
            #expect(try await bridge.storage.standing(of: "bob") == .active)
            #expect(try await browser.post("/admin/users/bob/standing", page.fields).status == .seeOther)
            #expect(try await bridge.storage.standing(of: "bob") == .disabled)
        }
    }

    @Test func `attack: a foreign page leaves no form behind in a session that stays unused`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
            bridge.clock.advance(by: .seconds(16 * 60))
            func isRefused(_ proof: [(String, String)]) async throws -> Bool {
                let answer = try await browser.post(
                    "/admin/users/bob/standing", proof + [("reason", "planted"), ("disabled", "true")])
                return answer.status == .unauthorized && !answer.fields.contains { $0.0 == "held" }
            }
            #expect(try await isRefused([]))
            #expect(try await isRefused([("form_token", "x")]))
            #expect(try await isRefused([("form_token", String(token.1.dropLast()) + "_")]))
            browser.send("Sec-Fetch-Site", "cross-site")
            #expect(try await isRefused([token]))
        }
    }

    @Test(arguments: [false, true])
    func `another user goes on with nobody's form`(isIdle: Bool) async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
            bridge.clock.advance(by: .seconds(14 * 60))
            if !isIdle { _ = try await browser.get("/admin/") }
            bridge.clock.advance(by: .seconds(2 * 60))
            let asked = try await browser.post("/admin/keys/rotate", [token])
            #expect(asked.status == .unauthorized)
            #expect(asked.fields.contains { $0.0 == "held" })
            let answer = try await browser.post(
                "/sign-in", asked.fields + [("username", "bob"), ("password", TestAccounts.password)])
            #expect(answer.status == .seeOther)
            #expect(answer.headers[.location] == TestBridge.publicOrigin + "/admin/")
        }
    }

    @Test func `a form of one session does nothing in another`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let browser = TestBrowser(client)
            try await browser.signIn(as: "carol", bridge)
            let token = try #require(try await browser.get("/admin/keys").fields.first { $0.0 == "form_token" })
            bridge.clock.advance(by: .seconds(30))
            try await browser.signIn(as: "carol", bridge)
            #expect(try await browser.post("/admin/keys/rotate", [token]).status == .forbidden)
        }
    }

    @Test func `whoever is refused is in the log, with the reason and without the token`() async throws {
        try await TestBridge.run { bridge, client in
            _ = try await client.send(.get, "/api/admin/keys", [.authorization: "Bearer alice.app"])
            _ = try await client.send(.get, "/api/admin/keys")
            let found = try await bridge.storage.search(AuditFilter(type: .adminRefused), before: nil, limit: 10)
            #expect(found.records.map(\.event.reason) == ["not_administrator"])
            #expect(found.records.first?.event.subject == "alice")
            #expect(found.records.first?.event.clientID == "app")
        }
    }

    @Test func `a refusal names whose session it was, whatever is wrong with it`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrators()
            let link = try await client.signIn("dora")
            #expect(try await client.send(.get, "/api/admin/keys", [.cookie: link]).status == .forbidden)
            let (weak, strong, user) = (TestBrowser(client), TestBrowser(client), TestBrowser(client))
            try await weak.signIn(as: "alice", bridge)
            #expect(try await weak.get("/api/admin/keys").status == .unauthorized)
            try await user.signIn(as: "bob", bridge)
            #expect(try await user.get("/api/admin/keys").status == .forbidden)
            try await strong.signIn(as: "carol", bridge)
            bridge.clock.advance(by: .seconds(15 * 60 + 1))
            #expect(try await strong.get("/api/admin/keys").status == .unauthorized)
            let found = try await bridge.storage.search(AuditFilter(type: .adminRefused), before: nil, limit: 10)
            let events = found.records.map(\.event)
            #expect(
                events.map { "\($0.subject?.rawValue ?? "nobody") \($0.reason ?? "")" } == [
                    "carol idle", "bob not_administrator", "alice second_factor_not_enrolled",
                    "dora not_signed_in_here",
                ])
            #expect(events.allSatisfy { $0.sessionID != nil && $0.targetClientID != nil })
        }
    }

    @Test(
        arguments: [
            (.delete, "users/bob/sessions"), (.delete, "sessions/x"), (.delete, "users/bob/phone-keys/x"),
            (.delete, "users/bob/consents/x"), (.delete, "clients/desk"), (.post, "clients/desk/secret"),
            (.post, "keys/rotate"), (.post, "keys/x/retire"),
        ] as [(HTTPRequest.Method, String)])
    func `contract §13: what takes a reason alone takes no query and no other member`(
        method: HTTPRequest.Method, path: String
    ) async throws {
        try await TestBridge.run { _, client in
            let headers: HTTPFields = [.authorization: "Bearer operator", .contentType: "application/json"]
            for (query, body) in [("?dry_run=true", nil), ("?reason=x", nil), ("", #"{"fields":["enabled"]}"#)]
                as [(String, String?)]
            {
                let answer = try await client.send(method, "/api/admin/\(path)\(query)", headers, body: body)
                #expect(answer.status == .badRequest, "\(method) \(path)\(query)")
            }
            let answer = try await client.send(method, "/api/admin/\(path)", headers, body: #"{"reason":"x"}"#)
            #expect(answer.status != .badRequest, "\(method) \(path)")
        }
    }
}

extension TestBridge {
    /// The accounts of ``TestAccounts``, of whom `alice` and `carol` administer.
    func addAdministrators() async throws {
        try await TestAccounts.add(to: self)
        let now = clock.now
        for subject in ["alice", "carol"] as [Subject] {
            _ = try await storage.changeUser(
                subject, UserChange(role: .give(.admin)),
                events: { type, _ in AuditEvent(at: now, type: type, outcome: .success, subject: subject) },
                ending: Ending(at: now, reason: .administrator, origin: nil))
        }
    }
}

extension TestBrowser {
    /// Signs in at our own page, with a code where the account asks for one.
    func signIn(as name: String, _ bridge: TestBridge) async throws {
        let answer = try await signIn(on: get("/sign-in?account=another"), as: name)
        guard answer.status == .ok else { return }
        _ = try await post("/sign-in/code", answer.fields + [("code", TestAccounts.code(at: bridge.clock.now))])
    }
}
