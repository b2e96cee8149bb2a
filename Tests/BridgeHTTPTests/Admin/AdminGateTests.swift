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

    @Test func `an administrator's session needs a second factor, use, and proof for changes`() async throws {
        try await TestBridge.run { bridge, client in
            try await bridge.addAdministrator("admin")
            let weak = try await client.signIn("admin")
            #expect(try await client.send(.get, "/api/admin/keys", [.cookie: weak]).status == .unauthorized)
            let strong = try await client.signIn("admin", acr: "aal2")
            #expect(try await client.send(.get, "/api/admin/keys", [.cookie: strong]).status == .ok)
            #expect(try await client.send(.post, "/api/admin/keys/rotate", [.cookie: strong]).status == .forbidden)
            let user = try await client.signIn("alice", acr: "aal2")
            #expect(try await client.send(.get, "/api/admin/keys", [.cookie: user]).status == .forbidden)
            bridge.clock.advance(by: .seconds(15 * 60 + 1))
            #expect(try await client.send(.get, "/api/admin/keys", [.cookie: strong]).status == .unauthorized)
        }
    }

    @Test func `whoever is refused is in the log, with the reason and without the token`() async throws {
        try await TestBridge.run { bridge, client in
            _ = try await client.send(.get, "/api/admin/keys", [.authorization: "Bearer alice.app"])
            _ = try await client.send(.get, "/api/admin/keys")
            let found = try await bridge.storage.search(AuditFilter(type: .adminRefused), before: nil, limit: 10)
            #expect(found.records.map(\.event.reason) == ["not_administrator"])
        }
    }
}

extension TestBridge {
    /// Gives a user of the trusted issuer the role `admin`.
    func addAdministrator(_ subject: Subject) async throws {
        let now = clock.now
        _ = try await storage.addAccount(
            Account(subject: subject, username: Username(subject.rawValue), role: .admin, createdAt: now),
            issuer: Self.publicOrigin, link: nil,
            event: AuditEvent(at: now, type: .userCreated, outcome: .success, subject: subject))
    }
}
