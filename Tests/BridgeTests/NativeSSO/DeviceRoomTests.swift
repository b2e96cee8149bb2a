import OAuth2
import Testing

@testable import Bridge

/// Whose devices make room past `maxDeviceSecretsPerUser`, and which secrets of one device.
@Suite struct DeviceRoomTests {
    private static func place(
        _ name: String, of client: ClientID = "app", isIdle: Bool = false
    ) -> DeviceSecretLimit.Place {
        DeviceSecretLimit.Place(id: DeviceSecretID(rawValue: name), clientID: client, isSignedIn: !isIdle)
    }

    /// In the order in which they make room.
    private static let live = [place("left", of: "other", isIdle: true), place("others", of: "other"), place("own")]

    @Test(
        arguments: [
            (4, DeviceSecretLimit.Behavior.revokeOldest, false, []),
            (3, .revokeOldest, false, ["left"]),
            (2, .revokeOldest, false, ["left", "own"]),
            (1, .revokeOldest, false, nil),
            (2, .revokeOldest, true, ["left", "others"]),
            (1, .revokeOldest, true, ["left", "others", "own"]),
            (3, .reject, true, ["left"]),
            (2, .reject, true, nil),
        ] as [(Int, DeviceSecretLimit.Behavior, Bool, [DeviceSecretID]?)])
    func `contract §5.2: devices without an app make room, then the client's own, and others' where they are reached`(
        count: Int, behavior: DeviceSecretLimit.Behavior, reachesOthers: Bool, expected: [DeviceSecretID]?
    ) {
        var limit = DeviceSecretLimit(count: count, behavior: behavior)
        limit.reachesOtherClients = reachesOthers
        #expect(limit.displaced(by: "app", among: Self.live) == expected)
    }

    @Test func `contract §5.2: at a sign-in the device that was used longest ago goes, whosever it is`() async throws {
        try await withNativeProvider([.maxDeviceSecretsPerUser: .number(1)]) { native in
            let ours = try await native.signIn()
            native.clock.advance(.seconds(60))
            let guest = try await native.signIn("guest")
            #expect(guest.deviceSecret != nil)
            #expect(try await !native.isActive(ours))
        }
    }

    @Test func `contract §5.2: at a refresh an app takes no place of another app's`() async throws {
        try await withNativeProvider([.enabled: .flag(false), .maxDeviceSecretsPerUser: .number(1)]) { native in
            let without = try await native.signIn(NativeProvider.music)
            try await native.configuration.change(
                [.enabled: .flag(true)], by: AdminAction(actor: .login("root"), origin: origin(), at: native.clock.now))
            let other = try await native.signIn()
            native.clock.advance(.seconds(60))
            let renewed = try await native.refresh(without, NativeProvider.music)
            #expect(renewed.deviceSecret == nil)
            #expect(try await native.isActive(other))
        }
    }

    @Test func `contract §5.2: a device keeps its first secret, and the four that refreshes gave last`() async throws {
        try await withNativeProvider { native in
            var tokens = try await native.signIn()
            var given = [try #require(tokens.deviceSecret)]
            for _ in 0..<5 {
                native.clock.advance(.seconds(1))
                tokens = try await native.refresh(tokens)
                given.append(try #require(tokens.deviceSecret))
            }
            var isGood: [Bool] = []
            for text in given {
                let secret = try #require(OpaqueSecret(text.expose(), kind: .deviceSecret))
                isGood.append(try await native.devices.live(secret, at: native.clock.now) != nil)
            }
            #expect(isGood == [true, false, true, true, true, true])
        }
    }

    @Test(arguments: ["revoke_oldest", "reject"])
    func `attack: an app that exchanges its sign-in for itself gets no device for each of its keys`(
        behavior: String
    ) async throws {
        try await withNativeProvider([
            .maxDeviceSecretsPerUser: .number(3), .maxSecretsBehavior: .word(behavior),
        ]) { native in
            let ours = try await native.signIn()
            let guest = try await native.signIn("guest")
            for number in 0..<3 {
                native.clock.advance(.seconds(60))
                let opened = try await native.exchange(guest, to: "guest")
                let request = DeviceSecretRequest(
                    session: try #require(try await native.storage.appSession(id: native.session(of: opened))),
                    client: try #require(native.service.clients.current["guest"]), presented: nil,
                    proofKeyThumbprint: "jkt-\(number)", origin: origin(), at: native.clock.now)
                #expect(try await native.devices.provideAtRefresh(request) == nil)
            }
            let devices = try await native.storage.deviceSecrets(
                of: "alice", includingEnded: true, at: native.clock.now)
            #expect(devices.count == 2)
            #expect(try await native.isActive(ours))
        }
    }
}
