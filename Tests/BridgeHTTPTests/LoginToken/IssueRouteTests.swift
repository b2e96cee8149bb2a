import Bridge
import Foundation
import HTTPTypes
import HummingbirdTesting
import SQLStorage
import Testing

/// `POST /api/auth/create-sso-token` on the wire (contract §3).
@Suite struct IssueRouteTests {
    private static let path = "/api/auth/create-sso-token"
    private static let json: HTTPFields = [.authorization: "Bearer alice.app", .contentType: "application/json"]
    private static let form: HTTPFields = [
        .authorization: "bearer alice.app", .contentType: "Application/X-WWW-Form-Urlencoded; charset=utf-8",
    ]

    @Test func `the answer has exactly the contract's members`() async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.post, Self.path, Self.json, body: #"{"redirect":"/account/a?b=c"}"#)
            #expect(answer.status == .ok)
            #expect(answer.headers[.cacheControl] == "no-store")
            let members = try answer.json()
            #expect(
                Set(members.keys) == ["token", "token_type", "id", "expires_at", "expires_in", "login_url"])
            #expect(try answer.text("token_type") == "urn:drawbridge:params:oauth:token-type:login-token")
            #expect(try answer.text("expires_at") == "2025-11-21T07:01:00.000Z")
            #expect((members["expires_in"] as? NSNumber)?.intValue == 60)
            let token = try #require(try answer.text("token"))
            #expect(
                try answer.text("login_url")
                    == "https://bridge.example/login-with-token?token=\(token)&redirect=%2Faccount%2Fa%3Fb%3Dc")
        }
    }

    @Test func `no body, JSON and a form are taken`() async throws {
        try await TestBridge.run { _, client in
            let none = try await client.send(.post, Self.path, [.authorization: "BEARER alice.app"])
            #expect(none.status == .ok)
            let typed = try await client.send(
                .post, Self.path, [.authorization: "Bearer alice.app", .contentType: "application/octet-stream"])
            #expect(typed.status == .ok, "some libraries name a type of nothing")
            let form = try await client.send(.post, Self.path, Self.form, body: "ttl=5&redirect=&bind=none")
            #expect((try form.json()["expires_in"] as? NSNumber)?.intValue == 5)
            let json = try await client.send(
                .post, Self.path, Self.json, body: #"{"ttl": 7, "client_id": null, "redirect": ""}"#)
            #expect((try json.json()["expires_in"] as? NSNumber)?.intValue == 7)
            let double = try await client.send(.post, Self.path, Self.json, body: #"{"ttl":30.0}"#)
            #expect((try double.json()["expires_in"] as? NSNumber)?.intValue == 30, "as some JSON writers send it")
            let empty = try await client.send(.post, Self.path, Self.json, body: #"{"ttl":"","bind":""}"#)
            #expect((try empty.json()["expires_in"] as? NSNumber)?.intValue == 60)
        }
    }

    static let malformed: [(HTTPFields, String, String?)] = [
        (json, #"{"ttl":0}"#, "ttl"), (json, #"{"ttl":61}"#, "ttl"), (json, #"{"ttl":1.5}"#, "ttl"),
        (json, #"{"ttl":"5"}"#, "ttl"), (json, #"{"ttl":true}"#, "ttl"), (json, #"{"ttl":[5]}"#, "ttl"),
        (json, #"{"redirect":7}"#, "redirect"), (json, #"{"ttl":5,"ttl":5}"#, nil),
        (json, #"{"colour":"blue"}"#, "colour"), (json, "{", nil), (json, "[1]", nil), (json, "{} x", nil),
        (json, #"{"code_challenge":"x"}"#, "code_challenge"),
        (form, "ttl=5&ttl=5", "ttl"), (form, "ttl=soon", "ttl"), (form, "ttl=5%2", nil),
        (form, "colour=blue", "colour"),
        (json, #"{"redirct":"/x"}"#, "\"redirct\" is not a member of this body; known: bind, client_id, "),
        (json, #"{"two words":"blue"}"#, "one of the names is not a member of this body"),
        (form, "%ff=1", "one of the names"), (form, "client_id=%ff", "client_id"), (form, "bind=planet", "bind"),
    ]

    @Test(arguments: malformed)
    func `a malformed body is invalid_request and names its field`(
        headers: HTTPFields, body: String, field: String?
    ) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.post, Self.path, headers, body: body)
            #expect(answer.status == .badRequest)
            #expect(Set(try answer.json().keys) == ["error", "error_description", "error_uri", "request_id"])
            #expect(try answer.text("error") == "invalid_request")
            #expect(try answer.text("error_uri") == "https://bridge.example/errors/invalid_request")
            #expect(try answer.text("request_id") == answer.headers[.name("X-Request-Id")])
            if let field { #expect(try #require(try answer.text("error_description")).contains(field)) }
            // A name that can be one is quoted; no value is.
            #expect(!answer.text.contains("blue") && !answer.text.contains("planet"))
        }
    }

    @Test(arguments: ["%2Fuser%2F%FF", "%2Fuser%2F%C0%AE", "%ff"])
    func `a redirect is judged by its bytes, those that are no text too`(redirect: String) async throws {
        try await TestBridge.run { bridge, client in
            let answer = try await client.send(.post, Self.path, Self.form, body: "redirect=\(redirect)")
            #expect(answer.status == .badRequest)
            #expect(try answer.text("error") == "invalid_redirect")
            let records = try await bridge.storage.search(AuditFilter(), before: nil, limit: 10).records
            #expect(records.first { $0.event.type == .redirectRefused }?.event.reason == "malformed")
        }
    }

    @Test func `a large body is 413, another type 415`() async throws {
        try await TestBridge.run { _, client in
            let large = try await client.send(
                .post, Self.path, Self.json, body: "{" + String(repeating: " ", count: 17_000) + "}")
            #expect(large.status == .contentTooLarge)
            let other = try await client.send(
                .post, Self.path, [.authorization: "Bearer alice.app", .contentType: "text/xml"], body: "<ttl/>")
            #expect(other.status == .unsupportedMediaType)
        }
    }

    static let strangers: [(String?, String)] = [
        (nil, "Bearer"), ("Basic YTpi", "Bearer"), ("Bearer", "Bearer"),
        ("Bearer nonsense", "Bearer error=\"invalid_token\""), ("Bearer a b", "Bearer error=\"invalid_token\""),
    ]

    @Test(arguments: strangers)
    func `without a good bearer it is 401 with the right challenge`(
        authorization: String?, challenge: String
    ) async throws {
        try await TestBridge.run { _, client in
            var headers: HTTPFields = [:]
            headers[.authorization] = authorization
            let answer = try await client.send(.post, Self.path, headers)
            #expect(answer.status == .unauthorized)
            #expect(answer.headers[.wwwAuthenticate] == challenge)
            #expect(try answer.text("error") == "invalid_token")
        }
    }

    @Test func `a refused bearer is in the audit log`() async throws {
        try await TestBridge.run { bridge, client in
            _ = try await client.send(.post, Self.path, [.authorization: "Bearer nonsense"])
            let records = try await bridge.storage.search(AuditFilter(), before: nil, limit: 10).records
            #expect(records.map(\.event.type) == [.bearerRefused])
            #expect(records.first?.event.reason == "bad_signature")
        }
    }

    @Test(arguments: [("reader", "unauthorized_client"), ("nobody", "unauthorized_client")])
    func `a client without the right is 403`(client name: String, code: String) async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.post, Self.path, [.authorization: "Bearer alice.\(name)"])
            #expect(answer.status == .forbidden)
            #expect(try answer.text("error") == code)
        }
    }

    @Test(arguments: [#"{"colour":"blue"}"#, "{", #"{"ttl":61}"#, #"{"client_id":"nobody"}"#])
    func `contract §3: a client without the right is 403 whatever its body says, and recorded`(
        body: String
    ) async throws {
        try await TestBridge.run { bridge, client in
            var headers = Self.json
            headers[.authorization] = "Bearer alice.reader"
            #expect(try await client.send(.post, Self.path, headers, body: body).status == .forbidden)
            let events = try await bridge.storage.search(AuditFilter(), before: nil, limit: 10).records.map(\.event)
            #expect(events.map(\.type) == [.loginTokenRefused])
            #expect(events.first?.reason == "client_without_right")
        }
    }

    @Test func `an issuer that cannot be reached is 503 and tells nothing`() async throws {
        try await TestBridge.run { _, client in
            let answer = try await client.send(.post, Self.path, [.authorization: "Bearer unavailable"])
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.headers[.retryAfter] == "1")
            #expect(!answer.text.contains("marker-inside"))
        }
    }

    @Test func `contract §12: what cannot be read counts and is recorded, and the limit is asked first`() async throws {
        let plain: HTTPFields = [.authorization: "Bearer alice.app", .contentType: "text/plain"]
        let unreadable = [
            (Self.json, #"{"x":1}"#, "invalid_request"), (Self.json, "{", "invalid_request"),
            (Self.form, "ttl=5%2", "invalid_request"), (plain, "x", "unsupported_media_type"),
            (Self.json, String(repeating: " ", count: 17_000), "content_too_large"),
        ]
        try await TestBridge.run(limiter: InProcessRateLimiter(clock: .parameter)) { bridge, client in
            for (headers, body, code) in unreadable {
                #expect(try await client.send(.post, Self.path, headers, body: body).text("error") == code)
            }
            let events = try await bridge.storage.search(AuditFilter(), before: nil, limit: 10).records.map(\.event)
            #expect(events.allSatisfy { $0.type == .loginTokenRefused && $0.subject == "alice" })
            let codes: [String?] = unreadable.reversed().map { $0.2 }
            #expect(events.map(\.reason) == codes)
            for (headers, body, _) in unreadable {
                #expect(try await client.send(.post, Self.path, headers, body: body).status == .tooManyRequests)
            }
        }
    }

    @Test func `the limit is 429 with Retry-After`() async throws {
        try await TestBridge.run(limiter: InProcessRateLimiter(clock: .parameter)) { _, client in
            for _ in 0..<5 { _ = try await client.issue() }
            let answer = try await client.send(.post, Self.path, Self.json, body: "{}")
            #expect(answer.status == .tooManyRequests)
            #expect(try #require(answer.headers[.retryAfter].flatMap { Int($0) }) > 0)
        }
    }

    @Test func `the same Idempotency-Key gives the same answer, another body 422`() async throws {
        try await TestBridge.run { _, client in
            var headers = Self.json
            headers[.name("Idempotency-Key")] = "key-1"
            let first = try await client.send(.post, Self.path, headers, body: #"{"ttl":30}"#)
            let again = try await client.send(.post, Self.path, headers, body: #"{"ttl":30}"#)
            #expect(try first.text("token") == again.text("token"))
            let other = try await client.send(.post, Self.path, headers, body: #"{"ttl":31}"#)
            #expect(other.status == .unprocessableContent)
        }
    }

    @Test(arguments: [String(repeating: "k", count: 256), "two words"])
    func `contract §3: what cannot be an Idempotency-Key is refused in the issuer's words`(key: String) async throws {
        try await TestBridge.run { _, client in
            var headers = Self.json
            headers[.name("Idempotency-Key")] = key
            let answer = try await client.send(.post, Self.path, headers)
            #expect(answer.status == .badRequest)
            #expect(
                try answer.text("error_description") == "Idempotency-Key must be 1 to 255 visible ASCII characters")
        }
    }

    static let twice: [(HTTPField.Name, [String])] = [
        (.authorization, ["Bearer alice.app", "Bearer bob.app"]), (.name("Idempotency-Key"), ["a", "b"]),
    ]

    @Test(arguments: twice)
    func `a field that counts once and comes twice is refused, though each is good`(
        name: HTTPField.Name, values: [String]
    ) async throws {
        try await TestBridge.run { _, client in
            var headers: HTTPFields = [.authorization: "Bearer alice.app"]
            headers[values: name] = values
            let answer = try await client.send(.post, Self.path, headers)
            #expect(answer.status == .badRequest)
            #expect(try answer.text("error") == "invalid_request")
        }
    }

    @Test func `an app follows and revokes its own token`() async throws {
        try await TestBridge.run { bridge, client in
            let token = try await client.issue()
            let path = "/api/auth/sso-tokens/\(token.id)"
            let alice: HTTPFields = [.authorization: "Bearer alice.app"]
            let pending = try await client.send(.get, path, alice)
            #expect(Set(try pending.json().keys) == ["id", "status", "expires_at"])
            #expect(try await client.send(.get, path, [.authorization: "Bearer bob.app"]).status == .notFound)
            #expect(try await client.send(.get, path).status == .unauthorized)

            _ = try await client.redeem(token.token)
            let redeemed = try await client.send(.get, path, alice)
            #expect(try redeemed.text("status") == "redeemed")
            #expect(try redeemed.text("redeemed_at") == "2025-11-21T07:00:00.000Z")
            #expect(try await client.send(.delete, path, alice).status == .conflict)

            let unused = try await client.issue()
            let revoked = try await client.send(.delete, "/api/auth/sso-tokens/\(unused.id)", alice)
            #expect(revoked.status == .noContent)
            #expect(try await client.redeem(unused.token).status == .badRequest)

            let old = try await client.issue()
            bridge.clock.advance(by: .seconds(61))
            let expired = try await client.send(.get, "/api/auth/sso-tokens/\(old.id)", alice)
            #expect(try expired.text("status") == "expired")
        }
    }
}
