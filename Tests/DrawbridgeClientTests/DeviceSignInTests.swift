import DrawbridgeClient
import Foundation
import Synchronization
import Testing

@Suite struct DeviceSignInTests {
    private let device = Device()
    private let waits = Waits()

    /// Remembers how long it was asked to wait, and does not.
    private final class Waits: Sendable {
        private let kept = Mutex<[TimeInterval]>([])
        var all: [TimeInterval] { kept.withLock { $0 } }
        func wait(_ time: TimeInterval) { kept.withLock { $0.append(time) } }
    }

    private func begin(_ app: Drawbridge) async throws -> DeviceSignIn {
        await device.provider.answer(
            "/.well-known/openid-configuration",
            .json(FakeProvider.metadata(["device_authorization_endpoint": "\(FakeProvider.issuer)/device"])))
        await device.provider.answer(
            "/device",
            .json([
                "device_code": "dbd_1", "user_code": "WDJB-MJHT", "verification_uri": "\(FakeProvider.issuer)/d",
                "verification_uri_complete": "\(FakeProvider.issuer)/d?user_code=WDJB-MJHT", "expires_in": 600,
                "interval": 5,
            ]))
        return try await app.beginDeviceSignIn()
    }

    private func finish(_ app: Drawbridge, _ started: DeviceSignIn) async throws -> IDTokenClaims {
        try await app.finishDeviceSignIn(started) { [waits] in waits.wait($0) }
    }

    @Test func `a device asks until its user has answered, slower each time that it is told so`() async throws {
        let app = try device.app()
        let started = try await begin(app)
        #expect(started.userCode == "WDJB-MJHT")
        #expect(started.completeAddress?.hasSuffix("WDJB-MJHT") == true)
        await device.provider.answer(
            "/token", .refusal("authorization_pending"), .refusal("slow_down"), .refusal("authorization_pending"),
            await device.tokens(refresh: nil, secret: nil))
        #expect(try await finish(app, started).subject == "alice")
        #expect(waits.all == [5, 5, 10, 10])
        let form = try #require(await device.provider.asked("/token").last).form
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code")
        #expect(form["device_code"] == "dbd_1")
        #expect(try await app.accessToken().expose() == "at_1")
        let asked = try #require(await device.provider.asked("/device").last).form
        #expect(asked["scope"]?.contains("device_sso") == false)
    }

    @Test func `a device whose task is cancelled while its tokens come is signed in`() async throws {
        let app = try device.app()
        let started = try await begin(app)
        await device.provider.answer("/token", await device.tokens(refresh: nil, secret: nil))
        let outcome = await device.cancelledWhileTokensCome { try await app.finishDeviceSignIn(started) { _ in } }
        #expect(try outcome.get().subject == "alice")
        #expect(try await app.accessToken().expose() == "at_1")
    }

    @Test func `a device whose task is cancelled asks no more`() async throws {
        let app = try device.app()
        let started = try await begin(app)
        await device.provider.answer(
            "/token", .refusal("authorization_pending"), await device.tokens(refresh: nil, secret: nil))
        let outcome = await device.cancelledWhileTokensCome { try await app.finishDeviceSignIn(started) { _ in } }
        #expect(throws: ClientError.cancelled) { try outcome.get() }
        #expect(await device.provider.asked("/token").count == 1)
    }

    @Test(arguments: [("access_denied", false), ("expired_token", true), ("invalid_grant", false)])
    func `an answer that ends it ends it`(_ code: String, _ isTimeout: Bool) async throws {
        let app = try device.app()
        let started = try await begin(app)
        await device.provider.answer("/token", .refusal(code))
        do {
            _ = try await finish(app, started)
            Issue.record("signed in")
        } catch let error as ClientError {
            if isTimeout {
                #expect(error == .timedOut)
            } else {
                guard case .refused(let refusal) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(refusal.code == code)
            }
        }
        #expect(waits.all.count == 1)
    }

    @Test func `a provider that has no such endpoint is not asked`() async throws {
        let app = try device.app()
        await #expect(throws: ClientError.provider(.endpoint("device_authorization_endpoint"))) {
            try await app.beginDeviceSignIn()
        }
    }
}
