import Bridge
import OAuth2

/// How many web sessions one device has at one website by its secret.
enum WebViewLimitCases {
    private static func later(_ seconds: Int64) -> Timestamp { Sample.now + .seconds(seconds) }

    static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("past the limit the web session that was used longest ago ends, with all below it") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            for number in 1...3 {
                let web = DeviceSample.web("\(number)", below: "a", at: later(Int64(number)))
                let outcome = try await store.useSample(
                    "digest-a", DeviceSample.use("a", web: web, at: web.createdAt, atMost: 3))
                try expectEqual(outcome.ended, [], "made room for \(number)")
            }
            _ = try await store.open(
                AppSession(
                    id: "granted", subject: "alice", clientID: "other", scope: .empty, opening: .authorize,
                    authentication: Authentication(), browserSessionID: "web-2", createdAt: later(4),
                    expiresAt: later(3600)),
                refreshToken: nil, events: [])
            try await store.touch("web-1", at: later(70))
            let web = DeviceSample.web("4", below: "a", at: later(80))
            let outcome = try await store.useSample(
                "digest-a", DeviceSample.use("a", web: web, at: web.createdAt, atMost: 3))
            try expectEqual(outcome.ended, ["web-2", "granted"], "who made room")
            for id: SessionID in ["web-1", "web-3", "web-4"] {
                try expect(try await store.session(id: id)?.endedAt == nil, "\(id) goes on")
            }
            try expectEqual(try await store.session(id: "web-2")?.endedAt, later(80), "when it ended")
            try expect(try await store.appSession(id: "granted")?.endedAt != nil, "what was granted in it")
            let events = try await store.events(.webSessionEnded)
            try expectEqual(events.map(\.reason), ["too_many_of_device"], "reasons")
            try expectEqual(events.map(\.sessionID), ["web-2"], "whose")
            try expect(try await open().deviceSecret(id: "device-a")?.revokedAt == nil, "the device goes on")
        },
        ConformanceCase("for a web session room is made on its own website and device alone") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.issueSample("b")
            // Another app of the same device shares the room.
            _ = try await store.open(DeviceSample.session("c", device: "device-a"), refreshToken: nil, events: [])
            for (app, web) in [
                ("a", DeviceSample.web("a", below: "a")),
                ("a", DeviceSample.web("elsewhere", below: "a", on: "shop")),
                ("b", DeviceSample.web("b", below: "b")),
            ] {
                let digest = "digest-\(app)"
                let outcome = try await store.useSample(digest, DeviceSample.use(app, web: web, atMost: 1))
                try expectEqual(outcome.ended, [], "made room for \(web.id)")
            }
            _ = try await store.open(
                DeviceSample.web("by-link", below: "a", opening: .loginToken), replacing: nil, events: [])
            let outcome = try await store.useSample(
                "digest-a", DeviceSample.use("c", web: DeviceSample.web("c", below: "c"), atMost: 1))
            try expectEqual(outcome.ended, ["web-a"], "who made room")
            for id: SessionID in ["web-elsewhere", "web-b", "web-by-link", "web-c"] {
                try expect(try await store.session(id: id)?.endedAt == nil, "\(id) goes on")
            }
        },
        ConformanceCase("a successor of the secret is of the same device, and what is over takes no room") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.useSample(
                "digest-a", DeviceSample.use("a", web: DeviceSample.web("1", below: "a"), atMost: 2))
            _ = try await store.rotateSample("digest-a", to: "next-a")
            // Ten minutes unused it is over, though nobody ended it.
            for (number, seconds) in [(2, 590), (3, 600)] as [(Int, Int64)] {
                let web = DeviceSample.web("\(number)", below: "a", at: later(seconds))
                let outcome = try await store.useSample(
                    "next-a", DeviceSample.use("a", web: web, at: web.createdAt, atMost: 2))
                try expectEqual(outcome.ended, [], "made room for \(number)")
            }
            let web = DeviceSample.web("4", below: "a", at: later(610))
            let outcome = try await store.useSample(
                "next-a", DeviceSample.use("a", web: web, at: web.createdAt, atMost: 2))
            try expectEqual(outcome.ended, ["web-2"], "who made room")
        },
        ConformanceCase("of 40 concurrent exchanges the limit's number of web sessions is alive in the end") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].issueSample("a")
            let outcomes = try await concurrently(40) { number in
                try await servers[number % 2].useSample(
                    "digest-a", DeviceSample.use("a", web: DeviceSample.web("n\(number)", below: "a"), atMost: 10))
            }
            try expectEqual(outcomes.count { $0.isAccepted }, 40, "accepted")
            let alive = try await servers[1].sessions(of: "alice", aliveAt: Sample.now, limit: 100)
            try expectEqual(alive.count, 10, "alive")
            try expectEqual(outcomes.flatMap(\.ended).count, 30, "made room")
        },
    ]
}

extension DeviceSecretUseOutcome {
    /// The sessions that made room.
    fileprivate var ended: [SessionID] { if case .accepted(_, let ended) = self { ended.sessions } else { [] } }
}
