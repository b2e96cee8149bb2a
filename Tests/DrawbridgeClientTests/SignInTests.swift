import DrawbridgeClient
import Testing

@Suite struct SignInTests {
    private let device = Device()

    @Test func `the code is redeemed with its verifier, and the device secret is left for the other apps`() async throws
    {
        let app = try device.app()
        let claims = try await device.signIn(app)
        #expect(claims.subject == "alice")
        let request = try #require(await device.provider.asked("/token").first)
        #expect(request.form["grant_type"] == "authorization_code")
        #expect(request.form["code"] == "c1")
        #expect(request.form["client_id"] == "app-a")
        #expect(request.form["redirect_uri"] == "http://127.0.0.1:5000/callback")
        #expect(request.form["code_verifier"]?.count == 43)
        #expect(request.form["client_secret"] == nil)
        #expect(request.form["device_secret"] == nil)
        #expect(await device.shared().secret == "ds_1")
        #expect(try await app.accessToken().expose() == "at_1")
    }

    @Test func `a device that is known shows its secret`() async throws {
        try await device.signIn(try device.app())
        try await device.signIn(try device.app("app-b"))
        #expect(await device.provider.asked("/token").last?.form["device_secret"] == "ds_1")
    }

    @Test func `the sign-in is there for the app's next run`() async throws {
        try await device.signIn(try device.app())
        #expect(try await device.app().accessToken().expose() == "at_1")
    }

    @Test func `an app sees the tokens of no other app`() async throws {
        try await device.signIn(try device.app())
        await #expect(throws: ClientError.notSignedIn) { try await device.app("app-b").accessToken() }
    }

    @Test func `a sign-in whose ID token is refused leaves nothing behind`() async throws {
        let app = try device.app()
        await #expect(throws: ClientError.idToken(.audience)) { try await device.signIn(app, ["aud": "app-z"]) }
        #expect(await device.shared().secret == nil)
        #expect(await revoked() == ["rt_1", "ds_1"], "of which the app does not know")
        await #expect(throws: ClientError.notSignedIn) { try await app.accessToken() }
    }

    // Another secret than the one that was shown may be its successor: the same device, which is others' too.
    @Test(arguments: ["ds_2", "ds_1"])
    func `a sign-in that cannot be kept ends at the provider, and what was shared before is so again`(
        _ secret: String
    ) async throws {
        try await device.signIn(try device.app())
        let before = await device.shared()
        let app = try device.app("app-b", keeping: FullStore(under: device.store))
        await #expect(throws: ClientError.secretStore("no space")) {
            try await device.signIn(app, secret: secret, refresh: "rt_b")
        }
        #expect(await revoked() == ["rt_b"])
        #expect(await device.shared() == before)
    }

    @Test func `a sign-in whose task is cancelled while the code is redeemed is kept`() async throws {
        let app = try device.app()
        let outcome = await device.cancelledWhileTokensCome { [device] in try await device.signIn(app) }
        #expect(try outcome.get().subject == "alice")
        #expect(try await app.accessToken().expose() == "at_1")
    }

    @Test func `a sign-in whose task is cancelled and whose ID token is refused ends at the provider`() async throws {
        let app = try device.app()
        let outcome = await device.cancelledWhileTokensCome { [device] in
            try await device.signIn(app, ["aud": "app-z"])
        }
        #expect(throws: ClientError.idToken(.audience)) { try outcome.get() }
        #expect(await revoked() == ["rt_1", "ds_1"])
    }

    private func revoked() async -> [String] {
        await device.provider.asked("/revoke").compactMap { $0.form["token"] }
    }

    @Test func `without keys no code is redeemed, by the process that finishes the sign-in neither`() async throws {
        let request = try await device.app().beginSignIn(redirect: RedirectAddress("http://127.0.0.1:5000/callback"))
        await device.provider.fail("/keys", .unreachable("no network"))
        let next = try device.app()
        await #expect(throws: ClientError.unreachable("no network")) {
            try await next.finishSignIn(request, answer: request.goodAnswer)
        }
        #expect(await device.provider.asked("/token").isEmpty)
    }

    @Test func `a browser that is closed ends the sign-in`() async throws {
        struct Closed: SignInBrowser {
            func prepare() async throws(ClientError) -> RedirectAddress { try RedirectAddress("com.example.app:/c") }
            func open(_ request: SignInRequest) async throws(ClientError) -> String { throw .cancelled }
        }
        let app = try device.app()
        await #expect(throws: ClientError.cancelled) { try await app.signIn(with: Closed()) }
        #expect(await device.provider.asked("/token").isEmpty)
    }
}

/// A store that takes no tokens of an app's own.
private struct FullStore: SecretStore {
    let under: MemorySecretStore

    func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>? { await under.read(item) }

    func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError) {
        guard !item.service.hasPrefix("drawbridge:") else { throw .secretStore("no space") }
        await under.write(secret, to: item)
    }

    func remove(_ item: SecretItem) async throws(ClientError) { await under.remove(item) }
}
