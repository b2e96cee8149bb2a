import OAuth2
import Testing

@testable import Bridge

private struct Impostor: UserClaimsSource {
    func claims(of subject: Subject) -> [String: JSONValue] {
        ["name": .string("Alice"), "iss": .string("https://evil.example"), "aud": .string("evil")]
    }
}

/// OpenID Connect Core §5.3.2.
@Suite struct SignedUserInfoTests {
    private func signed(_ provider: Provider) async throws -> Secret<String> {
        provider.service.change(app) { $0.userInfoAlgorithm = .es256 }
        let answer = try await provider.userInfo.answer(
            to: PresentedAccessToken(token: provider.signIn().accessToken))
        guard case .signed(let token) = answer else { throw OAuthError(.serverError) }
        return token
    }

    @Test func `a client with an algorithm gets a JWT for it from us, of the same claims`() async throws {
        try await withProvider(users: Impostor()) { provider in
            let token = try await signed(provider)
            let jws = try #require(CompactJWS(token.expose()))
            #expect(provider.key.publicKey.verifies(jws))
            let claims = try #require(jws.claims)
            #expect(claims["iss"]?.string == issuerName && claims["aud"]?.string == "app")
            #expect(claims["sub"]?.string == "alice" && claims["name"]?.string == "Alice")
        }
    }

    @Test func `it is no ID token and no access token`() async throws {
        try await withProvider { provider in
            let token = try await signed(provider)
            #expect(provider.idTokens.readKnown(token) == nil)
            #expect(try await refusal { try await provider.accessTokens.active(token, at: noon) } != "accepted")
        }
    }
}
