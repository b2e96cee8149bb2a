@testable import DrawbridgeClient
import Foundation
import Testing

@Suite struct RefreshTests {
    private let device = Device()
    private let later = Device.now.addingTimeInterval(290)

    @Test func `a token that is good for half a minute more is used as it is`() async throws {
        try await device.signIn(try device.app())
        let app = try device.app(at: Device.now.addingTimeInterval(269))
        #expect(try await app.accessToken().expose() == "at_1")
        #expect(await device.provider.asked("/token").count == 1)
    }

    @Test func `an old token is renewed, and the rotated refresh token kept`() async throws {
        try await device.signIn(try device.app())
        let lasting = ["exp": Int(Device.now.timeIntervalSince1970) + 2_000]
        await device.provider.answer("/token", await device.tokens(access: "at_2", refresh: "rt_2", claims: lasting))
        #expect(try await device.app(at: later).accessToken().expose() == "at_2")
        let form = try #require(await device.provider.asked("/token").last).form
        #expect(form["refresh_token"] == "rt_1")
        #expect(form["device_secret"] == "ds_1", "without it the provider makes a second device of this one")
        await device.provider.answer("/token", await device.tokens(access: "at_3", refresh: nil, claims: lasting))
        for wait in [290.0, 600.0] {
            let app = try device.app(at: later.addingTimeInterval(wait))
            #expect(try await app.accessToken().expose() == "at_3")
            #expect(await device.provider.asked("/token").last?.form["refresh_token"] == "rt_2", "kept if none comes")
        }
    }

    @Test func `a renewal gives up while it can be repeated, and nothing else gives up so soon`() async throws {
        // That it is below the server's grace: test_client_libraries.py.
        try await device.signIn(try device.app())
        await device.provider.answer("/token", await device.tokens(access: "at_2", refresh: "rt_2"))
        await device.provider.answer("/userinfo", .json(["sub": "alice"]))
        _ = try await device.app(at: later).person()
        #expect(await device.provider.asked("/token").map(\.patience) == [nil, Drawbridge.longestRenewal])
        #expect(await device.provider.asked("/userinfo").map(\.patience) == [nil])
    }

    @Test func `a hundred callers renew once`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", await device.tokens(access: "at_2", refresh: "rt_2"))
        let app = try device.app(at: later)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await app.accessToken().expose() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["at_2"])
        #expect(await device.provider.asked("/token").count == 2, "one sign-in and one renewal")
    }

    @Test func `a sign-in that the provider has ended is forgotten`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", .refusal("invalid_grant"))
        let app = try device.app(at: later)
        await #expect(throws: ClientError.notSignedIn) { try await app.accessToken() }
        await #expect(throws: ClientError.notSignedIn) { try await app.accessToken() }
        #expect(await device.provider.asked("/token").count == 2, "nobody asks again with a dead token")
    }

    @Test func `a late refusal does not end what another process has renewed meanwhile`() async throws {
        // Two processes, and a store without a lock that both respect.
        let unlocked = StubbornStore(under: device.store) { _ in false }
        try await device.signIn(try device.app(keeping: unlocked))
        let late = try device.app(at: later, keeping: unlocked)
        let quick = try device.app(at: later, keeping: unlocked)
        await device.provider.answer(
            "/token", await device.tokens(access: "at_2", refresh: "rt_2"), .refusal("invalid_grant"))
        await device.provider.meanwhile("/token") { _ = try? await quick.accessToken() }
        #expect(try await late.accessToken().expose() == "at_2")
        #expect(try await quick.accessToken().expose() == "at_2")
        #expect(await device.provider.asked("/token").count == 3, "one sign-in, and a renewal of each")
    }

    @Test func `without a network the sign-in stays`() async throws {
        try await device.signIn(try device.app())
        await device.provider.fail("/token", .unreachable("no network"))
        let app = try device.app(at: later)
        await #expect(throws: ClientError.unreachable("no network")) { try await app.accessToken() }
        #expect(try await device.app().accessToken().expose() == "at_1")
    }

    @Test func `a renewal about somebody else is refused`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", await device.tokens(claims: ["sub": "bob"]))
        let app = try device.app(at: later)
        await #expect(throws: ClientError.idToken(.subject)) { try await app.accessToken() }
    }

    @Test func `a new device secret is shared before the network is asked for the key of its ID token`() async throws {
        let app = try device.app()
        try await device.signIn(app)
        let idToken = SigningKey(id: "k2").token(device.claims("app-a", ["ds_hash": SigningKey.hash("ds_2")]))
        await device.provider.answer(
            "/token",
            .json([
                "access_token": "at_2", "token_type": "Bearer", "expires_in": 300, "refresh_token": "rt_2",
                "device_secret": "ds_2", "id_token": idToken,
            ]))
        let (shared, signal) = AsyncStream.makeStream(of: String?.self)
        await device.provider.meanwhile("/keys") { [device] in signal.yield(await device.shared().secret) }
        await #expect(throws: ClientError.idToken(.unknownKey)) { try await app.renewed() }
        signal.finish()
        var atKeys: [String?] = []
        for await secret in shared { atKeys.append(secret) }
        #expect(atKeys == ["ds_2"])
        #expect(await device.shared().secret == "ds_2")
    }

    @Test func `a token that the provider does not take is renewed once`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", await device.tokens(access: "at_2", refresh: "rt_2"))
        await device.provider.answer(
            "/userinfo", .refusal("invalid_token", status: 401), .json(["sub": "alice", "name": "Alice"]))
        #expect(try await device.app().person().name == "Alice")
        #expect(await device.provider.asked("/userinfo").map(\.bearer) == ["at_1", "at_2"])
    }

    @Test func `a provider that never takes a token is not asked for ever`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/token", await device.tokens(access: "at_2", refresh: "rt_2"))
        await device.provider.answer("/userinfo", ClientAnswer(status: 401))
        let app = try device.app()
        await #expect(throws: ClientError.refused(OAuthRefusal(code: "invalid_token"))) { try await app.person() }
        #expect(await device.provider.asked("/userinfo").count == 2)
    }

    @Test func `what userinfo says about somebody else is not used`() async throws {
        try await device.signIn(try device.app())
        await device.provider.answer("/userinfo", .json(["sub": "bob"]))
        let app = try device.app()
        await #expect(throws: ClientError.idToken(.subject)) { try await app.person() }
    }
}
