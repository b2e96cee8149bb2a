import DrawbridgeClient
import Foundation
import Testing

@Suite struct IDTokenTests {
    private let device = Device()
    private static let now = Int(Device.now.timeIntervalSince1970)

    private static let flaws: [(IDTokenFlaw, String, any Sendable)] = [
        (.issuer, "iss", "https://evil.example"), (.issuer, "iss", "https://id.example.com/"),
        (.audience, "aud", "app-b"), (.audience, "aud", ["app-a", "app-b"]), (.audience, "azp", "app-b"),
        (.malformed, "sub", ""), (.malformed, "exp", "soon"), (.malformed, "aud", 1),
        (.expired, "exp", now - 121), (.issuedInFuture, "iat", now + 121),
        (.nonce, "nonce", "of another sign-in"), (.nonce, "nonce", ""),
        (.accessTokenHash, "at_hash", SigningKey.hash("at_2")),
        (.deviceSecretHash, "ds_hash", SigningKey.hash("ds_2")), (.deviceSecretHash, "ds_hash", ""),
    ]

    @Test(arguments: flaws.indices)
    func `a claim that is wrong ends the sign-in`(_ row: Int) async throws {
        let (flaw, name, value) = Self.flaws[row]
        let app = try device.app()
        await #expect(throws: ClientError.idToken(flaw), "\(name)") { try await device.signIn(app, [name: value]) }
    }

    @Test func `clocks may be two minutes apart`() async throws {
        try await device.signIn(try device.app(), ["exp": Self.now - 119, "iat": Self.now + 119])
    }

    @Test func `several audiences are fine when the token says that we asked`() async throws {
        try await device.signIn(try device.app(), ["aud": ["app-a", "app-b"], "azp": "app-a"])
    }

    @Test(arguments: ["none", "HS256", "RS256", "es256"])
    func `only ES256 counts, whatever the token says`(_ algorithm: String) async throws {
        let key = device.provider.keys
        try await expect(.algorithm) { key.token($0, algorithm: algorithm) }
    }

    @Test func `another key under the same name does not fit`() async throws {
        try await expect(.signature) { SigningKey(id: "k1").token($0) }
    }

    @Test func `a key that the provider does not publish is unknown`() async throws {
        try await expect(.unknownKey) { SigningKey(id: "k9").token($0) }
    }

    @Test(arguments: ["a.b", "a.b.c", "a.b.c.d", "e30.e30.AA=="])
    func `what is no token is malformed`(_ text: String) async throws {
        try await expect(.malformed) { _ in text }
    }

    @Test func `a body that was changed does not fit its signature`() async throws {
        let key = device.provider.keys
        try await expect(.signature) { claims in
            let real = key.token(claims).split(separator: ".")
            let forged = key.token(claims.merging(["sub": "bob"]) { $1 }).split(separator: ".")
            return "\(forged[0]).\(forged[1]).\(real[2])"
        }
    }

    @Test func `a new key is found by asking again, once`() async throws {
        let fresh = SigningKey(id: "k2")
        let app = try device.app()
        try await device.signIn(app)
        await device.provider.answer("/keys", .json(["keys": [device.provider.keys.publicKey, fresh.publicKey]]))
        try await signIn(app) { fresh.token($0) }
        try await signIn(app) { fresh.token($0) }
        #expect(await device.provider.asked("/keys").count == 2)
    }

    @Test func `ds_hash ties a token to its secret`() async {
        let token = Redacted(await device.idToken())
        #expect(DeviceSecretHash.fits(idToken: token, deviceSecret: Redacted("ds_1")))
        #expect(!DeviceSecretHash.fits(idToken: token, deviceSecret: Redacted("ds_2")))
        #expect(!DeviceSecretHash.fits(idToken: Redacted("no token"), deviceSecret: Redacted("ds_1")))
    }

    private func expect(_ flaw: IDTokenFlaw, _ make: ([String: any Sendable]) -> String) async throws {
        let app = try device.app()
        await #expect(throws: ClientError.idToken(flaw)) { try await signIn(app, make) }
    }

    private func signIn(_ app: Drawbridge, _ make: ([String: any Sendable]) -> String) async throws {
        let request = try await app.beginSignIn(redirect: RedirectAddress("com.example.app:/callback"))
        await device.provider.answer(
            "/token",
            .json([
                "access_token": "at_1", "token_type": "bearer", "expires_in": 300, "device_secret": "ds_1",
                "id_token": make(device.claims("app-a", ["nonce": request.parameter("nonce")])),
            ]))
        try await app.finishSignIn(request, answer: request.goodAnswer)
    }
}
