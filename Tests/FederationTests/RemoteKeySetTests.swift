import Bridge
import Federation
import HTTPTypes
import Testing

private func settings(_ origin: String, _ path: String = "/jwks") -> TrustedIssuerSettings {
    TrustedIssuerSettings(
        issuer: TestToken.issuer, audiences: ["drawbridge"], verification: .jwksURL(origin + path))
}

/// The claims of a token made at `now`.
private func claims(at now: Timestamp) -> [String: any Sendable] {
    TestToken.claims(["iat": now.seconds, "exp": now.seconds + 300])
}

@Suite struct RemoteKeySetTests {
    let key = ECKey(keyID: "k1")
    let now = TestToken.now

    @Test func `keys are fetched once and kept`() async throws {
        try await IssuerServer.run { [key] server, origin in
            server.answer("/jwks", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin))
            for _ in 0..<3 { try await issuers.expectAlice(key.token()) }
            #expect(server.count(of: "/jwks") == 1)
        }
    }

    @Test func `a hundred first requests make one fetch`() async throws {
        try await IssuerServer.run { [key] server, origin in
            server.answer("/jwks", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin))
            let token = try key.token()
            try await withThrowingTaskGroup(of: Subject.self) { group in
                for _ in 0..<100 { group.addTask { try await issuers.authenticate(token).subject } }
                for try await subject in group { #expect(subject == "alice") }
            }
            #expect(server.count(of: "/jwks") == 1)
        }
    }

    @Test func `an unknown kid causes one fetch within the floor`() async throws {
        try await IssuerServer.run { [key, now] server, origin in
            let new = ECKey(keyID: "k2")
            server.answer("/jwks", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin))
            _ = try await issuers.authenticate(key.token())
            server.answer("/jwks", json: keySet([key.jwk(), new.jwk()]))
            await issuers.expect(.unknownKey, of: try new.token(), at: now + .milliseconds(29_999))
            #expect(server.count(of: "/jwks") == 1)
            try await issuers.expectAlice(new.token(), at: now + .seconds(30))
            for _ in 0..<5 {
                await issuers.expect(.unknownKey, of: try ECKey(keyID: "k3").token(), at: now + .seconds(31))
            }
            #expect(server.count(of: "/jwks") == 2)
        }
    }

    @Test func `a clock set back does not hold the floor shut`() async throws {
        try await IssuerServer.run { [key, now] server, origin in
            let new = ECKey(keyID: "k2")
            server.answer("/jwks", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin))
            let later = now + .seconds(7200)
            _ = try await issuers.authenticate(key.token(claims(at: later)), at: later)
            server.answer("/jwks", json: keySet([new.jwk()]))
            try await issuers.expectAlice(new.token(), at: now)
        }
    }

    @Test func `a key that was withdrawn is refused a minute later, however quiet it was`() async throws {
        try await IssuerServer.run { [key, now] server, origin in
            server.answer("/jwks", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin))
            _ = try await issuers.authenticate(key.token())
            server.answer("/jwks", json: keySet([ECKey(keyID: "k2").jwk()]))
            let before = now + .seconds(29)
            try await issuers.expectAlice(key.token(claims(at: before)), at: before)
            #expect(server.count(of: "/jwks") == 1)
            let after = now + .seconds(60)
            await issuers.expect(.unknownKey, of: try key.token(claims(at: after)), at: after)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `keys in use are fetched anew beside it, and nobody waits for that`() async throws {
        try await IssuerServer.run { [key, now] server, origin in
            server.answer("/jwks", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin))
            _ = try await issuers.authenticate(key.token())
            // What hangs is not waited for.
            server.answer("/jwks", with: .init(hangs: true))
            let later = now + .seconds(30)
            try await issuers.expectAlice(key.token(claims(at: later)), at: later)
            while server.count(of: "/jwks") < 2 { await Task.yield() }
        }
    }

    @Test func `while the issuer is away, one waits and the others go on`() async throws {
        try await IssuerServer.run { [key, now] server, origin in
            server.answer("/jwks", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin))
            _ = try await issuers.authenticate(key.token())
            server.answer("/jwks", with: .init(status: .internalServerError))
            for seconds in [60, 61, 89] {
                let later = now + .seconds(seconds)
                try await issuers.expectAlice(key.token(claims(at: later)), at: later)
            }
            #expect(server.count(of: "/jwks") == 2)
        }
    }

    @Test func `old keys serve while the issuer is away, for a bounded time`() async throws {
        try await IssuerServer.run { [key, now] server, origin in
            server.answer("/jwks", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin))
            _ = try await issuers.authenticate(key.token())
            server.answer("/jwks", with: .init(status: .internalServerError))
            let away = now + .seconds(3600)
            try await issuers.expectAlice(key.token(claims(at: away)), at: away)
            await issuers.expectUnavailable(try ECKey(keyID: "new").token(claims(at: away)), at: away)
            let tooLong = now + .seconds(24 * 3600)
            await issuers.expectUnavailable(try key.token(claims(at: tooLong)), at: tooLong)
        }
    }

    @Test func `a reload forgets the keys`() async throws {
        try await IssuerServer.run { [key] server, origin in
            server.answer("/jwks", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin))
            _ = try await issuers.authenticate(key.token())
            server.answer("/jwks", json: keySet([ECKey(keyID: "k2").jwk()]))
            try await issuers.reload()
            await issuers.expect(.unknownKey, of: try key.token())
        }
    }

    @Test func `an issuer that nobody answers for is unavailable`() async throws {
        await (try issuers(settings("http://127.0.0.1:9"))).expectUnavailable(try key.token())
    }

    @Test(arguments: ["<html>", "{}", #"{"keys":"none"}"#, #"{"keys":[],"keys":[]}"#])
    func `what is no key set is unavailable, never good`(body: String) async throws {
        try await IssuerServer.run { [key] server, origin in
            server.answer("/jwks", json: Array(body.utf8))
            await (try issuers(settings(origin))).expectUnavailable(try key.token())
        }
    }

    @Test func `an oversize key set is unavailable`() async throws {
        try await IssuerServer.run { [key] server, origin in
            let padding = String(repeating: " ", count: 256 * 1024)
            server.answer("/jwks", json: keySet([key.jwk()]) + Array(padding.utf8))
            await (try issuers(settings(origin))).expectUnavailable(try key.token())
        }
    }

    @Test func `a set of too many keys is unavailable`() async throws {
        try await IssuerServer.run { [key] server, origin in
            server.answer("/jwks", json: keySet([key.jwk()] + (0..<64).map { key.jwk(["kid": "x\($0)"]) }))
            await (try issuers(settings(origin))).expectUnavailable(try key.token())
        }
    }

    @Test func `a redirect is not followed`() async throws {
        try await IssuerServer.run { [key] server, origin in
            server.answer("/jwks", with: .init(status: .found, location: origin + "/moved"))
            server.answer("/moved", json: keySet([key.jwk()]))
            await (try issuers(settings(origin))).expectUnavailable(try key.token())
            #expect(server.count(of: "/moved") == 0)
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func `an issuer that is slow, before or in its answer, is unavailable`(hangs: Bool) async throws {
        try await IssuerServer.run { [key] server, origin in
            server.answer("/jwks", with: .init(hangs: hangs, trickles: !hangs))
            let limits = FetchLimits(timeout: .milliseconds(300))
            await (try issuers(settings(origin), limits: limits)).expectUnavailable(try key.token())
        }
    }
}
