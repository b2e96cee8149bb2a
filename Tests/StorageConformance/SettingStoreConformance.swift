package import Bridge

/// What every ``SettingStore`` must do.
package enum SettingStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a setting is kept, replaced and taken back, each with its event") { open in
            let store = try await open()
            try expectEqual(try await store.setting("a"), nil, "at first")
            try expectEqual(try await store.save("1", seenAs: nil), true, "set")
            try expectEqual(try await store.save("2", seenAs: "1"), true, "set anew")
            try expectEqual(try await open().setting("a"), "2", "replaced")
            try expectEqual(try await store.setting("b"), nil, "another")
            try expectEqual(try await store.save(nil, seenAs: "2"), true, "taken back")
            try expectEqual(try await store.setting("a"), nil, "nothing")
            try expectEqual(try await store.events(.settingChanged).count, 3, "events")
        },
        ConformanceCase("a setting that is another than was seen is left alone, without an event") { open in
            let store = try await open()
            try expectEqual(try await store.save("2", seenAs: "1"), false, "one that nobody has set")
            try expectEqual(try await store.save(nil, seenAs: "1"), false, "taking that back")
            try expectEqual(try await store.save(nil, seenAs: nil), false, "taking nothing back")
            try expectEqual(try await store.setting("a"), nil, "still nothing")
            try expectEqual(try await store.save("1", seenAs: nil), true, "set")
            for seen in [nil, "0", "11"] {
                try expectEqual(try await store.save("2", seenAs: seen), false, "set after \(seen ?? "nothing")")
                try expectEqual(try await store.save(nil, seenAs: seen), false, "reset after \(seen ?? "nothing")")
            }
            try expectEqual(try await open().setting("a"), "1", "left alone")
            try expectEqual(try await store.events(.settingChanged).count, 1, "events")
        },
        ConformanceCase("the events of one change are all written with it, or none of them") { open in
            let store = try await open()
            let events = [Sample.event(.clientCreated), Sample.event(.clientDeleted)]
            for expected in [true, false] {
                let isSaved = try await store.saveSetting("a", "1", seenAs: nil, at: Sample.now, events: events)
                try expectEqual(isSaved, expected, "whether it was the first")
            }
            try expectEqual(try await store.events(.clientCreated).count, 1, "the first event")
            try expectEqual(try await store.events(.clientDeleted).count, 1, "the second event")
        },
        ConformanceCase("of many who have seen one and the same setting one changes it, on whatever server") { open in
            let servers = [try await open(), try await open()]
            for seen in [nil, "old"] {
                if let seen { _ = try await servers[0].save(seen, seenAs: try await servers[0].setting("a")) }
                let before = try await servers[0].events(.settingChanged).count
                let taken = try await concurrently(20) { number in
                    try await servers[number % 2].save("of \(number)", seenAs: seen)
                }
                let winners = taken.indices.filter { taken[$0] }
                try expectEqual(winners.count, 1, "winners")
                try expectEqual(try await servers[1].setting("a"), "of \(winners[0])", "whose it is")
                try expectEqual(try await servers[0].events(.settingChanged).count, before + 1, "events")
            }
        },
    ]
}

extension SettingStore {
    /// Saves the setting `a`.
    fileprivate func save(_ value: String?, seenAs seen: String?) async throws -> Bool {
        try await saveSetting("a", value, seenAs: seen, at: Sample.now, event: Sample.event(.settingChanged))
    }
}
