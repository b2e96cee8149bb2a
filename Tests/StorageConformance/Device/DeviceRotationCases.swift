import Bridge

/// Rotation: a new secret, a short overlap for the old one, and the end of the family at a replay.
enum DeviceRotationCases {
    static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a rotated secret works once within the overlap, its successor always") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            try expect(try await store.rotateSample("digest-a", to: "digest-2").isAccepted, "rotation")
            try expectEqual(
                try await store.deviceSecret(digest: "digest-a")?.place, .replaced(at: Sample.now, isSpent: false),
                "place")
            let within = Sample.now + .seconds(30)
            try expect(
                try await store.useSample("digest-a", DeviceSample.use("a", at: within)).isAccepted, "the overlap")
            let second = DeviceSample.use("a", web: DeviceSample.web("2", below: "a"), at: within)
            try expect(try await store.useSample("digest-2", second).isAccepted, "the successor")
            try expectEqual(try await store.events(.deviceSecretRotated).count, 1, "events")
        },
        ConformanceCase("a rotated secret that comes twice in the overlap ends the family") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.rotateSample("digest-a", to: "digest-2")
            _ = try await store.useSample("digest-a", DeviceSample.use("a"))
            let again = try await store.useSample(
                "digest-a", DeviceSample.use("a", web: DeviceSample.web("2", below: "a")))
            guard case .replayed(let ended) = again else { throw ConformanceFailure(description: "\(again)") }
            try expectEqual(Set(ended.sessions), ["app-a", "web-a"], "what ended")
            try expectEqual(
                try await store.useSample("digest-2", DeviceSample.use("a")), .refused(.revoked), "its successor")
            try expectEqual(try await store.deviceSecret(id: "device-a")?.revokeReason, "replayed", "reason")
        },
        ConformanceCase("a rotated secret that comes after the overlap ends the family") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.rotateSample("digest-a", to: "digest-2")
            let late = Sample.now + .milliseconds(30_001)
            try expect(
                try await store.useSample("digest-a", DeviceSample.use("a", at: late)).isReplay, "the old one")
            try expect(try await store.appSession(id: "app-a")?.endedAt != nil, "the session")
        },
        ConformanceCase("an answer that was lost can be asked for once more, and both successors work") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.rotateSample("digest-a", to: "lost")
            try expect(try await store.rotateSample("digest-a", to: "digest-2").isAccepted, "once more")
            try expectEqual(try await store.deviceSecret(digest: "digest-2")?.place, .current, "the newest")
            try expectEqual(
                try await store.deviceSecret(digest: "lost")?.place, .replaced(at: Sample.now, isSpent: false),
                "the lost one has an overlap")
            try expect(try await store.rotateSample("digest-a", to: "digest-3").isReplay, "a third time")
        },
        ConformanceCase("an unknown, expired or revoked secret is not rotated") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            try expectEqual(try await store.rotateSample("nothing", to: "next"), .refused(.unknown), "unknown")
            let late = Sample.now + .seconds(3600)
            try expectEqual(
                try await store.rotateSample("digest-a", to: "next", at: late), .refused(.expired), "expired")
            _ = try await store.end(.device("device-a"), .sample())
            try expectEqual(try await store.rotateSample("digest-a", to: "next"), .refused(.revoked), "revoked")
            try expectEqual(try await store.deviceSecret(digest: "next"), nil, "its successor")
        },
        ConformanceCase("a further secret stands beside the first, and the youngest are kept") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            for number in 1...6 {
                let added = try await store.addDeviceSecret(
                    digest: "more-\(number)", to: "device-a", for: "app-a", at: Sample.now + .seconds(Int64(number)),
                    keeping: 2, event: Sample.event(.deviceSecretIssued))
                try expectEqual(added, .added, "number \(number)")
            }
            for (digest, isKept) in [
                ("digest-a", true), ("more-1", false), ("more-4", false), ("more-5", true), ("more-6", true),
            ] {
                try expectEqual(try await store.deviceSecret(digest: digest) != nil, isKept, digest)
            }
            _ = try await store.end(.device("device-a"), .sample())
            let added = try await store.addDeviceSecret(
                digest: "late", to: "device-a", for: "app-a", at: Sample.now, keeping: 2,
                event: Sample.event(.deviceSecretIssued))
            try expectEqual(added, .deviceEnded, "to a revoked device")
        },
        ConformanceCase("an app session that is over, or another device's, gets no further secret") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.issueSample("b")
            func add(for session: SessionID) async throws -> DeviceSecretAddition {
                try await store.addDeviceSecret(
                    digest: "more", to: "device-a", for: session, at: Sample.now, keeping: 2,
                    event: Sample.event(.deviceSecretIssued))
            }
            try expectEqual(try await add(for: "app-b"), .sessionEnded, "another device's")
            _ = try await store.end(.appSession("app-a"), .sample())
            try expectEqual(try await add(for: "app-a"), .sessionEnded, "an ended one")
            try expectEqual(try await store.deviceSecret(digest: "more"), nil, "the secret")
            try expectEqual(try await store.events(.deviceSecretIssued).count, 2, "events")
        },
    ]
}
