import Bridge

/// What becomes of a device secret when everything happens at once, on two servers.
enum DeviceRaceCases {
    static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("of 100 concurrent exchanges of a current secret all open a session") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].issueSample("a")
            let outcomes = try await concurrently(100) { number in
                try await servers[number % 2].useSample(
                    "digest-a", DeviceSample.use("a", web: DeviceSample.web("\(number)", below: "a")))
            }
            try expectEqual(outcomes.count { $0.isAccepted }, 100, "accepted")
            try expectEqual(try await servers[1].deviceSecret(id: "device-a")?.useCount, 100, "counted")
        },
        ConformanceCase("of 100 concurrent rotations one wins, one is the overlap's, and the rest end the family") {
            open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].issueSample("a")
            let outcomes = try await concurrently(100) { number in
                try await servers[number % 2].rotateSample("digest-a", to: "successor-\(number)")
            }
            try expectEqual(outcomes.count { $0.isAccepted }, 2, "accepted")
            try expectEqual(outcomes.count { $0.isReplay }, 1, "who ended it")
            try expectEqual(outcomes.count { $0 == .refused(.revoked) }, 97, "too late")
            try expectEqual(try await servers[0].events(.deviceSecretRotated).count, 2, "rotations")
            try expectEqual(try await servers[0].events(.deviceSecretRevoked).count, 1, "one end")
        },
        ConformanceCase("an exchange against a revocation leaves no session alive, whoever comes first") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].issueSample("a")
            let opened = try await concurrently(101) { number -> SessionID? in
                if number == 50 {
                    _ = try await servers[1].end(.device("device-a"), .sample())
                    return nil
                }
                let web = DeviceSample.web("\(number)", below: "a")
                let outcome = try await servers[number % 2].useSample(
                    "digest-a", DeviceSample.use("a", web: web))
                return outcome.isAccepted ? web.id : nil
            }
            for id in opened.compactMap(\.self) {
                try expect(try await servers[0].session(id: id)?.endedAt != nil, "\(id) is still alive")
            }
            try expectEqual(
                try await servers[0].useSample("digest-a", DeviceSample.use("a")), .refused(.revoked), "afterwards")
        },
        ConformanceCase("a replay amid exchanges leaves no session alive, whoever comes first") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].issueSample("a")
            _ = try await servers[0].rotateSample("digest-a", to: "digest-b")
            let late = Sample.now + DeviceSample.overlap + .seconds(1)
            let opened = try await concurrently(61) { number -> SessionID? in
                let web = DeviceSample.web("\(number)", below: "a")
                let outcome = try await servers[number % 3 == 0 ? 1 : 0].useSample(
                    number == 30 ? "digest-a" : "digest-b", DeviceSample.use("a", web: web, at: late))
                return outcome.isAccepted ? web.id : nil
            }
            for id in opened.compactMap(\.self) {
                try expect(try await servers[0].session(id: id)?.endedAt != nil, "\(id) is still alive")
            }
            try expectEqual(
                try await servers[0].useSample("digest-b", DeviceSample.use("a", at: late)), .refused(.revoked),
                "afterwards")
        },
        ConformanceCase("of 20 concurrent sign-ins the limit's number of devices is alive in the end") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].addUser("alice", at: Sample.now)
            _ = try await concurrently(20) { number in
                try await servers[number % 2].issueSample("n\(number)")
            }
            let live = try await servers[0].deviceSecrets(of: "alice", includingEnded: false, at: Sample.now)
            try expectEqual(live.count, DeviceSample.limit.count, "live devices")
        },
    ]
}
