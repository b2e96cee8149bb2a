import DrawbridgeClient
import Foundation
import Testing

@Suite struct SignOutTests {
    private let device = Device()

    private func signedIn(keeping secrets: (any SecretStore)? = nil) async throws -> (Drawbridge, Drawbridge) {
        let (first, second) = (try device.app(keeping: secrets), try device.app("app-b", keeping: secrets))
        try await device.signIn(first)
        await device.provider.answer(
            "/token", await device.tokens("app-b", access: "at_b", refresh: "rt_b", secret: nil))
        _ = await second.signInSilently()
        await device.provider.answer("/revoke", ClientAnswer(status: 200))
        return (first, second)
    }

    private func revoked() async -> [String?] { await device.provider.asked("/revoke").map { $0.form["token"] } }

    @Test func `signing out ends the device secret, and nothing is left`() async throws {
        let (first, _) = try await signedIn()
        try await first.signOut()
        #expect(await revoked() == ["rt_1", "ds_1"])
        #expect(await device.shared().secret == nil)
        #expect(await device.shared().idToken == nil)
        await #expect(throws: ClientError.notSignedIn) { try await first.accessToken() }
    }

    @Test func `a sign-in of the same user once more leaves the one before until the sign-out, which ends both`()
        async throws
    {
        let app = try device.app()
        try await device.signIn(app)
        try await device.signIn(app, refresh: "rt_2")
        #expect(await revoked().isEmpty)
        await device.provider.answer("/revoke", ClientAnswer(status: 200))
        try await app.signOut()
        #expect(await revoked() == ["rt_2", "rt_1", "ds_1"])
    }

    @Test func `any of the apps may end it for all`() async throws {
        let (_, second) = try await signedIn()
        try await second.signOut()
        #expect(await revoked() == ["rt_b", "ds_1"])
        #expect(await device.shared().secret == nil)
    }

    @Test func `without the store's lock everything ends and leaves all the same, and that is told`() async throws {
        _ = try await signedIn()
        let app = try device.app(keeping: LocklessStore(under: device.store))
        await #expect(throws: ClientError.secretStore("no space")) { try await app.signOut() }
        #expect(await revoked() == ["rt_1", "ds_1"])
        #expect(await device.shared().secret == nil)
        #expect(await device.shared().idToken == nil)
        await #expect(throws: ClientError.notSignedIn) { try await app.signOut() }
        let again = try device.app()
        await #expect(throws: ClientError.notSignedIn) { try await again.accessToken() }
    }

    @Test func `without the store's lock nobody is signed in`() async throws {
        let app = try device.app(keeping: LocklessStore(under: device.store))
        await #expect(throws: ClientError.secretStore("no space")) { try await device.signIn(app) }
        #expect(await device.store.read(SecretItem(service: "drawbridge:app-a", account: FakeProvider.issuer)) == nil)
    }

    @Test func `one app alone leaves the others signed in`() async throws {
        let (first, second) = try await signedIn()
        try await second.signOut(.thisApp)
        #expect(await revoked() == ["rt_b"])
        #expect(await device.shared().secret == "ds_1")
        #expect(try await first.accessToken().expose() == "at_1")
        await #expect(throws: ClientError.notSignedIn) { try await second.accessToken() }
    }

    @Test func `the app that the others stand on takes them along`() async throws {
        let (first, _) = try await signedIn()
        try await first.signOut(.thisApp)
        #expect(await revoked() == ["rt_1", "ds_1"])
        #expect(await device.shared().secret == nil)
    }

    @Test func `a renewal that another process's sign-out overtook brings nothing back`() async throws {
        // Another process, and a store without a lock that both respect.
        let unlocked = StubbornStore(under: device.store) { _ in false }
        let (first, _) = try await signedIn(keeping: unlocked)
        await device.provider.answer("/token", await device.tokens(access: "at_2", refresh: "rt_2"))
        await device.provider.meanwhile("/token") { try? await first.signOut() }
        let late = try device.app(at: Device.now.addingTimeInterval(290), keeping: unlocked)
        await #expect(throws: ClientError.notSignedIn) { try await late.accessToken() }
        await #expect(throws: ClientError.notSignedIn) { try await first.accessToken() }
        #expect(await revoked() == ["rt_1", "ds_1", "rt_2"], "what came for nobody is ended")
        #expect(await device.shared().secret == nil)
    }

    @Test func `when one removal fails the others are done all the same`() async throws {
        _ = try await signedIn()
        let store = StubbornStore(under: device.store) { $0.service == "drawbridge:app-a" }
        let app = Drawbridge(
            configuration: try device.app().configuration, store: store, transport: device.provider,
            time: TimeSource { Device.now })
        await #expect(throws: ClientError.secretStore("it stays")) { try await app.signOut() }
        #expect(await device.shared().secret == nil)
        #expect(await device.shared().idToken == nil)
    }

    @Test func `what cannot be read leaves all the same, and its end cannot be told`() async throws {
        _ = try await signedIn()
        let app = try device.app(keeping: UnreadableStore(under: device.store))
        await #expect(throws: ClientError.signedOutHereOnly("the secret store does not work: damaged")) {
            try await app.signOut()
        }
        #expect(await revoked().isEmpty)
        #expect(await device.shared().secret == nil)
        #expect(await device.shared().idToken == nil)
        let again = try device.app()
        await #expect(throws: ClientError.notSignedIn) { try await again.accessToken() }
    }

    @Test func `one app alone leaves what the others share, where it cannot be read`() async throws {
        _ = try await signedIn()
        let app = try device.app(keeping: UnreadableStore(under: device.store))
        await #expect(throws: ClientError.self) { try await app.signOut(.thisApp) }
        #expect(await device.shared().secret == "ds_1")
    }

    @Test func `a list of the web view's cookies that cannot be read is told of, and gone then`() async throws {
        let list = SecretItem(service: "drawbridge:app-a", account: "\(FakeProvider.issuer)#cookies")
        await device.store.write(Redacted("[]"), to: list)
        let app = try device.app(keeping: UnreadableStore(under: device.store))
        await #expect(throws: ClientError.secretStore("damaged")) { try await app.clearWebView(NoWebView()) }
        #expect(await device.store.read(list) == nil)
    }

    @Test func `the secrets leave also when the provider cannot be told`() async throws {
        let (first, _) = try await signedIn()
        await device.provider.fail("/revoke", .unreachable("no network"))
        await #expect(throws: ClientError.signedOutHereOnly("the provider does not answer: no network")) {
            try await first.signOut()
        }
        #expect(await device.shared().secret == nil)
        await #expect(throws: ClientError.notSignedIn) { try await first.accessToken() }
    }

    @Test func `who is not signed in cannot sign out`() async throws {
        let app = try device.app()
        await #expect(throws: ClientError.notSignedIn) { try await app.signOut() }
    }

    @Test func `an error's words cannot steer a terminal`() {
        let error = ClientError.refused(OAuthRefusal(code: "bad\u{1B}[2J", explanation: "line\nbreak\u{9B}31m"))
        #expect("\(error)" == "the provider refused: bad?[2J (line?break?31m)")
    }
}

private struct NoWebView: WebViewHost {
    func setCookie(_ cookie: WebViewCookie, at place: CookiePlace) {}
    func load(_ url: URL) {}
    func removeCookie(at place: CookiePlace) {}
}

/// A store whose items are damaged.
private struct UnreadableStore: SecretStore {
    let under: MemorySecretStore

    func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>? { throw .secretStore("damaged") }

    func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError) {
        await under.write(secret, to: item)
    }

    func remove(_ item: SecretItem) async throws(ClientError) { await under.remove(item) }
}

/// A store whose disk is full: no lock can be had.
private struct LocklessStore: SecretStore {
    let under: MemorySecretStore

    func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>? { await under.read(item) }

    func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError) {
        await under.write(secret, to: item)
    }

    func remove(_ item: SecretItem) async throws(ClientError) { await under.remove(item) }

    func lock(_ item: SecretItem) async throws(ClientError) -> SecretLock { throw .secretStore("no space") }
}

/// A store that does not let go of some items, and has no lock.
struct StubbornStore: SecretStore {
    let under: MemorySecretStore
    let keeps: @Sendable (SecretItem) -> Bool

    func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>? { await under.read(item) }

    func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError) {
        await under.write(secret, to: item)
    }

    func remove(_ item: SecretItem) async throws(ClientError) {
        if keeps(item) { throw .secretStore("it stays") }
        await under.remove(item)
    }
}
