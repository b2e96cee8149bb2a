package import Bridge

/// What every ``CrossDeviceStore`` must do: compare-and-set, and nothing expired.
package enum CrossDeviceStoreConformance {
    package static let cases: [ConformanceCase<any CrossDeviceStore>] = [
        ConformanceCase("a record is found on every server, as it was added") { open in
            try expectEqual(try await open().addCrossDevice(record("a"), at: Sample.now), true, "added")
            try expectEqual(try await open().crossDevice("a", at: Sample.now), record("a"), "found")
            try expectEqual(try await open().crossDevice("A", at: Sample.now), nil, "another key")
        },
        ConformanceCase("a living record is not added again") { open in
            let store = try await open()
            try expectEqual(try await store.addCrossDevice(record("a"), at: Sample.now), true, "first")
            let last = record("a").expiresAt - .milliseconds(1)
            try expectEqual(try await store.addCrossDevice(record("a", content: "b"), at: last), false, "second")
            try expectEqual(try await store.crossDevice("a", at: last)?.content, "content", "content")
        },
        ConformanceCase("from its end on a record is as good as gone, and its key is free") { open in
            let store = try await open()
            try expectEqual(try await store.addCrossDevice(record("a"), at: Sample.now), true, "added")
            let end = record("a").expiresAt
            try expectEqual(try await store.crossDevice("a", at: end), nil, "found")
            try expectEqual(
                try await store.replaceCrossDevice(with: record("a", version: 1), at: end), false, "replaced")
            let next = CrossDeviceRecord(key: "a", content: "next", expiresAt: end + .seconds(60))
            try expectEqual(try await store.addCrossDevice(next, at: end), true, "added again")
            try expectEqual(try await store.crossDevice("a", at: end), next, "the new one")
        },
        ConformanceCase("a record is replaced by whoever has seen it, and by nobody else") { open in
            let store = try await open()
            _ = try await store.addCrossDevice(record("a"), at: Sample.now)
            let first = record("a", version: 1, content: "one")
            try expectEqual(try await store.replaceCrossDevice(with: first, at: Sample.now), true, "first")
            try expectEqual(
                try await store.replaceCrossDevice(with: record("a", version: 1, content: "x"), at: Sample.now), false,
                "one that saw the record before")
            try expectEqual(
                try await store.replaceCrossDevice(with: record("a", version: 3), at: Sample.now), false,
                "one from the future")
            try expectEqual(
                try await store.replaceCrossDevice(with: record("b", version: 1), at: Sample.now), false, "of nothing")
            try expectEqual(try await open().crossDevice("a", at: Sample.now), first, "what stands")
        },
        ConformanceCase("a replacement may live longer") { open in
            let store = try await open()
            _ = try await store.addCrossDevice(record("a"), at: Sample.now)
            let longer = CrossDeviceRecord(
                key: "a", version: 1, content: "longer", expiresAt: Sample.now + .seconds(600))
            try expectEqual(try await store.replaceCrossDevice(with: longer, at: Sample.now), true, "replaced")
            try expectEqual(
                try await store.crossDevice("a", at: Sample.now + .seconds(599)), longer, "after the first one's end")
        },
        oneWinner,
        ConformanceCase("of 50 that add one key at once one wins") { open in
            let servers = [try await open(), try await open()]
            let added = try await concurrently(50) { number in
                try await servers[number % 2].addCrossDevice(record("a", content: "c\(number)"), at: Sample.now)
            }
            try expectEqual(added.count { $0 }, 1, "winners")
        },
        ConformanceCase("those that moved on are told to whoever asks for them, with their versions") { open in
            let servers = [try await open(), try await open()]
            for key in ["a", "b", "c"] { _ = try await servers[0].addCrossDevice(record(key), at: Sample.now) }
            try expectEqual(
                try await servers[1].movedCrossDevices(among: ["a", "b", "x"], at: Sample.now), [:], "at first")
            for version in 1...2 {
                _ = try await servers[0].replaceCrossDevice(
                    with: record("a", version: Int64(version)), at: Sample.now)
            }
            _ = try await servers[0].replaceCrossDevice(with: record("c", version: 1), at: Sample.now)
            try expectEqual(
                try await servers[1].movedCrossDevices(among: ["a", "b", "x"], at: Sample.now), ["a": 2], "afterwards")
            try expectEqual(
                try await servers[1].movedCrossDevices(among: ["a"], at: record("a").expiresAt), [:], "expired")
        },
        ConformanceCase("a thousand are asked for at once") { open in
            let store = try await open()
            let keys = Set((0..<1000).map { "k\($0)" })
            for key in ["k0", "k500", "k999"] {
                _ = try await store.addCrossDevice(record(key), at: Sample.now)
                _ = try await store.replaceCrossDevice(with: record(key, version: 1), at: Sample.now)
            }
            try expectEqual(
                try await store.movedCrossDevices(among: keys, at: Sample.now), ["k0": 1, "k500": 1, "k999": 1], "moved"
            )
        },
        ConformanceCase("a removed record is gone, and removing nothing does nothing") { open in
            let store = try await open()
            _ = try await store.addCrossDevice(record("a"), at: Sample.now)
            try await store.removeCrossDevice("a")
            try await store.removeCrossDevice("a")
            try expectEqual(try await store.crossDevice("a", at: Sample.now), nil, "found")
            try expectEqual(try await store.addCrossDevice(record("a"), at: Sample.now), true, "added again")
        },
        ConformanceCase("what has expired can be purged, and what lives stays") { open in
            let store = try await open()
            for (key, life) in [("a", 1), ("b", 2), ("c", 300)] {
                let record = CrossDeviceRecord(key: key, content: "x", expiresAt: Sample.now + .seconds(life))
                _ = try await store.addCrossDevice(record, at: Sample.now)
            }
            let cutoff = Sample.now + .seconds(60)
            while try await store.purgeCrossDevices(expiredBefore: cutoff, limit: 1) > 0 {}
            try expectEqual(try await store.crossDevice("a", at: cutoff), nil, "the first")
            try expectEqual(try await store.crossDevice("c", at: cutoff)?.key, "c", "the living one")
        },
    ]

    /// Of concurrent replacements of one version one wins.
    package static let oneWinner = ConformanceCase<any CrossDeviceStore>(
        "of 50 that replace one version at once on two servers one wins"
    ) { open in
        let servers = [try await open(), try await open()]
        _ = try await servers[0].addCrossDevice(record("a"), at: Sample.now)
        let written = try await concurrently(50) { number in
            try await servers[number % 2].replaceCrossDevice(
                with: record("a", version: 1, content: "c\(number)"), at: Sample.now)
        }
        try expectEqual(written.count { $0 }, 1, "winners")
        let stands = try await servers[1].crossDevice("a", at: Sample.now)?.content
        try expectEqual(stands, written.firstIndex(of: true).map { "c\($0)" }, "what stands")
    }

    private static func record(_ key: String, version: Int64 = 0, content: String = "content") -> CrossDeviceRecord {
        CrossDeviceRecord(key: key, version: version, content: content, expiresAt: Sample.now + .seconds(180))
    }
}
