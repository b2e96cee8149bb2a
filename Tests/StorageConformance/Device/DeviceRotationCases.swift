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
        ConformanceCase("an answer that was lost replaces no secret that another refresh gave out") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            try expectEqual(try await store.addSample("more"), .added, "more")
            _ = try await store.rotateSample("digest-a", to: "lost")
            try expect(try await store.rotateSample("digest-a", to: "digest-2").isAccepted, "once more")
            try expectEqual(try await store.deviceSecret(digest: "more")?.place, .current, "beside the first")
            _ = try await store.rotateSample("more", to: "more-lost")
            try expect(try await store.rotateSample("more", to: "more-2").isAccepted, "more, once more")
            try expectEqual(try await store.deviceSecret(digest: "digest-2")?.place, .current, "the first one's")
            try expectEqual(
                try await store.deviceSecret(digest: "more-lost")?.place, .replaced(at: Sample.now, isSpent: false),
                "the lost one of more")
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
                let added = try await store.addSample("more-\(number)", at: Sample.now + .seconds(Int64(number)))
                try expectEqual(added, .added, "number \(number)")
            }
            for (digest, isKept) in [
                ("digest-a", true), ("more-1", false), ("more-4", false), ("more-5", true), ("more-6", true),
            ] {
                try expectEqual(try await store.deviceSecret(digest: digest) != nil, isKept, digest)
            }
            _ = try await store.end(.device("device-a"), .sample())
            try expectEqual(try await store.addSample("late"), .deviceEnded, "to a revoked device")
        },
        ConformanceCase("what the first secret was rotated into stays, however many others are given out") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            let rotated = try await store.rotateSample("digest-a", to: "next", at: Sample.now + .seconds(1))
            try expect(rotated.isAccepted, "rotation")
            for number in 2...7 {
                _ = try await store.addSample("more-\(number)", at: Sample.now + .seconds(Int64(number)))
            }
            try expectEqual(try await store.deviceSecret(digest: "next")?.place, .current, "the first one's")
            try expectEqual(try await store.deviceSecret(digest: "more-5"), nil, "an older one of the others")
        },
        ConformanceCase("what one device gives up another keeps") { open in
            let store = try await open()
            for name in ["a", "b"] { _ = try await store.issueSample(name) }
            for number in 1...6 {
                let name = number <= 2 ? "b" : "a"
                let added = try await store.addSample(
                    "more-\(number)", to: DeviceSecretID(rawValue: "device-\(name)"),
                    for: SessionID(rawValue: "app-\(name)"), at: Sample.now + .seconds(Int64(number)))
                try expectEqual(added, .added, "number \(number)")
            }
            let later = Sample.now + .seconds(7)
            _ = try await store.rotateSample("digest-a", to: "lost", at: later)
            try expect(try await store.rotateSample("digest-a", to: "next", at: later).isAccepted, "once more")
            for digest in ["digest-b", "more-1", "more-2"] {
                try expectEqual(try await store.deviceSecret(digest: digest)?.place, .current, digest)
            }
        },
        ConformanceCase("an app session that is over, or another device's, gets no further secret") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.issueSample("b")
            try expectEqual(try await store.addSample("more", for: "app-b"), .sessionEnded, "another device's")
            _ = try await store.end(.appSession("app-a"), .sample())
            try expectEqual(try await store.addSample("more"), .sessionEnded, "an ended one")
            try expectEqual(try await store.deviceSecret(digest: "more"), nil, "the secret")
            try expectEqual(try await store.events(.deviceSecretIssued).count, 2, "events")
        },
    ]
}

extension BridgeStorage {
    /// Gives out a further secret of a device, of whose others two are kept.
    fileprivate func addSample(
        _ digest: String, to device: DeviceSecretID = "device-a", for session: SessionID = "app-a",
        at: Timestamp = Sample.now
    ) async throws -> DeviceSecretAddition {
        try await addDeviceSecret(
            digest: digest, to: device, for: session, at: at, keeping: 2, event: Sample.event(.deviceSecretIssued))
    }
}
