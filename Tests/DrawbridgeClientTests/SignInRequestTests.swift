import Testing

@testable import DrawbridgeClient

@Suite struct SignInRequestTests {
    private let device = Device()

    @Test func `the request asks for a code with PKCE, and holds no secret`() async throws {
        // RFC 7636 appendix B.
        let bytes: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214,
            191, 240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let app = Drawbridge(
            configuration: try ClientConfiguration(issuer: IssuerAddress(FakeProvider.issuer), clientID: "app-a"),
            store: MemorySecretStore(), transport: device.provider,
            random: RandomSource { Array(bytes.prefix($0)) })
        let request = try await app.beginSignIn(redirect: RedirectAddress("com.example.app:/callback"))
        #expect(request.address.hasPrefix("https://id.example.com/authorize?response_type=code&client_id=app-a&"))
        #expect(request.parameter("code_challenge") == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(request.parameter("code_challenge_method") == "S256")
        #expect(request.parameter("redirect_uri") == "com.example.app:/callback")
        #expect(request.parameter("scope") == "openid profile offline_access")
        #expect(!request.address.contains("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    }

    @Test func `state, nonce and challenge are of one sign-in alone`() async throws {
        let app = try device.app()
        let redirect = try RedirectAddress("http://[::1]:5000/callback")
        let first = try await app.beginSignIn(redirect: redirect)
        let second = try await app.beginSignIn(redirect: redirect)
        for name in ["state", "nonce", "code_challenge"] {
            #expect(first.parameter(name).count >= 22)
            #expect(first.parameter(name) != second.parameter(name))
        }
    }

    @Test func `an app of a sharing group asks for a device secret`() async throws {
        let request = try await device.app().beginSignIn(redirect: RedirectAddress("com.example.app:/callback"))
        #expect(request.parameter("scope").split(separator: " ").contains("device_sso"))
    }

    @Test func `wishes go along`() async throws {
        let request = try await device.app().beginSignIn(
            redirect: RedirectAddress("com.example.app:/callback"),
            options: SignInOptions(
                loginHint: "alice@example.com", asksAgain: true, levels: ["mfa"], maximumAge: 60, languages: ["de"]))
        #expect(request.parameter("login_hint") == "alice@example.com")
        #expect(request.parameter("prompt") == "login")
        #expect(request.parameter("acr_values") == "mfa")
        #expect(request.parameter("max_age") == "60")
        #expect(request.parameter("ui_locales") == "de")
    }

    @Test(arguments: [
        "http://example.com/callback", "myapp:/callback", "com.example.app://callback", "https://a.example/#f",
        "http://127.0.0.1.evil.example/callback", "javascript:alert(1)", "",
    ])
    func `an address that others could receive is no redirect address`(_ text: String) {
        #expect(throws: ClientError.self) { try RedirectAddress(text) }
    }

    @Test(arguments: [
        ("https://app.example.com/callback", "/callback"), ("https://APP.example.com:443/a/b?x=/y", "/a/b"),
        ("https://app.example.com", "/"), ("https://app.example.com?x=1", "/"),
    ])
    func `a claimed https address is known by its host and path`(text: String, path: String) throws {
        let redirect = try RedirectAddress(text)
        #expect(redirect.claim == RedirectAddress.Claim(host: "app.example.com", path: path))
        #expect(!redirect.isPrivateUse)
    }

    @Test(arguments: [
        ("com.example.app:/callback", true), ("http://127.0.0.1/callback", false),
        ("https://app.example.com:8443/callback", false),
    ])
    func `an address of another kind is none that a host claims`(text: String, isPrivateUse: Bool) throws {
        let redirect = try RedirectAddress(text)
        #expect(redirect.claim == nil)
        #expect(redirect.isPrivateUse == isPrivateUse)
    }
}
