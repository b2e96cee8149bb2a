package import Bridge

/// What every ``DeviceStore`` must do.
package enum DeviceSecretStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] =
        lifeCases + DeviceRoomCases.cases + DeviceRotationCases.cases
        + DeviceRaceCases.cases + DeviceTheftCases.cases + WebViewLimitCases.cases

    private static let lifeCases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("an issued device secret is found by digest, with its app session below it") { open in
            let store = try await open()
            try expectEqual(try await store.issueSample("a"), .issued(ended: .nothing), "issue")
            let found = try await open().deviceSecret(digest: "digest-a")
            try expectEqual(found?.device, DeviceSample.device("a"), "device")
            try expectEqual(found?.place, .current, "place")
            let session = DeviceSample.session("a")
            let below = PresentedDeviceSecret.Session(
                id: session.id, subject: session.subject, clientID: session.clientID, opening: session.opening,
                scope: session.scope, expiresAt: session.expiresAt)
            try expectEqual(found?.sessions, [below], "sessions")
            try expectEqual(try await store.events(.deviceSecretIssued).count, 1, "events")
            try expectEqual(try await store.deviceSecret(digest: "unknown"), nil, "unknown")
        },
        ConformanceCase("past the limit the device that was used longest ago is revoked with its sessions") { open in
            let store = try await open()
            for (index, name) in ["a", "b", "c"].enumerated() {
                _ = try await store.issueSample(name, at: Sample.now + .seconds(Int64(index)))
            }
            _ = try await store.useSample("digest-a", DeviceSample.use("a", at: Sample.now + .seconds(10)))
            let outcome = try await store.issueSample("d", at: Sample.now + .seconds(20))
            try expectEqual(outcome, .issued(ended: Ended(sessions: ["app-b"], devices: ["device-b"])), "who went")
            try expectEqual(
                try await store.deviceSecret(id: "device-b")?.revokeReason, "limit", "why it went")
            try expect(try await store.appSession(id: "app-b")?.endedAt != nil, "its app session")
            let live = try await store.deviceSecrets(
                of: "alice", includingEnded: false, at: Sample.now + .seconds(20))
            try expectEqual(live.map(\.id), ["device-d", "device-c", "device-a"], "who is left, newest first")
            let all = try await store.deviceSecrets(of: "alice", includingEnded: true, at: Sample.now)
            try expectEqual(all.count, 4, "all")
        },
        ConformanceCase("a device whose app signs in anew or refreshes is in use") { open in
            let store = try await open()
            for (index, name) in ["a", "b", "c"].enumerated() {
                _ = try await store.issueSample(name, at: Sample.now + .seconds(Int64(index)))
            }
            try expect(
                try await store.attach("app-a", to: "device-a", at: Sample.now + .seconds(10)), "kept at a sign-in")
            let added = try await store.addDeviceSecret(
                digest: "another-b", to: "device-b", for: "app-b", at: Sample.now + .seconds(11), keeping: 4,
                event: Sample.event(.deviceSecretIssued))
            try expectEqual(added, .added, "a refresh")
            let outcome = try await store.issueSample("d", at: Sample.now + .seconds(20))
            try expectEqual(outcome, .issued(ended: Ended(sessions: ["app-c"], devices: ["device-c"])), "who went")
        },
        ConformanceCase("past the limit with reject nothing is issued or revoked") { open in
            let store = try await open()
            let limit = DeviceSecretLimit(count: 1, behavior: .reject)
            _ = try await store.issueSample("a", limit: limit)
            try expectEqual(try await store.issueSample("b", limit: limit), .rejected, "second")
            try expectEqual(try await store.deviceSecret(digest: "digest-b"), nil, "nothing was kept")
            try expectEqual(try await store.events(.deviceSecretIssued).count, 1, "events")
            try expectEqual(try await store.events(.deviceSecretWithheld).count, 1, "what tells of it")
        },
        ConformanceCase("a device on which no app is signed in makes room before one that is used, with reject too") {
            open in
            for behavior in [DeviceSecretLimit.Behavior.revokeOldest, .reject] {
                let store = try await open()
                let limit = DeviceSecretLimit(count: 2, behavior: behavior)
                let name = "\(behavior)"
                _ = try await store.issueSample("a-\(name)", subject: Subject(rawValue: name), limit: limit)
                _ = try await store.issueSample(
                    "b-\(name)", subject: Subject(rawValue: name), at: Sample.now + .seconds(1), limit: limit)
                _ = try await store.end(.appSession(SessionID(rawValue: "app-b-\(name)")), .sample())
                let outcome = try await store.issueSample(
                    "c-\(name)", subject: Subject(rawValue: name), at: Sample.now + .seconds(2), limit: limit)
                let gone = DeviceSecretID(rawValue: "device-b-\(name)")
                try expectEqual(outcome, .issued(ended: Ended(devices: [gone])), name)
            }
        },
        ConformanceCase("the device that a session leaves for another makes room, and the session goes on") { open in
            for behavior in [DeviceSecretLimit.Behavior.revokeOldest, .reject] {
                let store = try await open()
                let subject = Subject(rawValue: "\(behavior)")
                let limit = DeviceSecretLimit(count: 2, behavior: behavior)
                for (index, name) in ["used", "left"].enumerated() {
                    _ = try await store.issueSample(
                        "\(name)-\(subject)", subject: subject, at: Sample.now + .seconds(Int64(index)), limit: limit)
                }
                let session = SessionID(rawValue: "app-left-\(subject)")
                let outcome = try await store.issueNext("next", for: session, of: subject, limit: limit)
                let left = DeviceSecretID(rawValue: "device-left-\(subject)")
                try expectEqual(outcome, .issued(ended: Ended(devices: [left])), "\(subject)")
                let found = try await store.appSession(id: session)
                try expect(found != nil && found?.endedAt == nil, "the session goes on")
                try expectEqual(
                    found?.deviceSecretID, DeviceSecretID(rawValue: "device-next-\(subject)"), "where it is")
            }
        },
        ConformanceCase("a device that another session is on as well makes no room before its turn") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.open(DeviceSample.session("other"), refreshToken: nil, events: [])
            try expect(try await store.attach("app-other", to: "device-a", at: Sample.now), "the other app")
            let rejecting = DeviceSecretLimit(count: 1, behavior: .reject)
            try expectEqual(
                try await store.issueNext("b", for: "app-a", of: "alice", limit: rejecting), .rejected, "with reject")
            try expectEqual(try await store.appSession(id: "app-a")?.deviceSecretID, "device-a", "where it stays")
            let outcome = try await store.issueNext(
                "c", for: "app-a", of: "alice", limit: DeviceSecretLimit(count: 1, behavior: .revokeOldest))
            try expectEqual(
                outcome, .issued(ended: Ended(sessions: ["app-other"], devices: ["device-a"])), "who went")
            try expect(try await store.appSession(id: "app-a")?.endedAt == nil, "the session goes on")
        },
        ConformanceCase("for a session that has ended no device is issued, and none makes room") { open in
            let store = try await open()
            let limit = DeviceSecretLimit(count: 1, behavior: .revokeOldest)
            _ = try await store.issueSample("a", limit: limit)
            _ = try await store.open(DeviceSample.session("b"), refreshToken: nil, events: [])
            _ = try await store.end(.appSession("app-b"), .sample())
            let outcome = try await store.issueDeviceSecret(
                DeviceSample.device("b"), digest: "digest-b", limit: limit, event: Sample.event(.deviceSecretIssued),
                displaced: Ending.sample(.limit), rejected: nil)
            try expectEqual(outcome, .sessionEnded, "outcome")
            try expectEqual(try await store.deviceSecret(digest: "digest-b"), nil, "nothing was kept")
            let live = try await store.deviceSecrets(of: "alice", includingEnded: false, at: Sample.now)
            try expectEqual(live.map(\.id), ["device-a"], "who is left")
        },
        ConformanceCase("a device that has expired takes no place") { open in
            let store = try await open()
            let limit = DeviceSecretLimit(count: 1, behavior: .reject)
            _ = try await store.issueSample("a", lifetime: .seconds(10), limit: limit)
            try expectEqual(
                try await store.issueSample("b", at: Sample.now + .seconds(10), limit: limit), .issued(ended: .nothing),
                "second")
        },
        ConformanceCase("a use is counted and opens its session in one step") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            let used = try await store.useSample("digest-a", DeviceSample.use("a", at: Sample.now + .seconds(5)))
            try expect(used.isAccepted, "accepted")
            let device = try await store.deviceSecret(id: "device-a")
            try expectEqual(device?.useCount, 1, "count")
            try expectEqual(device?.lastUsedAt, Sample.now + .seconds(5), "last use")
            try expect(try await open().session(id: "web-a") != nil, "the session")
            try expectEqual(try await store.events(.deviceSecretExchanged).count, 1, "events")
        },
        ConformanceCase("an unknown, expired or revoked secret opens nothing") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            try expectEqual(
                try await store.useSample("nothing", DeviceSample.use("a")), .refused(.unknown), "unknown")
            let late = Sample.now + .seconds(3600)
            try expectEqual(
                try await store.useSample("digest-a", DeviceSample.use("a", at: late)), .refused(.expired), "expired")
            _ = try await store.end(.device("device-a"), .sample())
            try expectEqual(
                try await store.useSample("digest-a", DeviceSample.use("a")), .refused(.revoked), "revoked")
            try expectEqual(try await store.session(id: "web-a"), nil, "no session")
            try expectEqual(try await store.events(.deviceSecretExchanged).count, 0, "events")
        },
        ConformanceCase("an app session that ended, or of another device, lends the secret nothing") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.issueSample("b")
            try expectEqual(
                try await store.useSample("digest-a", DeviceSample.use("b")), .refused(.sessionEnded), "another's")
            _ = try await store.end(.appSession("app-a"), .sample())
            try expectEqual(
                try await store.useSample("digest-a", DeviceSample.use("a")), .refused(.sessionEnded), "ended")
            try expectEqual(try await store.deviceSecret(id: "device-a")?.useCount, 0, "not counted")
        },
        ConformanceCase("a secret opens nothing for another user than its device's") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            let session = DeviceSample.session("bobs", subject: "bob", device: "device-a", parent: "app-a")
            let use = DeviceSecretUse(
                at: Sample.now, sessionID: "app-a", opening: .appSession(session, refreshToken: nil), events: [])
            try expectEqual(try await store.useSample("digest-a", use), .refused(.sessionEnded), "outcome")
            try expect(try await store.appSession(id: session.id) == nil, "no session")
            try expectEqual(try await store.deviceSecret(id: "device-a")?.useCount, 0, "not counted")
        },
        ConformanceCase("revoking ends the app session, its children and every web session below, once") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.open(
                DeviceSample.session("child", device: "device-a", parent: "app-a"), refreshToken: nil, events: [])
            _ = try await store.useSample("digest-a", DeviceSample.use("a"))
            let ended = try await store.end(.device("device-a"), .sample())
            try expectEqual(Set(ended.sessions), ["app-a", "app-child", "web-a"], "what ended")
            try expectEqual(ended.devices, ["device-a"], "the device")
            try expect(try await store.session(id: "web-a")?.endedAt != nil, "the web session")
            try expectEqual(try await store.end(.device("device-a"), .sample()), .nothing, "again")
            try expectEqual(try await store.end(.device("nothing"), .sample()), .nothing, "unknown")
            try expectEqual(try await store.events(.deviceSecretRevoked).count, 1, "events")
            try expectEqual(try await store.events(.deviceSecretRevoked).first?.subject, "alice", "whose")
        },
        ConformanceCase("disabling a user revokes the devices") { open in
            let store = try await open()
            try await store.addUser("alice", at: Sample.now)
            _ = try await store.issueSample("a")
            try await store.change("alice", UserChange(isDisabled: true))
            try expectEqual(try await store.deviceSecret(id: "device-a")?.revokeReason, "administrator", "reason")
            try expectEqual(
                try await store.useSample("digest-a", DeviceSample.use("a")), .refused(.sessionEnded), "a use")
        },
        ConformanceCase("a session does not end by its own refresh, below an app of the device that would go") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.open(
                DeviceSample.session("child", device: "device-a", parent: "app-a"), refreshToken: nil, events: [])
            let outcome = try await store.issueNext(
                "b", for: "app-child", of: "alice", limit: DeviceSecretLimit(count: 1, behavior: .revokeOldest))
            try expectEqual(outcome, .rejected, "no room")
            for id: SessionID in ["app-a", "app-child"] {
                try expectEqual(try await store.appSession(id: id)?.endedAt, nil, id.rawValue)
            }
            try expectEqual(try await store.deviceSecret(id: "device-a")?.revokedAt, nil, "the device")
            try expectEqual(try await store.appSession(id: "app-child")?.deviceSecretID, "device-a", "its place")
        },
        ConformanceCase("a session can be hung below a live device only") { open in
            let store = try await open()
            _ = try await store.issueSample("a")
            _ = try await store.open(DeviceSample.session("other"), refreshToken: nil, events: [])
            try expectEqual(try await store.attach("app-other", to: "device-a", at: Sample.now), true, "live")
            try expectEqual(
                try await store.deviceSecret(digest: "digest-a")?.sessionIDs, ["app-a", "app-other"], "sessions")
            _ = try await store.end(.device("device-a"), .sample())
            try expectEqual(try await store.attach("app-other", to: "device-a", at: Sample.now), false, "revoked")
        },
        ConformanceCase("a purge forgets devices that expired before the cutoff, with their secrets") { open in
            let store = try await open()
            for (name, lifetime) in [("a", 1), ("b", 2), ("c", 3)] {
                _ = try await store.issueSample(name, lifetime: .milliseconds(lifetime))
                _ = try await store.end(.appSession(SessionID(rawValue: "app-\(name)")), .sample())
            }
            let cutoff = Sample.now + .milliseconds(3)
            try expectEqual(try await store.purgeDeviceSecrets(expiredBefore: cutoff, limit: 1), 1, "first")
            try expectEqual(try await store.purgeDeviceSecrets(expiredBefore: cutoff, limit: 10), 1, "second")
            try expectEqual(try await store.deviceSecret(digest: "digest-a"), nil, "its secret")
            try expect(try await store.deviceSecret(digest: "digest-c") != nil, "one at the cutoff stays")
        },
        ConformanceCase("a purge keeps a device while an app is signed in below it, and its end takes that along") {
            open in
            let store = try await open()
            for name in ["kept", "left"] { _ = try await store.issueSample(name, lifetime: .milliseconds(1)) }
            _ = try await store.end(.appSession("app-left"), .sample())
            let cutoff = Sample.now + .seconds(10)
            try expectEqual(try await store.purgeDeviceSecrets(expiredBefore: cutoff, limit: 1), 1, "first")
            try expectEqual(try await store.purgeDeviceSecrets(expiredBefore: cutoff, limit: 1), 0, "then")
            try expectEqual(try await store.deviceSecret(digest: "digest-left"), nil, "the one that was left")
            try expectEqual(try await store.deviceSecret(digest: "digest-kept")?.sessionIDs, ["app-kept"], "the other")
            let ended = try await store.end(.device("device-kept"), .sample(at: cutoff))
            try expectEqual(ended, Ended(sessions: ["app-kept"], devices: ["device-kept"]), "its end")
            // A server looks at what it kept once an hour.
            let another = try await open()
            try expectEqual(try await another.purgeDeviceSecrets(expiredBefore: cutoff, limit: 1), 1, "at last")
            try expectEqual(try await another.deviceSecret(digest: "digest-kept"), nil, "its secret")
        },
        ConformanceCase("a purge keeps no device for an app session that has expired by then") { open in
            let store = try await open()
            _ = try await store.issueSample("a", lifetime: .milliseconds(1))
            let end = try await store.appSession(id: "app-a")?.expiresAt ?? Sample.now
            try expectEqual(try await store.purgeDeviceSecrets(expiredBefore: end, limit: 1), 0, "until its end")
            let later = try await open().purgeDeviceSecrets(expiredBefore: end + .milliseconds(1), limit: 1)
            try expectEqual(later, 1, "after it")
        },
    ]
}

extension BridgeStorage {
    /// Another device for a session that has one.
    fileprivate func issueNext(
        _ name: String, for session: SessionID, of subject: Subject, limit: DeviceSecretLimit
    ) async throws -> DeviceSecretIssueOutcome {
        let now = Sample.now + .seconds(10)
        let device = DeviceSecret(
            id: DeviceSecretID(rawValue: "device-\(name)-\(subject)"), subject: subject, clientID: "app",
            sessionID: session, createdAt: now, expiresAt: now + .seconds(3600))
        return try await issueDeviceSecret(
            device, digest: "digest-\(name)-\(subject)", limit: limit,
            event: Sample.event(.deviceSecretIssued, at: now), displaced: Ending.sample(.limit, at: now), rejected: nil)
    }
}
