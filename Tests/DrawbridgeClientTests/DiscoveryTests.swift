import DrawbridgeClient
import Testing

@Suite struct DiscoveryTests {
    private let device = Device()

    private static let flaws: [(ProviderFlaw, [String: any Sendable])] = [
        (.otherIssuer, ["issuer": "https://evil.example"]), (.otherIssuer, ["issuer": "https://id.example.com/"]),
        (.endpoint("token_endpoint"), ["token_endpoint": "http://id.example.com/token"]),
        (.endpoint("token_endpoint"), ["token_endpoint": "http://127.0.0.1/token"]),
        (.endpoint("authorization_endpoint"), ["authorization_endpoint": "javascript:alert(1)"]),
        (.endpoint("jwks_uri"), ["jwks_uri": "https://user@id.example.com/keys"]),
        (.noPKCE, ["code_challenge_methods_supported": ["plain"]]), (.malformed("description"), ["issuer": 1]),
    ]

    @Test(arguments: flaws.indices)
    func `a description that must not be trusted ends the sign-in`(_ row: Int) async throws {
        let (flaw, change) = Self.flaws[row]
        await device.provider.answer("/.well-known/openid-configuration", .json(FakeProvider.metadata(change)))
        let app = try device.app()
        await #expect(throws: ClientError.provider(flaw)) {
            try await app.beginSignIn(redirect: RedirectAddress("com.example.app:/callback"))
        }
    }

    @Test func `the description is read once`() async throws {
        let app = try device.app()
        try await device.signIn(app)
        try await device.signIn(app)
        #expect(await device.provider.asked("/.well-known/openid-configuration").count == 1)
    }

    @Test(arguments: [
        "https://id.example.com", "https://id.example.com:8443/tenant", "http://127.0.0.1:8080", "http://[::1]:80",
        "http://localhost",
    ])
    func `an issuer is https, or http on this machine`(_ text: String) throws {
        #expect(try IssuerAddress(text).text == text)
    }

    @Test(arguments: [
        "http://id.example.com", "https://id.example.com/", "https://id.example.com?x=1", "https://id.example.com#x",
        "https://user@id.example.com", "https://", "ftp://id.example.com", "https://id.example.com:0",
        "https://id.example.com:99999", "http://127.0.0.1.evil.example", "http://127.0.0.1@evil.example",
        "http://127.0.0.1\\@evil.example", "https://id example.com", "", "http://[::1",
    ])
    func `anything else is none`(_ text: String) {
        #expect(throws: ClientError.self) { try IssuerAddress(text) }
    }
}
