package import Bridge
import OAuth2

/// What every ``DeviceAuthorizationStore`` must do; as ``DevicePolls`` too.
package enum DeviceAuthorizationStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] =
        own
        + DevicePollsConformance.cases.map { polls in
            ConformanceCase("waiting devices: \(polls.description)") { open in
                let store = try await open()
                for device in DevicePollsConformance.devices { try await store.record(device) }
                try await polls.check { try await open() }
            }
        }

    private static let own: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a device is found by both of its codes") { open in
            let store = try await open()
            try expectEqual(
                try await store.recordDeviceAuthorization(
                    Sample.device("tv"), event: Sample.event(.deviceCodeIssued)), true, "recorded")
            let wanted = DeviceAuthorizationState(authorization: Sample.device("tv"), decision: .pending)
            try expectEqual(try await open().deviceAuthorization(digest: "tv"), wanted, "by the device's")
            try expectEqual(try await open().deviceAuthorization(userCode: "user-tv"), wanted, "by its user's")
            try expectEqual(try await store.deviceAuthorization(digest: "user-tv"), nil, "one is not the other")
            try expectEqual(try await store.events(.deviceCodeIssued).count, 1, "events")
        },
        ConformanceCase("two devices never have the same user code") { open in
            let store = try await open()
            try await store.record("tv")
            let second = DeviceAuthorization(
                digest: "other", userCode: "user-tv", clientID: "app", scope: .empty, createdAt: Sample.now,
                expiresAt: Sample.now + .seconds(600))
            try expectEqual(
                try await store.recordDeviceAuthorization(second, event: Sample.event(.deviceCodeIssued)), false,
                "recorded")
            try expectEqual(try await store.deviceAuthorization(digest: "other"), nil, "the second")
            try expectEqual(try await store.events(.deviceCodeIssued).count, 0, "events")
        },
        ConformanceCase("of 20 answers on two servers one counts") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].record("tv")
            try await servers[0].openBrowser()
            let outcomes = try await concurrently(20) { number in
                number.isMultiple(of: 2)
                    ? try await servers[number / 2 % 2].approve("tv") : try await servers[number / 2 % 2].deny("tv")
            }
            try expectEqual(outcomes.count { $0 == .recorded }, 1, "answers that counted")
            try expectEqual(outcomes.count { $0 == .gone }, 19, "answers that came late")
            let isApproved = try await servers[1].deviceAuthorization(digest: "tv")?.decision == .approved
            try expectEqual(try await servers[0].code(digest: "tv") != nil, isApproved, "what may be redeemed")
            let events = try await servers[0].events(.deviceCodeApproved) + servers[0].events(.deviceCodeDenied)
            try expectEqual(events.count, 1, "events")
        },
        ConformanceCase("what was let in is redeemed once") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].record("tv")
            try await servers[0].openBrowser()
            try expectEqual(try await servers[0].approve("tv"), .recorded, "approved")
            let outcomes = try await concurrently(20) { number in
                try await servers[number % 2].redeemCode(
                    digest: "tv", opening: Sample.appSession("\(number)", browser: Sample.browser), refreshToken: nil,
                    at: Sample.now, events: [])
            }
            try expectEqual(outcomes.count { $0 == .opened }, 1, "sessions")
        },
        ConformanceCase("an expired device is neither let in nor sent away") { open in
            let store = try await open()
            try await store.record("tv")
            try await store.openBrowser()
            try expectEqual(try await store.approve("tv", at: Sample.now + .seconds(600)), .gone, "approved")
            try expectEqual(try await store.deny("tv", at: Sample.now + .seconds(600)), .gone, "denied")
            try expectEqual(try await store.code(digest: "tv"), nil, "what may be redeemed")
            try expectEqual(try await store.approve("nothing"), .gone, "an unknown one")
        },
        ConformanceCase("a session that has ended lets nobody in") { open in
            let store = try await open()
            try await store.record("tv")
            try await store.openBrowser()
            _ = try await store.end(.webSession(Sample.browser), .sample(extent: .signOut))
            try expectEqual(try await store.approve("tv"), .sessionEnded, "approved")
            try expectEqual(try await store.deviceAuthorization(digest: "tv")?.decision, .pending, "it waits on")
            try expectEqual(try await store.events(.deviceCodeApproved).count, 0, "events")
        },
        ConformanceCase("an approval that nobody has redeemed ends with the session that it was given in") { open in
            let store = try await open()
            try await store.record("tv")
            try await store.openBrowser()
            try expectEqual(try await store.approve("tv"), .recorded, "approved")
            _ = try await store.end(.webSession(Sample.browser), .sample(extent: .signOut))
            try expectEqual(try await store.code(digest: "tv"), nil, "what may be redeemed")
        },
        ConformanceCase("devices are purged once they have expired") { open in
            let store = try await open()
            for name in ["a", "b", "c"] { try await store.record(name) }
            let cutoff = Sample.now + .seconds(601)
            try expectEqual(try await store.purgeDeviceAuthorizations(expiredBefore: Sample.now, limit: 9), 0, "living")
            try expectEqual(try await store.purgeDeviceAuthorizations(expiredBefore: cutoff, limit: 2), 2, "first")
            try expectEqual(try await store.purgeDeviceAuthorizations(expiredBefore: cutoff, limit: 2), 1, "second")
        },
    ]
}

extension Sample {
    fileprivate static func device(_ name: String) -> DeviceAuthorization {
        DeviceAuthorization(
            digest: name, userCode: "user-\(name)", clientID: "app", scope: Scope(tokens: ["openid", "profile"]),
            network: "203.0.113.0/24", createdAt: now, expiresAt: now + .seconds(600))
    }
}

extension BridgeStorage {
    fileprivate func record(_ name: String) async throws {
        try expectEqual(
            try await recordDeviceAuthorization(Sample.device(name), event: nil), true, "the device's record")
    }

    fileprivate func approve(_ name: String, at now: Timestamp = Sample.now) async throws -> DeviceDecisionOutcome {
        try await approveDevice(
            IssuedAuthorizationCode(
                digest: name, grant: Sample.grant(), issuedAt: now, expiresAt: now + .seconds(600)),
            event: Sample.event(.deviceCodeApproved))
    }

    fileprivate func deny(_ name: String, at now: Timestamp = Sample.now) async throws -> DeviceDecisionOutcome {
        try await denyDevice(digest: name, at: now, event: Sample.event(.deviceCodeDenied))
    }
}
