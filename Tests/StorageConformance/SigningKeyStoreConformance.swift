package import Bridge
import OAuth2

/// What every ``SigningKeyStore`` must do.
package enum SigningKeyStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("of servers that each bring a first key one is heard, and all see its key") { open in
            let stores = try await [open(), open(), open()]
            let added = try await concurrently(12) { number in
                try await stores[number % 3].addFirstSigningKey(
                    key("k\(number)"), event: Sample.event(.keyRotated))
            }
            try expectEqual(added.filter(\.self).count, 1, "servers that were heard")
            let winner = added.firstIndex(of: true).map { "k\($0)" }
            for store in stores { try expectEqual(try await store.signingKeys().map(\.id), [winner], "keys") }
            try expectEqual(try await stores[0].events(.keyRotated).count, 1, "events")
        },
        ConformanceCase("a key that is added ends the others of its algorithm, and only those") { open in
            let store = try await open()
            _ = try await store.addFirstSigningKey(key("old"), event: Sample.event(.keyRotated))
            _ = try await store.addFirstSigningKey(key("other", .rs256), event: Sample.event(.keyRotated))
            let retirement = Timestamp(seconds: 2_000_000_000)
            try await store.addSigningKey(
                key("young"), retiringOthersAt: retirement, event: Sample.event(.keyRotated))
            let ends = try await open().signingKeys().reduce(into: [:]) { $0[$1.id] = $1.retiresAt }
            try expectEqual(ends, ["old": retirement], "ends")
            try expectEqual(
                try await store.purgeSigningKeys(retiredBefore: retirement + .seconds(1)), ["old"], "what went")
        },
    ]

    private static func key(_ id: String, _ algorithm: SigningAlgorithm = .es256) -> SealedSigningKey {
        SealedSigningKey(
            id: id, algorithm: algorithm, sealedKey: "sealed-\(id)", publicKey: .object(["kid": .string(id)]),
            createdAt: Timestamp(seconds: 1_800_000_000), signsFrom: Timestamp(seconds: 1_800_000_000), retiresAt: nil)
    }
}
