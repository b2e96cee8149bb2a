package import Bridge
import OAuth2

/// What every ``UserStore`` must do about second factors, their time steps and recovery codes.
package enum SecondFactorStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a time step is claimed by one of many, and none before it afterwards") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].add("alice")
            _ = try await servers[0].setFactor("sub-alice", ["d1"])
            let claims = try await concurrently(20) { number in
                try await servers[number % 2].claimStep(100, of: "sub-alice")
            }
            try expectEqual(claims.count { $0 }, 1, "winners")
            try expectEqual(try await servers[0].claimStep(99, of: "sub-alice"), false, "an older step")
            try expectEqual(try await servers[0].claimStep(101, of: "sub-alice"), true, "the next step")
        },
        ConformanceCase("no time step of before the database was restored is claimed, nor the one after it") { open in
            let store = try await open()
            _ = try await store.add("alice")
            _ = try await store.setFactor("sub-alice", ["d1"])
            _ = try await store.recordRestore(by: .login("root"), at: Sample.now, keepsSessions: true, reason: nil)
            let step = OneTimeCode.step(at: Sample.now)
            for (step, isClaimed) in [(step - 1, false), (step, false), (step + 1, false), (step + 2, true)] {
                try expectEqual(try await store.claimStep(step, of: "sub-alice"), isClaimed, "step \(step)")
            }
        },
        ConformanceCase("a second factor is added where there is none, by one of many") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].add("alice")
            let added = try await concurrently(10) { number in
                try await servers[number % 2].addFactor("sealed-\(number)", to: "sub-alice", ["d\(number)"])
            }
            try expectEqual(added.count { $0 }, 1, "winners")
            try expectEqual(try await servers[0].events(.userSecondFactorChanged).count, 1, "events")
            try expectEqual(try await servers[1].unusedRecoveryCodes(of: "sub-alice"), 1, "the winner's codes")
            let winner = added.firstIndex(of: true).map { "sealed-\($0)" }
            let factor = try await servers[0].account(of: "sub-alice")?.secondFactor
            try expectEqual(factor?.sealedSecret, winner, "the winner's secret")
            try expectEqual(try await servers[0].addFactor("x", to: "nobody", []), false, "unknown")
        },
        ConformanceCase("a second factor takes the place of another, where there is a password") { open in
            let store = try await open()
            _ = try await store.add("alice")
            _ = try await store.addFactor("first", to: "sub-alice", ["d1"])
            try expectEqual(try await store.setFactor("sub-alice", ["d2", "d3"]), true, "replaced")
            try expectEqual(
                try await open().account(of: "sub-alice")?.secondFactor, SecondFactor(sealedSecret: "sealed"), "factor")
            try expectEqual(try await store.unusedRecoveryCodes(of: "sub-alice"), 2, "its codes")
            try await store.addAdministrator("root")
            try expectEqual(try await store.setFactor("root", ["d4"]), false, "without a password")
            try expectEqual(try await store.account(of: "root")?.secondFactor, nil, "none came")
            try expectEqual(try await store.setFactor("nobody", []), false, "unknown")
            try expectEqual(try await store.events(.userSecondFactorChanged).count, 2, "events")
        },
        ConformanceCase("accounts with a second factor are listed in pages, and no others") { open in
            let store = try await open()
            for name in ["carol", "alice", "dave", "bob"] { _ = try await store.add(name) }
            for subject: Subject in ["sub-carol", "sub-alice", "sub-bob"] { _ = try await store.setFactor(subject, []) }
            let first = try await store.accountsWithSecondFactor(after: nil, limit: 2)
            try expectEqual(first.map(\.subject), ["sub-alice", "sub-bob"], "the first page")
            try expectEqual(first.first?.secondFactor, SecondFactor(sealedSecret: "sealed"), "a factor")
            let second = try await store.accountsWithSecondFactor(after: "sub-bob", limit: 2)
            try expectEqual(second.map(\.subject), ["sub-carol"], "the second page")
        },
        ConformanceCase("a second factor goes once, with its recovery codes") { open in
            let store = try await open()
            _ = try await store.add("alice")
            _ = try await store.addFactor("sealed", to: "sub-alice", ["d1", "d2"])
            try expectEqual(try await store.removeFactor("sub-alice"), true, "removed")
            try expectEqual(try await store.account(of: "sub-alice")?.secondFactor, nil, "factor")
            try expectEqual(try await store.unusedRecoveryCodes(of: "sub-alice"), 0, "codes")
            try expectEqual(try await store.removeFactor("sub-alice"), false, "again")
            try expectEqual(try await store.events(.userSecondFactorChanged).count, 2, "events")
        },
        ConformanceCase("recovery codes are replaced where there is a second factor") { open in
            let store = try await open()
            _ = try await store.add("alice")
            try expectEqual(try await store.replaceCodes(["n1"], of: "sub-alice"), false, "without a factor")
            try expectEqual(try await store.unusedRecoveryCodes(of: "sub-alice"), 0, "none came")
            _ = try await store.addFactor("sealed", to: "sub-alice", ["d1", "d2"])
            _ = try await store.claim("d1", of: "sub-alice")
            try expectEqual(try await store.unusedRecoveryCodes(of: "sub-alice"), 1, "one is used")
            try expectEqual(try await store.replaceCodes(["n1", "n2", "n3"], of: "sub-alice"), true, "replaced")
            try expectEqual(try await store.unusedRecoveryCodes(of: "sub-alice"), 3, "new ones")
            try expectEqual(try await store.claim("d2", of: "sub-alice"), false, "old")
        },
        ConformanceCase("a recovery code is claimed by one of many, and goes with the factor") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].add("alice")
            _ = try await servers[0].setFactor("sub-alice", ["d1", "d2"])
            let claims = try await concurrently(20) { number in
                try await servers[number % 2].claim("d1", of: "sub-alice")
            }
            try expectEqual(claims.count { $0 }, 1, "winners")
            try expectEqual(try await servers[0].claim("d2", of: "sub-bob"), false, "bob")
            let written = try await servers[1].events(.userSecondFactorChanged).compactMap(\.reason)
            try expectEqual(written.filter { $0.hasPrefix("left") }, ["left 1"], "what the winner wrote")
            _ = try await servers[0].setFactor("sub-alice", ["d3"])
            try expectEqual(try await servers[0].claim("d2", of: "sub-alice"), false, "old")
            try expectEqual(try await servers[0].claim("d3", of: "sub-alice"), true, "new")
        },
        ConformanceCase("of two recovery codes used at once each leaves another number of them") { open in
            let servers = [try await open(), try await open()]
            _ = try await servers[0].add("alice")
            for _ in 0..<20 {
                _ = try await servers[0].setFactor("sub-alice", ["d1", "d2"])
                let claims = try await concurrently(2) { number in
                    try await servers[number].claim("d\(number + 1)", of: "sub-alice")
                }
                try expectEqual(claims, [true, true], "both count")
            }
            let written = try await servers[1].events(.userSecondFactorChanged).compactMap(\.reason)
            for left in 0...1 { try expectEqual(written.count { $0 == "left \(left)" }, 20, "times \(left) left") }
        },
        ConformanceCase("a recovery code is its user's alone, and no change of another user takes it") { open in
            let store = try await open()
            for name in ["alice", "bob"] {
                _ = try await store.add(name)
                _ = try await store.setFactor(Subject(rawValue: "sub-\(name)"), ["\(name)-1", "\(name)-2"])
            }
            try expectEqual(try await store.claim("alice-1", of: "sub-bob"), false, "another user's")
            try expectEqual(try await store.unusedRecoveryCodes(of: "sub-alice"), 2, "not used up by that")
            try expectEqual(try await store.replaceCodes(["bob-3"], of: "sub-bob"), true, "bob's new ones")
            try expectEqual(try await store.claim("alice-1", of: "sub-alice"), true, "alice's stay")
            try expectEqual(try await store.removeFactor("sub-bob"), true, "bob's factor")
            try expect(try await store.account(of: "sub-alice")?.secondFactor != nil, "alice's stays")
            try expectEqual(try await store.claim("alice-2", of: "sub-alice"), true, "with its codes")
        },
    ]
}

extension UserStore {
    fileprivate func addFactor(_ sealed: String, to subject: Subject, _ digests: [String]) async throws -> Bool {
        try await addSecondFactor(
            SecondFactor(sealedSecret: sealed, lastStep: 7), recoveryDigests: digests, of: subject,
            in: nil, event: Sample.event(.userSecondFactorChanged))
    }

    fileprivate func removeFactor(_ subject: Subject) async throws -> Bool {
        try await removeSecondFactor(of: subject, event: Sample.event(.userSecondFactorChanged))
    }

    fileprivate func replaceCodes(_ digests: [String], of subject: Subject) async throws -> Bool {
        try await replaceRecoveryCodes(digests, of: subject, event: Sample.event(.userSecondFactorChanged))
    }

    /// The codes that are left stand in the event's reason.
    fileprivate func claim(_ digest: String, of subject: Subject) async throws -> Bool {
        try await claimRecoveryCode(digest: digest, of: subject, at: Sample.now) { left in
            AuditEvent(
                at: Sample.now, type: .userSecondFactorChanged, outcome: .success, reason: "left \(left)",
                subject: subject)
        }
    }

    fileprivate func setFactor(_ subject: Subject, _ digests: [String]) async throws -> Bool {
        try await replaceSecondFactor(
            SecondFactor(sealedSecret: "sealed"), recoveryDigests: digests, of: subject,
            event: Sample.event(.userSecondFactorChanged))
    }
}
