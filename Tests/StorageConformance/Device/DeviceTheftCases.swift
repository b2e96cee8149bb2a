import Bridge

/// What becomes of a device when one of two who showed a code or a refresh token must have stolen it.
enum DeviceTheftCases {
    static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a second use of a code ends the device that its first one got") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].recordSample("a")
            _ = try await servers[0].redeemCode(
                digest: "code-a", opening: Sample.appSession("a", browser: Sample.browser), refreshToken: nil,
                at: Sample.now, events: [])
            _ = try await servers[0].issueDeviceSecret(
                DeviceSample.device("a"), digest: "digest-a", limit: DeviceSample.limit,
                event: Sample.event(.deviceSecretIssued), displaced: .sample("limit"))
            let ended = try await concurrently(10) { number in
                try await servers[number % 2].recordCodeReuse(
                    digest: "code-a", reuse: Sample.event(.authorizationCodeReused),
                    ending: .sample("code_reused", extent: .stolen), alwaysTells: false)
            }
            try expectEqual(ended.flatMap(\.sessions), ["app-a"], "sessions")
            try expectEqual(ended.flatMap(\.devices), ["device-a"], "devices")
            try expectEqual(
                try await servers[1].deviceSecret(id: "device-a")?.revokeReason, "code_reused", "the device's reason")
            try expectEqual(try await servers[0].events(.deviceSecretRevoked).count, 1, "events")
        },
        ConformanceCase("an app's theft ends the device that was first its own, with the secrets of its refreshes") {
            open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.issueSample("b")
            _ = try await store.addDeviceSecret(
                digest: "more", to: "device-a", for: "app-a", at: Sample.now, keeping: 2,
                event: Sample.event(.deviceSecretIssued))
            let ended = try await store.end(.appSession("app-a"), .sample(extent: .stolen))
            try expectEqual(ended.devices, ["device-a"], "devices")
            try expect(try await store.deviceSecret(digest: "more")?.device.revokedAt != nil, "the refreshed secret")
            try expectEqual(try await store.deviceSecret(id: "device-b")?.revokedAt, nil, "the other device")
        },
        ConformanceCase("an app's theft spares a device that it joined, and one that others joined") { open in
            let store = try await open()
            for name in ["a", "b"] {
                _ = try await store.issueSample(name)
                _ = try await store.open(
                    DeviceSample.session("\(name)-later"), refreshToken: nil, events: [])
                let id = DeviceSecretID(rawValue: "device-\(name)")
                let isBelow = try await store.attach(
                    SessionID(rawValue: "app-\(name)-later"), to: id, at: Sample.now)
                try expect(isBelow, "the second app of \(name)")
            }
            let first = try await store.end(.appSession("app-a"), .sample(extent: .stolen))
            try expectEqual(first, Ended(sessions: ["app-a"]), "the first app's end")
            let joined = try await store.end(.appSession("app-b-later"), .sample(extent: .stolen))
            try expectEqual(joined, Ended(sessions: ["app-b-later"]), "the second app's end")
            _ = try await store.end(.appSession("app-b"), .sample())
            for name in ["a", "b"] {
                let device = try await store.deviceSecret(id: DeviceSecretID(rawValue: "device-\(name)"))
                try expectEqual(device?.revokedAt, nil, "device \(name)")
            }
        },
        ConformanceCase("a theft leaves no device behind that is issued in the same moment") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].recordFirstSight(of: "alice", issuer: "i", at: Sample.now)
            for round in 0..<10 {
                let name = "n\(round)"
                let session = DeviceSample.session(name)
                _ = try await servers[0].open(session, refreshToken: nil, events: [])
                _ = try await concurrently(2) { number in
                    if number == 0 {
                        _ = try await servers[0].issueDeviceSecret(
                            DeviceSample.device(name), digest: "digest-\(name)", limit: DeviceSample.limit,
                            event: Sample.event(.deviceSecretIssued), displaced: .sample("limit"))
                    } else {
                        _ = try await servers[1].end(.appSession(session.id), .sample(extent: .stolen))
                    }
                }
                let live = try await servers[0].deviceSecrets(of: "alice", includingEnded: false, at: Sample.now)
                try expectEqual(live.map(\.id), [], "live devices of round \(round)")
            }
        },
    ]
}
