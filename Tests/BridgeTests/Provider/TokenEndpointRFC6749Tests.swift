import OAuth2
import Testing

@testable import Bridge

@Suite struct TokenEndpointRFC6749Tests {
    @Test(
        arguments: [
            ([("grant_type", "refresh_token"), ("scope", "a"), ("scope", "b")], "invalid_request repeated_parameter"),
            ([], "invalid_request missing_grant_type"),
            ([("grant_type", "password")], "unsupported_grant_type grant_type"),
            ([("grant_type", "client_credentials")], "unauthorized_client grant_type"),
            ([("grant_type", "refresh_token")], "invalid_request missing_refresh_token"),
            ([("grant_type", "authorization_code")], "invalid_request missing_code"),
        ] as [([(String, String)], String)])
    func `§5.2: what no grant can answer is refused with its code`(
        form: [(String, String)], expected: String
    ) async throws {
        try await withProvider { provider async throws in
            #expect(
                try await refusal { try await provider.token([("client_id", "app")] + form) } == expected)
        }
    }

    @Test(arguments: ["redirect_uri", "code_verifier", "scope", "client_secret", "nobody_knows_it", "%FF"])
    func `Appendix B: what is not UTF-8 is refused and not taken for absent, at every endpoint of clients`(
        name: String
    ) async throws {
        try await withProvider { provider async throws in
            let form = try FormParameters(
                parsing: "client_id=app&grant_type=client_credentials&token=x&\(name)=%FF".utf8)
            let calls: [() async throws -> Void] = [
                { _ = try await provider.endpoint.answer(form, basic: .absent, cookies: .allowed, origin: origin()) },
                { try await provider.revocation.revoke(form, basic: .absent, origin: origin()) },
                { _ = try await provider.introspection.answer(form, basic: .absent, origin: origin()) },
                { _ = try await provider.pushedRequests.push(form, basic: .absent, origin: origin()) },
            ]
            for call in calls { #expect(try await refusal(call) == "invalid_request ") }
        }
    }

    @Test func `the metadata lists the grants that are there`() async throws {
        try await withProvider { provider async throws in
            #expect(provider.endpoint.grantTypes == [.authorizationCode, .refreshToken, .clientCredentials])
        }
    }

    @Test func `contract §12: a client that gets itself tokens too often has to wait`() async throws {
        var limits = LimitSettings()
        limits.clientCredentialsPerClient = TokenBucket(perMinute: 2)
        try await withProvider(limits: limits) { provider in
            func ask() async throws -> String {
                try await refusal {
                    try await provider.token(
                        [("grant_type", "client_credentials")],
                        basic: .given(id: "machine", secret: Secret(provider.secret.expose())))
                }
            }
            for _ in 0..<2 {
                let answer = try await ask()
                #expect(answer == "accepted")
            }
            let next = try await ask()
            #expect(next == "slow_down client_credentials.client")
            let events = try await provider.service.events()
            #expect(events.count { $0.hasPrefix("access_token.issued") } == 2)
            #expect(events.contains("rate_limit.exceeded client_credentials.client"))
            provider.service.clock.advance(.seconds(30))
            let later = try await ask()
            #expect(later == "accepted")
        }
    }

    @Test func `a network that is refused over and over fills no log`() async throws {
        try await withProvider { provider in
            for _ in 0..<100 {
                _ = try await refusal {
                    try await provider.token([("client_id", "app"), ("grant_type", "password")])
                }
            }
            let events = try await provider.service.events()
            #expect(events.count { $0.hasPrefix("token_request.refused") } == 60)
            #expect(events.contains { $0.hasPrefix("rate_limit.exceeded") })
        }
    }
}
