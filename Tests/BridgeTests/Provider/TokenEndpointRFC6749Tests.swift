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

    @Test func `the metadata lists the grants that are there`() async throws {
        try await withProvider { provider async throws in
            #expect(provider.endpoint.grantTypes == [.authorizationCode, .refreshToken, .clientCredentials])
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
