package import Bridge

/// What every ``DeviceStore`` must do.
package enum SessionRefreshStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a refresh cookie is replaced by its successor, and the session counts as seen") { open in
            let store = try await opened(open)
            let later = Sample.now + .seconds(60)
            guard case .refreshed(let session) = try await refresh(store, "r0", to: "r1", at: later) else {
                throw ConformanceFailure(description: "r0 was refused")
            }
            try expectEqual(session.lastSeenAt, later, "last seen")
            try expectEqual(try await open().session(refreshDigest: "r1")?.id, "web-a", "the successor's session")
        },
        ConformanceCase("the parent may come again until its successor was used") { open in
            let store = try await opened(open)
            _ = try await refresh(store, "r0", to: "lost")
            try expect(try await isRefreshed(store, "r0", to: "r1"), "the parent again")
            try expect(try await isRefreshed(store, "r1", to: "r2"), "the second successor")
            try expect(try await isReplay(store, "r0"), "the parent, once its successor was used")
            try expect(try await store.session(id: "web-a")?.endedAt != nil, "the session has ended")
            try expectEqual(try await refresh(store, "r2", to: "r3"), .refused, "nothing works any more")
            try expectEqual(try await store.events(.webSessionEnded).count, 1, "events")
        },
        ConformanceCase("a successor that was passed over is void once the other was used") { open in
            let store = try await opened(open)
            _ = try await refresh(store, "r0", to: "lost")
            _ = try await refresh(store, "r0", to: "r1")
            _ = try await refresh(store, "r1", to: "r2")
            try expect(try await isReplay(store, "lost"), "the lost one in a thief's hand")
        },
        ConformanceCase("a grandparent ends the session") { open in
            let store = try await opened(open)
            _ = try await refresh(store, "r0", to: "r1")
            _ = try await refresh(store, "r1", to: "r2")
            try expect(try await isReplay(store, "r0"), "the grandparent")
        },
        ConformanceCase("which cookies would end their session can be asked, and asking changes nothing") { open in
            let store = try await opened(open)
            _ = try await refresh(store, "r0", to: "lost")
            _ = try await refresh(store, "r0", to: "r1")
            try expect(try await !store.isSuperseded(refreshDigest: "r0"), "whose successor was not used")
            _ = try await refresh(store, "r1", to: "r2")
            for (cookie, isSuperseded) in [("r0", true), ("lost", true), ("r1", false), ("r2", false), ("?", false)] {
                try expectEqual(try await store.isSuperseded(refreshDigest: cookie), isSuperseded, cookie)
            }
            try expect(try await store.session(id: "web-a")?.endedAt == nil, "the session goes on")
        },
        ConformanceCase("unknown cookies and those of ended or idle sessions are refused") { open in
            let store = try await opened(open)
            try expectEqual(try await refresh(store, "nothing", to: "x"), .refused, "unknown")
            try expectEqual(
                try await refresh(store, "r0", to: "x", at: Sample.now + .seconds(601)), .refused, "idle too long")
            _ = try await store.end(.webSession("web-a"), .sample(at: Sample.now))
            try expectEqual(try await refresh(store, "r0", to: "x"), .refused, "ended")
        },
        ConformanceCase("of 20 concurrent refreshes with one cookie all get a successor of their own") { open in
            let servers = [try await opened(open), try await open()]
            let outcomes = try await concurrently(20) { number in
                try await isRefreshed(servers[number % 2], "r0", to: "r-\(number)")
            }
            try expectEqual(outcomes.count { $0 }, 20, "refreshed")
            try expect(try await isRefreshed(servers[0], "r-7", to: "next"), "one of them goes on")
            try expect(try await isReplay(servers[1], "r-8"), "and the others are void")
        },
    ]

    private static func opened(
        _ open: @Sendable () async throws -> any BridgeStorage
    ) async throws -> any BridgeStorage {
        let store = try await open()
        _ = try await store.issueSample("a")
        let use = DeviceSecretUse(
            at: Sample.now, sessionID: "app-a",
            opening: .webSession(DeviceSample.web("a", below: "a"), refreshDigest: "r0"), events: [])
        _ = try await store.useSample("digest-a", use)
        return store
    }

    @discardableResult
    private static func refresh(
        _ store: any BridgeStorage, _ digest: String, to successor: String, at: Timestamp = Sample.now
    ) async throws -> SessionRefreshOutcome {
        try await store.refreshSession(
            digest: digest, to: successor, at: at, replayed: .sample(at: at))
    }

    private static func isRefreshed(
        _ store: any BridgeStorage, _ digest: String, to successor: String
    ) async throws -> Bool {
        if case .refreshed = try await refresh(store, digest, to: successor) { true } else { false }
    }

    private static func isReplay(_ store: any BridgeStorage, _ digest: String) async throws -> Bool {
        if case .replayed = try await refresh(store, digest, to: "never") { true } else { false }
    }
}
