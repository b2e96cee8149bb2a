import DrawbridgeClient
import Foundation
import Testing

/// Alice in one app, and then Bob in another: the device's shared sign-in is Bob's by now.
@Suite struct TwoPeopleTests {
    private let device = Device()

    private func alice(at now: Date = Device.now) async throws -> Drawbridge {
        try await device.signIn(try device.app())
        try await device.signIn(try device.app("app-b"), secret: "ds_bob", ["sub": "bob"])
        return try device.app(at: now)
    }

    @Test func `the last one to sign in by a browser is the one who is shared`() async throws {
        _ = try await alice()
        #expect(await device.shared().secret == "ds_bob")
    }

    @Test func `renewing the one's tokens leaves the other's secret alone`() async throws {
        let app = try await alice(at: Device.now.addingTimeInterval(290))
        await device.provider.answer(
            "/token",
            await device.tokens(access: "at_2", secret: "ds_new", claims: ["ds_hash": SigningKey.hash("ds_new")]))
        #expect(try await app.accessToken().expose() == "at_2")
        let form = try #require(await device.provider.asked("/token").last).form
        #expect(form["device_secret"] == nil, "a secret of Bob's is not shown for Alice")
        #expect(form["scope"] == "openid profile offline_access")
        #expect(await device.shared().secret == "ds_bob")
    }

    @Test func `signing the one out leaves the other signed in`() async throws {
        let app = try await alice()
        await device.provider.answer("/revoke", ClientAnswer(status: 200))
        try await app.signOut()
        #expect(await device.provider.asked("/revoke").map { $0.form["token"] } == ["rt_1"])
        #expect(await device.shared().secret == "ds_bob")
    }

    @Test func `a sign-in of the other in the same app ends that of the one`() async throws {
        let app = try device.app()
        try await device.signIn(app)
        try await device.signIn(app, secret: "ds_bob", refresh: "rt_bob", ["sub": "bob"])
        #expect(await device.provider.asked("/revoke").map { $0.form["token"] } == ["rt_1"])
        #expect(await device.shared().secret == "ds_bob")
    }

    @Test func `no web view is opened with tokens of two people`() async throws {
        let app = try await alice()
        let page = try #require(URL(string: "https://id.example.com/"))
        await #expect(throws: ClientError.notSignedIn) { try await app.cookies(for: page, webView: "web-view") }
        #expect(await device.provider.asked("/token").count == 2)
    }
}
