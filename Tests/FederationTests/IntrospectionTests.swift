import Bridge
import Federation
import HTTPTypes
import OAuth2
import Testing
import Tracing

private func settings(
    _ origin: String, reread: (@Sendable () throws -> Secret<String>)? = nil
) -> TrustedIssuerSettings {
    TrustedIssuerSettings(
        issuer: TestToken.issuer, audiences: ["drawbridge"],
        verification: .introspection(
            endpoint: origin + "/introspect", clientID: "bridge", clientSecret: Secret("s:e/cret"), reread: reread))
}

private func active(_ changes: [String: any Sendable] = [:], without: Set<String> = []) -> [UInt8] {
    TestToken.json(TestToken.claims(["active": true].merging(changes) { $1 }, without: without))
}

@Suite struct IntrospectionTests {
    @Test func `an active opaque token names user and app, for half a minute`() async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active())
            let identity = try await issuers(settings(origin)).authenticate("opaque-token")
            #expect(identity.subject == "alice")
            #expect(identity.cacheableUntil == TestToken.now + .seconds(30))
            #expect(identity.expiresAt == TestToken.now + .seconds(330))
            let request = try #require(server.received.first)
            #expect(request.body == "token=opaque-token&token_type_hint=access_token")
            #expect(request.authorization == "Basic " + Base64.encode(Array("bridge:s%3Ae%2Fcret".utf8)))
        }
    }

    @Test(
        arguments: [
            (#"{"active":false}"#, nil), (#"{"active":true}"#, "calls a token active that nobody has issued"),
            (#"{"error":"invalid_request"}"#, "does not answer with a JSON object that has active"),
            (#"{"active":"false"}"#, "does not answer with a JSON object that has active"),
            ("<p>Welcome</p>", "does not answer with a JSON object that has active"),
        ] as [(String, String?)])
    func `a check finds an endpoint good that can tell tokens apart`(answer: String, flaw: String?) async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: Array(answer.utf8))
            let found = await OnlineCheck.keys(of: settings(origin))
            let expected: OnlineCheck.Finding =
                if let flaw { .bad("\(origin)/introspect \(flaw)") } else {
                    .good("\(origin)/introspect answers us as bridge")
                }
            #expect(found == expected)
        }
    }

    @Test func `an issuer that is asked for a request is told its trace, and outside one nothing`() async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active())
            let issuers = try await issuers(settings(origin))
            let trace = try #require(
                TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
            _ = try await InstrumentationContext.$current.withValue(InstrumentationContext(passingOn: trace)) {
                try await issuers.authenticate("opaque-token")
            }
            _ = try await issuers.authenticate("another-token")
            #expect(server.received.map(\.traceparent) == [trace.traceparent, nil])
        }
    }

    @Test func `an answer may number the user where the claim is another than sub`() async throws {
        try await IssuerServer.run { server, origin in
            var numbering = settings(origin)
            numbering.subjectClaim = "user_id"
            server.answer("/introspect", json: active(["user_id": 42]))
            #expect(try await issuers(numbering).authenticate("opaque-token").subject == "42")
            server.answer("/introspect", json: active(["sub": 42]))
            await (try issuers(settings(origin))).expect(.malformed(claim: "sub"), of: "opaque-token")
        }
    }

    @Test func `an answer without expiry is believed for half a minute`() async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active(without: ["exp", "iss"]))
            let identity = try await issuers(settings(origin)).authenticate("opaque-token")
            #expect(identity.expiresAt == TestToken.now + .seconds(30))
        }
    }

    @Test func `a JWT of that issuer is asked about too`() async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active())
            try await issuers(settings(origin)).expectAlice(TestToken.hmac())
            #expect(server.received.count == 1)
        }
    }

    @Test func `a JWT of nobody known and a login token are not asked about`() async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active())
            let issuers = try await issuers(settings(origin))
            await issuers.expect(.unknownIssuer, of: TestToken.hmac(TestToken.claims(["iss": "https://other"])))
            await issuers.expect(.wrongType, of: TestToken.hmac(header: ["alg": "HS256", "typ": "login+jwt"]))
            await issuers.expect(.malformed, of: "two words")
            #expect(server.received.isEmpty)
        }
    }

    @Test(arguments: ["opaque-token", TestToken.hmac()])
    func `RFC 6750 §2.1: a byte that no bearer has is not asked about, wherever it stands`(token: String) async throws {
        let none: [[UInt8]] = (UInt8(0)...127).filter { !ASCII.isToken68($0) }.map { [$0] } + [Array("é".utf8)]
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active())
            let issuers = try await issuers(settings(origin))
            for position in [0, 1, token.utf8.count / 2, token.utf8.count - 1, token.utf8.count] {
                for byte in none {
                    var bytes = Array(token.utf8)
                    bytes.insert(contentsOf: byte, at: position)
                    await issuers.expect(.malformed, of: String(decoding: bytes, as: UTF8.self))
                }
            }
            #expect(server.received.isEmpty)
        }
    }

    @Test func `it is known beforehand about which tokens the endpoint is asked`() async throws {
        try await IssuerServer.run { server, origin in
            let issuers = try await issuers(settings(origin))
            for asked in ["opaque-token", TestToken.hmac()] {
                #expect(issuers.mustAskIssuer(about: Secret(asked), at: TestToken.now))
            }
            for other in [TestToken.hmac(TestToken.claims(["iss": "https://other"])), "two words"] {
                #expect(!issuers.mustAskIssuer(about: Secret(other), at: TestToken.now))
            }
            #expect(server.received.isEmpty)
        }
    }

    @Test func `attack: a bad token that many send at once is asked about once for a moment`() async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: Array(#"{"active":false}"#.utf8))
            let issuers = try await issuers(settings(origin))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { await issuers.expect(.inactive, of: "junk") } }
            }
            await issuers.expect(.inactive, of: "junk", at: TestToken.now + .milliseconds(4999))
            #expect(!issuers.mustAskIssuer(about: Secret("junk"), at: TestToken.now))
            #expect(server.count(of: "/introspect") == 1)
            server.answer("/introspect", json: active())
            #expect(issuers.mustAskIssuer(about: Secret("junk"), at: TestToken.now + .seconds(5)))
            try await issuers.expectAlice("junk", at: TestToken.now + .seconds(5))
            #expect(server.count(of: "/introspect") == 2)
        }
    }

    @Test(arguments: OpaqueSecret.Kind.allCases)
    func `a secret of ours is shown to no issuer, nor is what is left of one`(_ kind: OpaqueSecret.Kind) async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active())
            let issuers = try await issuers(settings(origin))
            let secret = OpaqueSecret.make(kind, random: .system).expose()
            for token in [secret, String(secret.dropLast(8))] {
                #expect(!issuers.mustAskIssuer(about: Secret(token), at: TestToken.now))
                await issuers.expect(.malformed, of: token)
            }
            #expect(server.received.isEmpty)
        }
    }

    @Test func `attack: a signed token with bytes off, and what is sealed, are shown to no issuer`() async throws {
        let signed = TestToken.hmac(header: ["alg": "HS256", "typ": "login+jwt"])
        let parts = signed.split(separator: ".").map(String.init)
        let added = [".", "..", "=", "/", "+"].map { signed + $0 } + [".", "=", "/"].map { $0 + signed }
        let left = [String(signed.dropLast(2)), "\(parts[0]).\(parts[1])", parts[0], parts[1]]
        let sealed = "1796101437.azE." + String(repeating: "A", count: 60)
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active())
            let issuers = try await issuers(settings(origin))
            for token in added + left + [sealed, String(sealed.dropLast(20))] {
                #expect(!issuers.mustAskIssuer(about: Secret(token), at: TestToken.now), "\(token)")
                await issuers.expect(.malformed, of: token)
            }
            #expect(server.received.isEmpty)
        }
    }

    @Test(arguments: ["1796101437.Abcdefgh", "17961014371.azE.abcdefghijklmnopqrstuvwxyz", "eyewitness.of.many-things"])
    func `what only resembles such a token is asked about`(token: String) async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active())
            try await issuers(settings(origin)).expectAlice(token)
        }
    }

    @Test func `RFC 7516 §7.1: an encrypted token begins as a signed one does, and is asked about`() async throws {
        let header = Base64URL.encode(Array(#"{"alg":"dir","enc":"A256GCM"}"#.utf8))
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active())
            try await issuers(settings(origin)).expectAlice("\(header)..aXY.dGV4dA.dGFn")
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refusal: BearerRefusal
        let answer: [UInt8]

        init(_ name: String, _ refusal: BearerRefusal, _ answer: [UInt8]) {
            testDescription = name
            self.refusal = refusal
            self.answer = answer
        }
    }

    @Test(arguments: [
        Case("inactive", .inactive, Array(#"{"active":false}"#.utf8)),
        Case("inactive with claims", .inactive, active(["active": false])),
        Case("another issuer", .unknownIssuer, active(["iss": "https://other"])),
        Case("wrong audience", .wrongAudience, active(["aud": "other"])),
        Case("no audience", .missing(claim: "aud"), active(without: ["aud"])),
        Case("expired", .expired, active(["exp": TestToken.now.seconds - 30])),
        Case("no subject", .missing(claim: "sub"), active(without: ["sub"])),
        Case("bound to a key", .senderConstrained, active(["cnf": ["x5t#S256": "x"]])),
        Case("a refresh token by its type", .wrongType, active(["token_type": "refresh_token"])),
        Case("a refresh token by its use", .wrongType, active(["token_type": "Bearer", "token_use": "refresh_token"])),
        Case("an ID token", .wrongType, active(["token_use": "id"])),
        Case("a type that is no text", .malformed(claim: "token_type"), active(["token_type": 1])),
        Case("DPoP without a key", .missing(claim: "cnf"), active(["token_type": "DPoP"])),
    ])
    func `a refusing answer refuses`(_ item: Case) async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: item.answer)
            await (try issuers(settings(origin))).expect(item.refusal, of: "opaque-token")
        }
    }

    @Test(
        arguments: [
            ["token_type": "Bearer"], ["token_type": "bearer", "token_use": "access_token"], ["token_use": "access"],
            ["token_type": "access_token"], ["token_type": TokenTypeURI.accessToken],
        ] as [[String: String]])
    func `an answer that says in any way that it is about an access token names the user`(
        says: [String: String]
    ) async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active(says))
            try await issuers(settings(origin)).expectAlice("opaque-token")
        }
    }

    @Test func `an answer about a DPoP token names the key that it is bound to`() async throws {
        try await IssuerServer.run { server, origin in
            let key = String(repeating: "A", count: 43)
            server.answer("/introspect", json: active(["token_type": "DPoP", "cnf": ["jkt": key]]))
            let identity = try await issuers(settings(origin)).authenticate("opaque-token")
            #expect(identity.proofKeyThumbprint == key)
        }
    }

    @Test(arguments: ["", "{}", "true", #"{"active":"true"}"#, #"{"active":1}"#, #"{"active":false,"active":true}"#])
    func `an unusable answer is unavailable, never good`(answer: String) async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: Array(answer.utf8))
            await (try issuers(settings(origin))).expectUnavailable("opaque-token")
        }
    }

    @Test func `an endpoint that refuses us or fails is unavailable`() async throws {
        try await IssuerServer.run { server, origin in
            let issuers = try await issuers(settings(origin))
            server.answer("/introspect", with: .init(status: .unauthorized, body: active()))
            await issuers.expectUnavailable("opaque-token")
            server.answer("/introspect", with: .init(status: .badGateway))
            await issuers.expectUnavailable("opaque-token")
        }
    }

    @Test func `after a reload the endpoint is shown the new secret, unless its file is empty`() async throws {
        try await IssuerServer.run { server, origin in
            server.answer("/introspect", json: active())
            let file = Reloadable(Secret("new"))
            let issuers = try await issuers(settings(origin, reread: { file.current }))
            try await issuers.reload()
            _ = try await issuers.authenticate("opaque-token")
            file.replace(with: Secret(""))
            await #expect(throws: TrustedIssuerProblems.self) { try await issuers.reload() }
            _ = try await issuers.authenticate("opaque-token")
            let authorization = "Basic " + Base64.encode(Array("bridge:new".utf8))
            #expect(server.received.map(\.authorization) == [authorization, authorization])
        }
    }

    @Test func `without an introspection endpoint an opaque token is refused`() async throws {
        await (try issuers(hmacSettings())).expect(.malformed, of: "opaque-token")
    }
}
