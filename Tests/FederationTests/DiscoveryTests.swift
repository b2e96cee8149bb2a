import Bridge
import Federation
import Testing

private func settings(_ issuer: String) -> TrustedIssuerSettings {
    TrustedIssuerSettings(issuer: issuer, audiences: ["drawbridge"], verification: .discovery)
}

private func metadata(_ issuer: String, jwksURI: String) -> [UInt8] {
    TestToken.json(["issuer": issuer, "jwks_uri": jwksURI])
}

@Suite struct DiscoveryTests {
    let key = ECKey(keyID: "k1")

    @Test(arguments: [
        ("", "/.well-known/openid-configuration"), ("/tenant", "/tenant/.well-known/openid-configuration"),
        ("/tenant/", "/tenant/.well-known/openid-configuration"),
        ("/tenant", "/.well-known/oauth-authorization-server/tenant"), ("", "/.well-known/oauth-authorization-server"),
    ])
    func `keys are found through the metadata`(path: String, location: String) async throws {
        try await IssuerServer.run { [key] server, origin in
            server.answer(location, json: metadata(origin + path, jwksURI: origin + "/keys"))
            server.answer("/keys", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin + path))
            let token = try key.token(TestToken.claims(["iss": origin + path]))
            #expect(try await issuers.authenticate(token).issuer == origin + path)
        }
    }

    @Test func `metadata of another issuer is not used`() async throws {
        try await IssuerServer.run { [key] server, origin in
            server.answer(
                "/.well-known/openid-configuration", json: metadata(origin + "/", jwksURI: origin + "/keys"))
            server.answer("/keys", json: keySet([key.jwk()]))
            let issuers = try await issuers(settings(origin))
            await issuers.expectUnavailable(try key.token(TestToken.claims(["iss": origin])))
            #expect(server.count(of: "/keys") == 0)
        }
    }

    @Test(arguments: ["http://example.com/keys", "file:///etc/passwd", ""])
    func `keys are not fetched from an insecure address`(jwksURI: String) async throws {
        try await IssuerServer.run { [key] server, origin in
            server.answer("/.well-known/openid-configuration", json: metadata(origin, jwksURI: jwksURI))
            let issuers = try await issuers(settings(origin))
            await issuers.expectUnavailable(try key.token(TestToken.claims(["iss": origin])))
        }
    }

    @Test func `an issuer without metadata is unavailable`() async throws {
        try await IssuerServer.run { [key] server, origin in
            let issuers = try await issuers(settings(origin))
            await issuers.expectUnavailable(try key.token(TestToken.claims(["iss": origin])))
            #expect(server.received.count == 2)
        }
    }
}
