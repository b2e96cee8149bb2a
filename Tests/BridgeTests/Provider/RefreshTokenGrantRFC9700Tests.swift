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
