import Bridge

/// What counts as a change of an account, and what stands in the way of one.
enum AccountChangeCases {
    static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("names that stay as they are are no change, and no event") { open in
            let store = try await open()
            _ = try await store.add("alice", subject: "alice")
            let before = try await store.account(of: "alice")
            let names = AccountNames(
                username: before?.username, displayName: before?.displayName, email: before?.email)
            try expectEqual(try await store.change("alice", UserChange(names: names)), .unchanged, "outcome")
            try expectEqual(try await store.account(of: "alice"), before, "as it was")
            try expectEqual(try await store.events(.userRenamed).count, 0, "events")
        },
        ConformanceCase("an app's sign-out stands in the way of no new password, an end of everything does") { open in
            let store = try await open()
            _ = try await store.add("alice", subject: "alice")
            func seen() async throws -> Account {
                guard let account = try await store.account(of: "alice") else {
                    throw ConformanceFailure(description: "no account")
                }
                return account
            }
            func replace(of account: Account, after seconds: Int) async throws -> ReplacedPassword? {
                try await store.replacePassword(
                    try Sample.passwordHash("p\(seconds)"), of: account, by: .link(madeAfter: Sample.now),
                    event: Sample.event(.userPasswordChanged),
                    ending: .sample(.passwordChanged, at: Sample.now + .seconds(seconds)))
            }
            func signOut(at moment: Timestamp) async throws {
                _ = try await store.end(.opened(by: "app", of: "alice", in: nil), .sample(.signedOutInApp, at: moment))
            }
            let first = try await seen()
            // The clock stands, and goes on.
            for moment in [Sample.now, Sample.now, Sample.now + .seconds(1)] { try await signOut(at: moment) }
            try expectEqual(try await seen().everythingEndedAt, first.everythingEndedAt, "after sign-outs")
            _ = try await store.end(.unused(of: "alice"), .sample(.endedByUser, at: Sample.now + .seconds(1)))
            try expectEqual(
                try await seen().everythingEndedAt, first.everythingEndedAt, "after an end of what is unused")
            try expect(try await replace(of: first, after: 2) != nil, "a password of before the sign-outs")
            let second = try await seen()
            try expect(second.everythingEndedAt != first.everythingEndedAt, "after a new password")
            try await signOut(at: Sample.now + .seconds(3))
            _ = try await store.end(.user("alice"), .sample(at: Sample.now + .seconds(3)))
            try await signOut(at: Sample.now + .seconds(3))
            try expect(try await seen().everythingEndedAt != second.everythingEndedAt, "after an end of everything")
            try expectEqual(try await replace(of: second, after: 4), nil, "a password of before the end")
        },
    ]
}
