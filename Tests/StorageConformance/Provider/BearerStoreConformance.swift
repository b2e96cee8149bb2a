package import Bridge

/// What every ``BearerStore`` must do.
package enum BearerStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("what bearers are judged by is found at once as it is found one by one") { open in
            let store = try await open()
            let keys = try await store.fillForBearers()
            let found = try await open().bearerRecords(keys)
            try expectEqual(found.user, try await store.record(of: "alice"), "the user")
            try expectEqual(found.user?.issuer, "backend", "whose issuer is known")
            try expectEqual(found.appSession, Sample.appSession("a"), "the app's session")
            try expectEqual(found.webSession, try await store.session(id: Sample.browser), "the browser's session")
            try expect(found.webSession != nil, "which is there")
            try expect(found.isRevoked, "the revoked token")
        },
        ConformanceCase("of each thing that bearers are judged by there may be none, whatever there is of the others") {
            open in
            let store = try await open()
            let keys = try await store.fillForBearers()
            let all = try await store.bearerRecords(keys)
            let nothing = BearerRecords(user: nil, appSession: nil, webSession: nil, isRevoked: false)
            try expectEqual(try await store.bearerRecords(BearerKeys()), nothing, "asked for nothing")
            let unknown = BearerKeys(user: "nobody", appSession: "nothing", webSession: "nothing", token: "nothing")
            try expectEqual(try await store.bearerRecords(unknown), nothing, "asked for what is not there")
            for (name, one) in [
                ("user", BearerKeys(user: keys.user)), ("app", BearerKeys(appSession: keys.appSession)),
                ("browser", BearerKeys(webSession: keys.webSession)), ("token", BearerKeys(token: keys.token)),
            ] {
                let alone = BearerRecords(
                    user: one.user == nil ? nil : all.user, appSession: one.appSession == nil ? nil : all.appSession,
                    webSession: one.webSession == nil ? nil : all.webSession, isRevoked: one.token != nil)
                try expectEqual(try await store.bearerRecords(one), alone, "the \(name) alone")
            }
            var gap = keys
            gap.appSession = "nothing"
            let others = BearerRecords(
                user: all.user, appSession: nil, webSession: all.webSession, isRevoked: true)
            try expectEqual(try await store.bearerRecords(gap), others, "but for the app's session")
        },
        ConformanceCase("what bearers are judged by is found over and disabled as well") { open in
            let store = try await open()
            let keys = try await store.fillForBearers()
            _ = try await store.end(.appSession("app-a"), .sample())
            _ = try await store.end(.webSession(Sample.browser), .sample())
            try await store.change("alice", UserChange(isDisabled: true))
            let found = try await open().bearerRecords(keys)
            try expect(found.user?.disabledAt != nil, "the user")
            try expectEqual(found.appSession?.endedAt, Sample.now, "the app's session")
            try expectEqual(found.webSession?.endedAt, Sample.now, "the browser's session")
        },
    ]
}

extension BridgeStorage {
    /// A user, a session of an app and of a browser, and a token that was revoked.
    fileprivate func fillForBearers() async throws -> BearerKeys {
        try await addUser("alice", issuer: "backend", at: Sample.now)
        try await openSample(Sample.appSession("a"))
        let browser = try await openBrowser()
        try await revokeToken(
            "revoked", until: Sample.now + .seconds(60), event: Sample.event(.accessTokenRevoked))
        return BearerKeys(user: "alice", appSession: "app-a", webSession: browser, token: "revoked")
    }
}
