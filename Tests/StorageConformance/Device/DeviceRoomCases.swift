import Bridge

/// Whose devices make room for one more of a client, past the user's limit.
enum DeviceRoomCases {
    static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("room for a further device is made among its client's own") { open in
            let store = try await open()
            let limit = DeviceSecretLimit(count: 2, behavior: .revokeOldest)
            _ = try await store.issueSample("other", client: "other", limit: limit)
            _ = try await store.issueSample("own", at: Sample.now + .seconds(1), limit: limit)
            let outcome = try await store.issueSample("next", at: Sample.now + .seconds(2), limit: limit)
            try expectEqual(outcome, .issued(ended: Ended(sessions: ["app-own"], devices: ["device-own"])), "who went")
            try expect(try await store.appSession(id: "app-other")?.endedAt == nil, "the other client's goes on")
        },
        ConformanceCase("where other clients' devices take every place, a client without one gets none") { open in
            let store = try await open()
            let limit = DeviceSecretLimit(count: 2, behavior: .revokeOldest)
            _ = try await store.issueSample("a", limit: limit)
            _ = try await store.issueSample("b", at: Sample.now + .seconds(1), limit: limit)
            let outcome = try await store.issueSample(
                "guest", client: "guest", at: Sample.now + .seconds(2), limit: limit)
            try expectEqual(outcome, .rejected, "outcome")
            try expectEqual(try await store.deviceSecret(digest: "digest-guest"), nil, "nothing was kept")
            try expectEqual(try await store.events(.deviceSecretWithheld).count, 1, "what tells of it")
            try expectEqual(try await store.events(.deviceSecretRevoked).count, 0, "who went")
        },
        ConformanceCase("a limit that reaches other clients' devices ends the one that was used longest ago") { open in
            let store = try await open()
            var limit = DeviceSecretLimit(count: 2, behavior: .revokeOldest)
            _ = try await store.issueSample("other", client: "other", limit: limit)
            _ = try await store.issueSample("own", at: Sample.now + .seconds(1), limit: limit)
            limit.reachesOtherClients = true
            let outcome = try await store.issueSample("next", at: Sample.now + .seconds(2), limit: limit)
            try expectEqual(
                outcome, .issued(ended: Ended(sessions: ["app-other"], devices: ["device-other"])), "who went")
        },
        ConformanceCase("another client's device without an app makes room before a client's own") { open in
            let store = try await open()
            let limit = DeviceSecretLimit(count: 2, behavior: .revokeOldest)
            _ = try await store.issueSample("own", limit: limit)
            _ = try await store.issueSample("other", client: "other", at: Sample.now + .seconds(1), limit: limit)
            _ = try await store.end(.appSession("app-other"), .sample())
            let outcome = try await store.issueSample("next", at: Sample.now + .seconds(2), limit: limit)
            try expectEqual(outcome, .issued(ended: Ended(devices: ["device-other"])), "who went")
        },
    ]
}
