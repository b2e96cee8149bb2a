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
                event: Sample.event(.deviceSecretIssued), displaced: .sample(.limit), rejected: nil)
            let ended = try await concurrently(10) { number in
                try await servers[number % 2].recordCodeReuse(
                    digest: "code-a", reuse: Sample.event(.authorizationCodeReused),
                    ending: .sample(.codeReused, extent: .stolen), alwaysTells: false)
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
            for digest in ["digest-a", "more"] {
                let found = try await store.deviceSecret(digest: digest)
                try expect(found == nil || found?.device.revokedAt != nil, digest)
            }
            try expectEqual(try await store.deviceSecret(id: "device-b")?.revokedAt, nil, "the other device")
        },
        ConformanceCase("an app's theft takes back what its refreshes gave out, from a device that goes on as well") {
            open in
            let store = try await open()
            _ = try await store.issueSample("a")
            let device = DeviceSecretID(rawValue: "device-a")
            let later = SessionID(rawValue: "app-later")
            _ = try await store.open(DeviceSample.session("later"), refreshToken: nil, events: [])
            try expect(try await store.attach(later, to: device, at: Sample.now), "the later sign-in")
            for (digest, session) in [("stolen", later), ("kept", SessionID(rawValue: "app-a"))] {
                try expectEqual(
                    try await store.addDeviceSecret(
                        digest: digest, to: device, for: session, at: Sample.now, keeping: 5,
                        event: Sample.event(.deviceSecretIssued)), .added, digest)
            }
            for (digest, successor) in [("stolen", "stolen-next"), ("kept", "kept-next")] {
                try expect(try await store.rotateSample(digest, to: successor).isAccepted, digest)
            }
            let ended = try await store.end(.appSession(later), .sample(extent: .stolen))
            try expectEqual(ended, Ended(sessions: [later]), "the end")
            for digest in ["stolen", "stolen-next"] {
                try expectEqual(try await store.deviceSecret(digest: digest), nil, digest)
            }
            for digest in ["digest-a", "kept-next"] {
                let found = try await store.deviceSecret(digest: digest)
                try expect(found != nil && found?.device.revokedAt == nil, digest)
            }
        },
        ConformanceCase("an app's theft takes back what was given out in any session that came of it, over or not") {
            open in
            let store = try await open()
            let device = DeviceSecretID(rawValue: "device-a")
            _ = try await store.issueSample("a")
            _ = try await store.open(DeviceSample.session("later"), refreshToken: nil, events: [])
            try expect(try await store.attach("app-later", to: device, at: Sample.now), "the later sign-in")
            // Of the later one came an app, another through that one, and one through a web view.
            for session in [
                DeviceSample.session("next", device: device, parent: "app-later"),
                DeviceSample.session("over", device: device, parent: "app-next"),
            ] {
                _ = try await store.open(session, refreshToken: nil, events: [])
            }
            _ = try await store.open(DeviceSample.web("view", below: "next"), replacing: nil, events: [])
            _ = try await store.open(
                DeviceSample.granted("viewed", in: "web-view", device: device), refreshToken: nil, events: [])
            for name in ["next", "over", "viewed", "a"] {
                try expectEqual(
                    try await store.addDeviceSecret(
                        digest: "more-\(name)", to: device, for: SessionID(rawValue: "app-\(name)"), at: Sample.now,
                        keeping: 9, event: Sample.event(.deviceSecretIssued)), .added, name)
            }
            for over in [EndingRoot.appSession("app-over"), .webSession("web-view")] {
                _ = try await store.end(over, .sample(extent: .signOut))
            }
            let ended = try await store.end(.appSession("app-later"), .sample(extent: .stolen))
            try expectEqual(ended.devices, [], "devices")
            for name in ["next", "over", "viewed"] {
                try expectEqual(try await store.deviceSecret(digest: "more-\(name)"), nil, name)
            }
            for digest in ["digest-a", "more-a"] {
                let found = try await store.deviceSecret(digest: digest)
                try expect(found != nil && found?.device.revokedAt == nil, digest)
            }
        },
        ConformanceCase("an app's theft ends the device that was first an app's that came of it") { open in
            let store = try await open()
            _ = try await store.issueSample("other")
            for (name, parent) in [("a", nil), ("below", "app-a")] as [(String, SessionID?)] {
                _ = try await store.open(DeviceSample.session(name, parent: parent), refreshToken: nil, events: [])
            }
            _ = try await store.issueDeviceSecret(
                DeviceSample.device("below"), digest: "digest-below", limit: DeviceSample.limit,
                event: Sample.event(.deviceSecretIssued), displaced: .sample(.limit), rejected: nil)
            let ended = try await store.end(.appSession("app-a"), .sample(extent: .stolen))
            try expectEqual(ended.devices, ["device-below"], "devices")
            try expectEqual(try await store.deviceSecret(id: "device-other")?.revokedAt, nil, "the other device")
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
            try await servers[0].addUser("alice", at: Sample.now)
            for round in 0..<10 {
                let name = "n\(round)"
                let session = DeviceSample.session(name)
                _ = try await servers[0].open(session, refreshToken: nil, events: [])
                _ = try await concurrently(2) { number in
                    if number == 0 {
                        _ = try await servers[0].issueDeviceSecret(
                            DeviceSample.device(name), digest: "digest-\(name)", limit: DeviceSample.limit,
                            event: Sample.event(.deviceSecretIssued), displaced: .sample(.limit), rejected: nil)
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
