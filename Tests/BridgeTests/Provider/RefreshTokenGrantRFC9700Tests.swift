import OAuth2
import Testing

@testable import Bridge

@Suite struct RefreshTokenGrantRFC9700Tests {
    @Test func `a parent gives its successor again for ten seconds`() async throws {
        try await withProvider { provider in
            let parent = try await provider.signIn().refreshToken
            let first = try await provider.refresh(parent).refreshToken
            provider.service.clock.advance(.seconds(10))
            let second = try await provider.refresh(parent).refreshToken
            #expect(first?.expose() == second?.expose())
            #expect(first?.expose() != parent?.expose())
        }
    }

    @Test func `one user's refreshes have a limit, repeats of a parent too`() async throws {
        try await withProvider { provider in
            var token = try await provider.signIn().refreshToken
            for _ in 0..<59 { token = try await provider.refresh(token).refreshToken }
            let parent = token
            token = try await provider.refresh(parent).refreshToken
            let before = try await provider.service.events().count
            for _ in 0..<5 {
                for one in [token, parent] {
                    #expect(try await refusal { try await provider.refresh(one) } == "slow_down refresh.subject")
                }
            }
            let after = try await provider.service.events().suffix(from: before)
            #expect(after.count { $0.hasPrefix("refresh_token") } == 0)
            provider.service.clock.advance(.seconds(1))
            #expect(try await refusal { try await provider.refresh(token) } == "accepted")
        }
    }

    @Test func `an expired token takes nothing from its user's refreshes`() async throws {
        try await withProvider { provider in
            let expired = try await provider.signIn().refreshToken
            provider.service.clock.advance(.seconds(30 * 86_400))
            let fresh = try await provider.signIn().refreshToken
            for _ in 0...60 {
                #expect(
                    try await refusal { try await provider.refresh(expired) } == "invalid_grant expired_refresh_token")
            }
            #expect(try await refusal { try await provider.refresh(fresh) } == "accepted")
        }
    }

    @Test func `a parent that comes later ends the family`() async throws {
        try await withProvider { provider in
            let parent = try await provider.signIn().refreshToken
            let child = try await provider.refresh(parent).refreshToken
            provider.service.clock.advance(.milliseconds(10_001))
            #expect(try await refusal { try await provider.refresh(parent) } == "invalid_grant reused")
            #expect(try await refusal { try await provider.refresh(child) } == "invalid_grant session_ended")
            #expect(
                try await provider.service.events().suffix(4) == [
                    "refresh_token.reused reused", "app_session.ended refresh_token_reused",
                    "token_request.refused reused", "token_request.refused session_ended",
                ])
        }
    }

    @Test func `a grandparent ends the family, however soon it comes`() async throws {
        try await withProvider { provider in
            let parent = try await provider.signIn().refreshToken
            let child = try await provider.refresh(parent).refreshToken
            let grandchild = try await provider.refresh(child).refreshToken
            #expect(try await refusal { try await provider.refresh(parent) } == "invalid_grant reused")
            #expect(try await refusal { try await provider.refresh(grandchild) } == "invalid_grant session_ended")
        }
    }

    @Test func `a token that is not used for thirty days is gone, one that is lives ninety`() async throws {
        try await withProvider { provider in
            var token = try await provider.signIn().refreshToken
            for _ in 0..<3 {
                provider.service.clock.advance(.seconds(29 * 86_400))
                token = try await provider.refresh(token).refreshToken
            }
            provider.service.clock.advance(.seconds(3 * 86_400))
            #expect(try await refusal { try await provider.refresh(token) } == "invalid_grant session_ended")
        }
        try await withProvider { provider in
            let token = try await provider.signIn().refreshToken
            provider.service.clock.advance(.seconds(30 * 86_400))
            #expect(try await refusal { try await provider.refresh(token) } == "invalid_grant expired_refresh_token")
        }
    }

    @Test func `scope can be narrowed for a while and never widened`() async throws {
        try await withProvider { provider in
            let token = try await provider.signIn(try provider.grant(scope: ["openid", "profile"])).refreshToken
            #expect(
                try await refusal { try await provider.refresh(token, scope: "openid email") }
                    == "invalid_scope scope_widened")
            let narrow = try await provider.refresh(token, scope: "profile")
            #expect(narrow.scope == Scope("profile"))
            #expect(narrow.idToken == nil)
            #expect(try await provider.refresh(narrow.refreshToken).scope == Scope("openid profile"))
        }
    }

    @Test func `another client's token is refused and stays whole`() async throws {
        try await withProvider { provider in
            let token = try await provider.signIn().refreshToken
            #expect(
                try await refusal { try await provider.refresh(token, client: "mute") } == "invalid_grant other_client")
            #expect(try await refusal { try await provider.refresh(token) } == "accepted")
        }
    }

    private func refused(_ provider: Provider) async throws -> [AuditEvent] {
        try await provider.service.storage.search(AuditFilter(type: .tokenRequestRefused), before: nil, limit: 50)
            .records.reversed().map(\.event)
    }

    @Test func `who sends another client's token is told of with the token's user, session and client`() async throws {
        try await withProvider { provider in
            let tokens = try await provider.signIn()
            let session = try await provider.accessTokens.verify(tokens.accessToken, at: noon).sessionID
            _ = try await refusal { try await provider.refresh(tokens.refreshToken, client: "mute") }
            let event = try #require(try await refused(provider).last)
            #expect(event.reason == "other_client" && event.clientID == "mute")
            #expect(event.subject == "alice" && event.sessionID == session && session != nil)
            #expect(event.detail == #"{"issued_to":"app"}"#)
        }
    }

    @Test func `a token that is refused again and again is told of three times for each reason, and for each client`()
        async throws
    {
        try await withProvider { provider in
            let token = try await provider.signIn(try provider.grant(scope: ["openid", "profile"])).refreshToken
            for _ in 0..<5 {
                _ = try await refusal { try await provider.refresh(token, scope: "openid email") }
            }
            for _ in 0..<5 { _ = try await refusal { try await provider.refresh(token, client: "mute") } }
            let told = try await refused(provider)
            #expect(
                told.map(\.reason) == [String?](repeating: "scope_widened", count: 3)
                    + [String?](repeating: "other_client", count: 3))
            #expect(told.allSatisfy { $0.subject == "alice" && $0.sessionID != nil })
            #expect(told.first?.detail == nil, "the client that it was given to")
        }
    }

    @Test func `a token that nobody was given is told of without a name`() async throws {
        try await withProvider { provider in
            let made = Secret(OpaqueSecret.make(.refreshToken, random: .system).expose())
            _ = try await refusal { try await provider.refresh(made) }
            let event = try #require(try await refused(provider).last)
            #expect(event.reason == "unknown_refresh_token" && event.clientID == "app")
            #expect(event.subject == nil && event.sessionID == nil)
        }
    }

    @Test func `a confidential client keeps its token`() async throws {
        try await withProvider { provider in
            let code = try await provider.code(try provider.grant(client: "rp"))
            let token = try await provider.redeem(code, client: nil, basic: provider.basic).refreshToken
            provider.service.clock.advance(.seconds(20 * 86_400))
            let form = [("grant_type", "refresh_token"), ("refresh_token", try #require(token).expose())]
            #expect(try await provider.token(form, basic: provider.basic).refreshToken?.expose() == token?.expose())
            provider.service.clock.advance(.seconds(20 * 86_400))
            #expect(try await provider.token(form, basic: provider.basic).refreshToken?.expose() == token?.expose())
        }
    }
}
