package import Bridge

/// What every ``SelfIssuedTransactionStore`` must do.
package enum SelfIssuedTransactionConformance {
    package static let cases: [ConformanceCase<any SelfIssuedTransactionStore>] = [
        ConformanceCase("a sign-in that waits for a phone is found as it was kept") { open in
            let store = try await open()
            let kept = sample("a")
            try await store.keepSelfIssued(kept, as: "a", at: Sample.now)
            try expectEqual(try await open().selfIssued("a", at: Sample.now), kept, "found")
            try expectEqual(try await store.selfIssued("b", at: Sample.now), nil, "of another digest")
        },
        ConformanceCase("a sign-in that waits for a phone is taken once") { open in
            let store = try await open()
            try await store.keepSelfIssued(sample("a"), as: "a", at: Sample.now)
            try expectEqual(try await store.takeSelfIssued("a", at: Sample.now), sample("a"), "first")
            try expectEqual(try await store.takeSelfIssued("a", at: Sample.now), nil, "second")
            try expectEqual(try await store.selfIssued("a", at: Sample.now), nil, "looked at")
        },
        ConformanceCase("of 50 that take a sign-in at once on two servers one gets it") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].keepSelfIssued(sample("a"), as: "a", at: Sample.now)
            let taken = try await concurrently(50) { number in
                try await servers[number % 2].takeSelfIssued("a", at: Sample.now)
            }
            try expectEqual(taken.count { $0 != nil }, 1, "winners")
        },
        ConformanceCase("a sign-in that waits for a phone is over at its end") { open in
            let store = try await open()
            let kept = sample("a")
            try await store.keepSelfIssued(kept, as: "a", at: Sample.now)
            let last = kept.expiresAt - .milliseconds(1)
            try expectEqual(try await store.selfIssued("a", at: last), kept, "just before")
            try expectEqual(try await store.selfIssued("a", at: kept.expiresAt), nil, "at its end")
            try expectEqual(try await store.takeSelfIssued("a", at: kept.expiresAt), nil, "taken at its end")
        },
        ConformanceCase("a sign-in that waits for a phone is replaced, and lives no longer for it") { open in
            let store = try await open()
            let kept = sample("a")
            let answered = SelfIssuedRecord(content: "sealed answer", expiresAt: kept.expiresAt - .seconds(60))
            try await store.keepSelfIssued(kept, as: "a", at: Sample.now)
            try expect(try await store.replaceSelfIssued(with: answered, as: "a", at: Sample.now), "replaced")
            try expectEqual(try await open().selfIssued("a", at: Sample.now), answered, "found")
            try expectEqual(try await store.selfIssued("a", at: answered.expiresAt), nil, "at its new end")
            try expect(try await !store.replaceSelfIssued(with: kept, as: "a", at: Sample.now), "prolonged")
            try expectEqual(try await store.takeSelfIssued("a", at: Sample.now), answered, "taken")
        },
        ConformanceCase("nothing takes the place of a sign-in that was taken, is over, or never was") { open in
            let store = try await open()
            let kept = sample("a")
            for digest in ["a", "b"] { try await store.keepSelfIssued(kept, as: digest, at: Sample.now) }
            _ = try await store.takeSelfIssued("a", at: Sample.now)
            for (digest, now) in [("a", Sample.now), ("b", kept.expiresAt), ("c", Sample.now)] {
                let isReplaced = try await store.replaceSelfIssued(
                    with: SelfIssuedRecord(content: "sealed answer", expiresAt: kept.expiresAt), as: digest, at: now)
                try expect(!isReplaced, digest)
            }
            for digest in ["a", "c"] {
                try expectEqual(try await store.selfIssued(digest, at: Sample.now), nil, "brought back: \(digest)")
            }
            try expectEqual(try await store.selfIssued("b", at: Sample.now), kept, "as it was")
        },
    ]

    private static func sample(_ name: String) -> SelfIssuedRecord {
        SelfIssuedRecord(content: "sealed words of \(name)", expiresAt: Sample.now + .seconds(300))
    }
}
