package import Bridge
import OAuth2

/// What every ``SigningKeyStore`` must do.
package enum SigningKeyStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("of servers that make a first change at the same time one is heard, and all see its keys") {
            open in
            let stores = try await [open(), open(), open()]
            let heard = try await concurrently(12) { number in
                try await stores[number % 3].changeSigningKeys(
                    SigningKeyChange(saved: [key("k\(number)")]), seenAs: 0, events: [Sample.event(.keyRotated)])
            }
            try expectEqual(heard.filter(\.self).count, 1, "servers that were heard")
            let winner = heard.firstIndex(of: true).map { "k\($0)" }
            for store in stores { try expectEqual(try await store.signingKeys().keys.map(\.id), [winner], "keys") }
            try expectEqual(try await stores[0].events(.keyRotated).count, 1, "events")
        },
        ConformanceCase("of servers that change the same state at the same time one is heard, every time") { open in
            let stores = try await [open(), open(), open()]
            for round in 0..<8 {
                let heard = try await concurrently(9) { number in
                    try await stores[number % 3].changeSigningKeys(
                        SigningKeyChange(saved: [key("k\(round)-\(number)")]), seenAs: Int64(round),
                        events: [Sample.event(.keyRotated)])
                }
                try expectEqual(heard.filter(\.self).count, 1, "servers that were heard in round \(round)")
            }
            let stored = try await stores[0].signingKeys()
            try expectEqual(stored.keys.count, 8, "keys")
            try expectEqual(stored.number, 8, "changes")
            try expectEqual(Set(stored.keys.map(\.addedIn)), Set(1...8), "the changes that added them")
        },
        ConformanceCase("a change of a state that is past writes nothing at all") { open in
            let store = try await open()
            try await change(store, SigningKeyChange(saved: [key("a")]))
            for number in [Int64(0), 2, -1, .max] {
                try expectEqual(
                    try await store.changeSigningKeys(
                        SigningKeyChange(saved: [key("b")], removed: ["a"]), seenAs: number,
                        events: [Sample.event(.keyRetired)]), false, "change seen as \(number)")
            }
            try expectEqual(try await store.signingKeys().keys.map(\.id), ["a"], "keys")
            try expectEqual(try await store.signingKeysNumber(), 1, "number")
            try expectEqual(try await store.events(.keyRetired), [], "events")
        },
        ConformanceCase("a key reads back as it was saved, and its times alone change") { open in
            let store = try await open()
            let full = SealedSigningKey(
                id: "full", algorithm: .hs256, sealedKey: "sealed", publicKey: .object([:]), createdAt: Sample.now,
                signsFrom: Sample.now + .seconds(10), signsWhenKnown: true, retiresAt: Sample.now + .seconds(20),
                withdrawnAt: Sample.now + .seconds(30))
            try await change(store, SigningKeyChange(saved: [full, key("bare", .edDSA)]))
            let other = try await open()
            let read = try await other.signingKeys().keys
            try expectEqual(read.first { $0.id == "full" }, stored(full, in: 1), "the full one")
            try expectEqual(read.first { $0.id == "bare" }, stored(key("bare", .edDSA), in: 1), "the bare one")
            let changed = SealedSigningKey(
                id: "full", algorithm: .es256, sealedKey: "another", publicKey: .object(["a": .string("b")]),
                createdAt: Sample.now + .seconds(99), signsFrom: Sample.now + .seconds(5))
            try await change(other, SigningKeyChange(saved: [changed]))
            var expected = stored(full, in: 1)
            expected.signsFrom = Sample.now + .seconds(5)
            expected.signsWhenKnown = false
            expected.retiresAt = nil
            expected.withdrawnAt = nil
            try expectEqual(try await store.signingKeys().keys.first { $0.id == "full" }, expected, "after the change")
        },
        ConformanceCase("what a change removes is gone, and its events are kept") { open in
            let store = try await open()
            try await change(store, SigningKeyChange(saved: [key("a"), key("b")]))
            try await change(store, SigningKeyChange(saved: [], removed: ["a", "nobody"]))
            try expectEqual(try await open().signingKeys().keys.map(\.id), ["b"], "keys")
            try expectEqual(try await store.events(.keyRotated).count, 2, "events")
        },
        ConformanceCase("a retired key of access tokens ends the console's sessions, another change does not") { open in
            let store = try await open()
            for name in ["a", "b"] { try await store.openConsole(name, .account("zoë")) }
            var links = key("links", .hs256)
            let tokens = key("tokens")
            try await change(store, SigningKeyChange(saved: [links, tokens]))
            links.withdrawnAt = Sample.now
            try await change(store, SigningKeyChange(saved: [links]), .keyRetired)
            var next = tokens
            next.retiresAt = Sample.now
            try await change(store, SigningKeyChange(saved: [next]))
            try expect(try await store.adminSession(secretDigest: "a") != nil, "it goes on meanwhile")
            next.withdrawnAt = Sample.now
            try await change(store, SigningKeyChange(saved: [next]), .keyRetired)
            for name in ["a", "b"] {
                try expectEqual(try await open().adminSession(secretDigest: name), nil, "session \(name)")
            }
            let ends = try await store.events(.adminSignedOut)
            try expectEqual(ends.map(\.reason), ["key.retired", "key.retired"], "reasons")
            try expectEqual(Set(ends.map(\.tokenID)), ["token-a", "token-b"], "tokens")
        },
        ConformanceCase("a retired key of any algorithm of access tokens ends the console's sessions") { open in
            let store = try await open()
            for algorithm in KeyAlgorithm.allCases where algorithm != .hs256 {
                try await store.openConsole("c", .account("zoë"))
                var leaked = key(algorithm.rawValue, algorithm)
                leaked.withdrawnAt = Sample.now
                try await change(store, SigningKeyChange(saved: [leaked]), .keyRetired)
                try expectEqual(try await store.adminSession(secretDigest: "c"), nil, algorithm.rawValue)
            }
        },
        ConformanceCase("each node's last note counts, of those that were heard of lately") { open in
            let stores = try await [open(), open()]
            let now = Sample.now
            try await stores[0].noteSigningKeys(3, knownTo: "a", at: now)
            try await stores[1].noteSigningKeys(4, knownTo: "b", at: now + .seconds(1))
            try await stores[1].noteSigningKeys(5, knownTo: "a", at: now + .seconds(2))
            try expectEqual(try await stores[0].signingKeyNumbers(notedSince: now), ["a": 5, "b": 4], "all")
            try expectEqual(
                try await stores[0].signingKeyNumbers(notedSince: now + .seconds(2)), ["a": 5], "the latest")
            try await stores[0].forgetSigningKeys(knownTo: "a")
            try expectEqual(
                try await stores[1].signingKeyNumbers(notedSince: now), ["b": 4], "without the one that left")
        },
    ]

    private static func change(
        _ store: any BridgeStorage, _ change: SigningKeyChange, _ type: AuditEventType = .keyRotated
    ) async throws {
        let number = try await store.signingKeysNumber()
        let isMade = try await store.changeSigningKeys(change, seenAs: number, events: [Sample.event(type)])
        try expect(isMade, "a change of the present state is made")
    }

    private static func key(_ id: String, _ algorithm: KeyAlgorithm = .es256) -> SealedSigningKey {
        SealedSigningKey(
            id: id, algorithm: algorithm, sealedKey: "sealed-\(id)", publicKey: .object(["kid": .string(id)]),
            createdAt: Timestamp(seconds: 1_800_000_000), signsFrom: Timestamp(seconds: 1_800_000_000))
    }

    private static func stored(_ key: SealedSigningKey, in number: Int64) -> SealedSigningKey {
        SealedSigningKey(
            id: key.id, algorithm: key.algorithm, sealedKey: key.sealedKey, publicKey: key.publicKey,
            createdAt: key.createdAt, signsFrom: key.signsFrom, signsWhenKnown: key.signsWhenKnown,
            retiresAt: key.retiresAt, withdrawnAt: key.withdrawnAt, addedIn: number)
    }
}
