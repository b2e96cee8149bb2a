import Bridge
import OAuth2

/// Proofs of who a user is that wait, for a code or their browser, while what could sign the user in ends (contract
/// §7).
enum WaitingProofCases {
    static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a proof from before an end of everything, or of everything else, opens no session") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].addHolder()
            // Of two ends at one moment each counts, and one by a clock that is behind.
            let ends: [(EndingRoot, Timestamp)] = [
                (.user("alice"), Sample.now), (.unused(of: "alice"), Sample.now), (.user("alice"), Sample.now),
                (.unused(of: "alice"), Sample.now - .seconds(90)),
            ]
            for (round, (root, moment)) in ends.enumerated() {
                let before = try await servers[0].lastEnd()
                _ = try await servers[1].end(root, .sample(.endedByUser, at: moment))
                let after = try await servers[0].lastEnd()
                try expect(after > before, "round \(round): it grows")
                for (number, (old, new)) in zip(bases(after: before), bases(after: after)).enumerated() {
                    let name = "\(round)-\(number)"
                    let isOpened = try await servers[0].open(
                        Sample.session("old-\(name)"), replacing: nil, provenBy: old,
                        events: [Sample.event(.userSignedIn)])
                    try expectEqual(isOpened, false, "\(name): of before")
                    let session = try await servers[1].session(id: SessionID(rawValue: "session-old-\(name)"))
                    try expectEqual(session, nil, "\(name): its session")
                    try expectEqual(
                        try await servers[0].open(
                            Sample.session("new-\(name)"), replacing: nil, provenBy: new, events: []),
                        true, "\(name): of after")
                }
            }
            try expectEqual(try await servers[0].events(.userSignedIn).count, 0, "events")
        },
        ConformanceCase("a proof from before a user was enabled again opens no session") { open in
            let store = try await open()
            try await store.addHolder()
            for isDisabled in [true, false] {
                try await store.change("alice", UserChange(isDisabled: isDisabled), ending: .sample(at: Sample.now))
            }
            for (number, basis) in bases(after: Account.noEnd).enumerated() {
                let isOpened = try await store.open(
                    Sample.session("\(number)"), replacing: nil, provenBy: basis, events: [])
                try expectEqual(isOpened, false, "proof \(number)")
            }
        },
        ConformanceCase("an end right after a new password leaves no session that goes on from it") { open in
            let servers = [try await open(), try await open()]
            try await servers[0].addHolder()
            guard let seen = try await servers[0].account(of: "alice") else {
                throw ConformanceFailure(description: "no account")
            }
            let moment = Sample.now + .seconds(1)
            let outcome = try await servers[0].replacePassword(
                try Sample.passwordHash("another"), of: seen, by: .link(madeAfter: Sample.now),
                event: Sample.event(.userPasswordChanged), ending: .sample(.passwordChanged, at: moment))
            guard let replaced = outcome else { throw ConformanceFailure(description: "not replaced") }
            let lastEnd = try await servers[1].lastEnd()
            try expectEqual(replaced.lastEnd, lastEnd, "as the row has it")
            let basis = SignInBasis.password(setAt: moment, after: replaced.lastEnd)
            let atOnce = try await servers[1].open(
                Sample.session("at-once"), replacing: nil, provenBy: basis, events: [])
            try expectEqual(atOnce, true, "at once")
            _ = try await servers[1].end(.user("alice"), .sample(at: moment))
            let late = try await servers[0].open(Sample.session("late"), replacing: nil, provenBy: basis, events: [])
            try expectEqual(late, false, "after the end")
        },
        ConformanceCase("a proof from before the database was restored opens no session, unless they are kept") {
            open in
            let store = try await open()
            try await store.addHolder()
            for keepsSessions in [true, false, false] {
                let before = try await store.lastEnd()
                _ = try await store.recordRestore(
                    by: .login("root"), at: Sample.now, keepsSessions: keepsSessions, reason: nil)
                let after = try await store.lastEnd()
                try expectEqual(after > before, !keepsSessions, "an end, kept: \(keepsSessions)")
            }
            let isOpened = try await store.open(
                Sample.session("late"), replacing: nil, provenBy: .password(setAt: Sample.now, after: Account.noEnd),
                events: [])
            try expectEqual(isOpened, false, "opened")
        },
        ConformanceCase("an app's sign-out leaves the proofs that wait") { open in
            let store = try await open()
            try await store.addHolder()
            _ = try await store.end(.opened(by: "app", of: "alice", in: nil), .sample(.signedOutInApp))
            for (number, basis) in bases(after: Account.noEnd).enumerated() {
                let isOpened = try await store.open(
                    Sample.session("\(number)"), replacing: nil, provenBy: basis, events: [])
                try expectEqual(isOpened, true, "proof \(number)")
            }
        },
        ConformanceCase("of sign-ins on two servers none by a proof that waited outlasts an end of everything") {
            open in
            let servers = [try await open(), try await open()]
            try await servers[0].addHolder()
            async let end = servers[0].end(.user("alice"), .sample(at: Sample.now))
            _ = try await concurrently(20) { number in
                try await servers[number % 2].open(
                    Sample.session("\(number)"), replacing: nil,
                    provenBy: .key(thumbprint: "k", after: Account.noEnd), events: [])
            }
            _ = try await end
            for number in 0..<20 {
                let session = try await servers[0].session(id: SessionID(rawValue: "session-\(number)"))
                try expect(session == nil || session?.endedAt != nil, "session \(number) is not there, or has ended")
            }
        },
    ]

    /// One of each kind that may wait.
    private static func bases(after end: Timestamp) -> [SignInBasis] {
        [
            .password(setAt: Sample.now, after: end), .key(thumbprint: "k", after: end),
            .upstream(UpstreamSession(issuer: "https://a.example", subject: "u", session: nil), after: end),
        ]
    }
}

extension BridgeStorage {
    /// Alice, with a password and a phone's key.
    fileprivate func addHolder() async throws {
        let account = Account(
            subject: "alice", username: try Sample.username("alice"), passwordHash: try Sample.passwordHash(),
            createdAt: Sample.now)
        _ = try await addAccount(
            account, issuer: Account.issuer, link: nil, event: Sample.event(.userCreated))
        let key = LinkedKey(
            thumbprint: "k", subject: "alice", algorithm: .es256, origin: .linked, createdAt: Sample.now)
        _ = try await link(key, in: nil, event: Sample.event(.selfIssuedLinked))
    }

    fileprivate func lastEnd() async throws -> Timestamp {
        guard let account = try await account(of: "alice") else {
            throw ConformanceFailure(description: "no account")
        }
        return account.lastEnd
    }
}
