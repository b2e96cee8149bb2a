import OAuth2
import Testing

@testable import Bridge

@Suite struct TokenRevocationRFC7009Tests {
    private func revoke(_ provider: Provider, _ token: String, client: String = "app") async throws {
        try await provider.revocation.revoke(
            try Provider.parameters([("token", token), ("client_id", client)]), basic: .absent, origin: origin())
    }

    @Test func `a refresh token takes its session with it`() async throws {
        try await withProvider { provider in
            let tokens = try await provider.signIn()
            try await revoke(provider, try #require(tokens.refreshToken).expose())
            #expect(
                try await refusal {
                    try await provider.userInfo.claims(for: PresentedAccessToken(token: tokens.accessToken))
                } == "inactive")
            #expect(
                try await refusal { try await provider.refresh(tokens.refreshToken) } == "invalid_grant session_ended")
        }
    }

    @Test func `an access token goes alone`() async throws {
        try await withProvider { provider in
            let tokens = try await provider.signIn()
            _ = try await provider.userInfo.claims(for: PresentedAccessToken(token: tokens.accessToken))
            try await revoke(provider, tokens.accessToken.expose())
            #expect(
                try await refusal {
                    try await provider.userInfo.claims(for: PresentedAccessToken(token: tokens.accessToken))
                } == "inactive")
            #expect(try await refusal { try await provider.refresh(tokens.refreshToken) } == "accepted")
        }
    }

    @Test func `another node's revocation counts within half a second, and the store is asked no more often`()
        async throws
    {
        try await withProvider { provider in
            let (clock, storage) = (provider.service.clock, provider.service.storage)
            let token = try await provider.signIn().accessToken
            let claims = try await provider.accessTokens.verify(token, at: clock.now)
            func isActive() async throws -> Bool {
                try await provider.accessTokens.isActive(claims.id, sessionID: nil, at: clock.now)
            }
            #expect(try await isActive())
            try await storage.revokeToken(
                claims.id, until: claims.expiresAt,
                event: AuditEvent(at: clock.now, type: .accessTokenRevoked, outcome: .success))
            clock.advance(.milliseconds(499))
            #expect(try await isActive())
            clock.advance(.milliseconds(1))
            #expect(try await !isActive())
        }
    }

    @Test func `another client's token stays, and the client is told`() async throws {
        try await withProvider { provider in
            let tokens = try await provider.signIn()
            for token in [tokens.accessToken, try #require(tokens.refreshToken)] {
                #expect(
                    try await refusal { try await revoke(provider, token.expose(), client: "mute") }
                        == "invalid_grant other_client")
            }
            let events = try await provider.service.storage.search(
                AuditFilter(type: .tokenRequestRefused), before: nil, limit: 5
            ).records.map(\.event)
            #expect(
                events.map(\.reason) == ["other_client", "other_client"] && events.map(\.clientID) == ["mute", "mute"])
            let session = try await provider.accessTokens.verify(tokens.accessToken, at: noon).sessionID
            #expect(events.allSatisfy { $0.subject == "alice" && $0.sessionID == session })
            #expect(events.allSatisfy { $0.detail == #"{"issued_to":"app"}"# })
            #expect(
                try await refusal {
                    try await provider.userInfo.claims(for: PresentedAccessToken(token: tokens.accessToken))
                } == "accepted")
        }
    }

    @Test func `a login token is not silently left alive: it is revoked by its id`() async throws {
        try await withProvider { provider in
            let token = try await provider.service.issue().token.expose()
            #expect(
                try await refusal { try await revoke(provider, token) } == "unsupported_token_type login_token")
        }
    }

    @Test func `an unknown token is no error, an ID token is one`() async throws {
        try await withProvider { provider in
            #expect(try await refusal { try await revoke(provider, "never seen") } == "accepted")
            let idToken = try #require(try await provider.signIn().idToken)
            #expect(
                try await refusal { try await revoke(provider, idToken.expose()) } == "unsupported_token_type id_token")
        }
    }
}
