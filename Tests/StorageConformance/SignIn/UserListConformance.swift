package import Bridge
import OAuth2

/// How every ``UserStore`` lists and finds users.
package enum UserListConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("the list of users has what their accounts say") { open in
            let store = try await open()
            try await store.addUser("guest", at: Sample.now)
            try expectEqual(try await store.add("Alice"), .added, "adding")
            let factor = SecondFactor(sealedSecret: "sealed", lastStep: 0)
            _ = try await store.replaceSecondFactor(
                factor, recoveryDigests: [], of: "sub-Alice", event: Sample.event(.userCreated))
            let users = try await store.users(after: nil, limit: 10)
            try expectEqual(users.map(\.subject), ["guest", "sub-Alice"], "subjects")
            try expectEqual(users.map(\.username), [nil, "Alice"], "names")
            try expectEqual(users.map(\.hasSecondFactor), [false, true], "second factors")
            try expectEqual(users.map(\.issuer), ["i", "drawbridge"], "issuers")
        },
        ConformanceCase("the users of some ids are found together, each once, and nobody for an unknown one") { open in
            let store = try await open()
            for name in ["guest", "other"] { try await store.addUser(Subject(rawValue: name), at: Sample.now) }
            try expectEqual(try await store.add("Alice"), .added, "adding")
            let found = try await store.users(among: ["guest", "nobody", "sub-Alice", "guest"])
            let users = found.sorted { $0.subject.rawValue < $1.subject.rawValue }
            try expectEqual(users.map(\.subject), ["guest", "sub-Alice"], "subjects")
            try expectEqual(users.map(\.username), [nil, "Alice"], "names")
            try expectEqual(try await store.users(among: []), [], "of nobody")
        },
        ConformanceCase("users are found by a part of id, name and address, and signs of patterns are themselves") {
            open in
            let store = try await open()
            try await store.addUser("Guest-100%", at: Sample.now)
            try await store.addUser("guest-1000", at: Sample.now)
            _ = try await store.addAccount(
                Account(
                    subject: "s1", username: try Sample.username("Ada_L"), displayName: "Ada Lovelace",
                    email: "Countess@Example.com", createdAt: Sample.now),
                issuer: Account.issuer, link: nil, event: Sample.event(.userCreated))
            func found(_ text: String) async throws -> [Subject] {
                try await store.users(matching: text, after: nil, limit: 10).users.map(\.subject)
            }
            for part in ["s1", "ada", "DA_L", "lovelace", "ess@exam"] {
                try expectEqual(try await found(part), ["s1"], part)
            }
            try expectEqual(try await found("100%"), ["Guest-100%"], "a sign of patterns")
            try expectEqual(try await found("a!l"), [], "the escape")
            try expectEqual(try await found("nobody"), [], "nobody")
            try expectEqual(try await found("\u{0}"), [], "what no text can hold")
            _ = try await store.add(nil, subject: "s2")
            _ = try await store.changeUser(
                "s2", UserChange(names: AccountNames(username: nil, displayName: "Émile ΟΔΟΣ", email: nil)),
                events: { type, _ in Sample.event(type) }, ending: .sample())
            // A capital sigma, which has two small forms.
            for text in ["Émile", "éMIL", "ΟΔΟΣ", "οδος", "Οδοσ"] {
                try expectEqual(try await found(text), ["s2"], text)
            }
            try expectEqual(Set(try await found("GUEST")), ["Guest-100%", "guest-1000"], "both")
        },
        ConformanceCase("a search of users goes on after each page, and ends with the last") { open in
            let store = try await open()
            for name in ["Guest-1", "guest-2", "guest-3", "other", "zz-guest"] {
                try await store.addUser(Subject(rawValue: name), at: Sample.now)
            }
            func page(after cursor: Subject?, limit: Int) async throws -> UserPage {
                try await store.users(matching: "GUEST", after: cursor, limit: limit)
            }
            let first = try await page(after: nil, limit: 2)
            try expectEqual(first.users.map(\.subject), ["Guest-1", "guest-2"], "the first page")
            try expectEqual(first.next, "guest-2", "where the second begins")
            let second = try await page(after: first.next, limit: 2)
            try expectEqual(second.users.map(\.subject), ["guest-3", "zz-guest"], "the second page")
            try expectEqual(second.next, nil, "nothing after it")
            try expectEqual(try await page(after: nil, limit: 4).next, nil, "nothing after all")
            try expectEqual(
                try await page(after: "guest-25", limit: 9).users.map(\.subject), ["guest-3", "zz-guest"],
                "after one who is gone")
            let all = try await store.users(matching: "", after: nil, limit: 9)
            try expectEqual(all.users.count, 5, "all users")
        },
        ConformanceCase("users are listed by what is asked for, page by page, and who lacks it comes last") { open in
            let store = try await open()
            for (name, displayName, email, age) in [
                ("zoe", "Anna", nil, 3), ("bob", nil, "z@example.com", 1), ("Carl", "carl", "a@example.com", 2),
            ] as [(String, String?, String?, Int)] {
                _ = try await store.addAccount(
                    Account(
                        subject: Subject(rawValue: "s-\(name)"), username: try Sample.username(name),
                        displayName: displayName, email: email, createdAt: Sample.now + .seconds(-age)),
                    issuer: Account.issuer, link: nil, event: Sample.event(.userCreated))
            }
            try await store.addUser("x", issuer: "an issuer", at: Sample.now)
            try await store.change("s-zoe", UserChange(isDisabled: true))
            func pages(_ order: UserOrder, matching text: String = "") async throws -> [Subject] {
                var found: [UserOverview] = []
                while true {
                    let cursor = found.last.map { UserCursor(after: $0, by: order) }
                    let page = try await store.sorted(by: order, matching: text, after: cursor, limit: 1)
                    guard let next = page.first else { return found.map(\.subject) }
                    found.append(next)
                }
            }
            try expectEqual(try await pages(.name), ["s-zoe", "s-bob", "s-Carl", "x"], "shown name")
            try expectEqual(try await pages(.username), ["s-bob", "s-Carl", "s-zoe", "x"], "user name")
            try expectEqual(try await pages(.email), ["s-Carl", "s-bob", "s-zoe", "x"], "e-mail")
            try expectEqual(try await pages(.firstSeen), ["x", "s-bob", "s-Carl", "s-zoe"], "the newest first")
            try expectEqual(try await pages(.issuer).first, "x", "issuer")
            try expectEqual(try await pages(.state).first, "s-zoe", "disabled users first")
            try expectEqual(try await pages(.username, matching: "example.com"), ["s-bob", "s-Carl"], "a search")
            let first = try await store.sorted(by: .username, limit: 1)
            let place = first.first.map { UserCursor(after: $0, by: .username) }
            try expectEqual(
                try await store.sorted(by: .username, after: place, limit: 2).map(\.subject),
                ["s-Carl", "s-zoe"], "two at once")
            // The last user of the page before has another name by now, or is gone.
            let names = AccountNames(username: try Sample.username("zz"), displayName: nil, email: nil)
            _ = try await store.changeUser(
                "s-bob", UserChange(names: names), events: { type, _ in Sample.event(type) }, ending: .sample())
            try expectEqual(
                try await store.sorted(by: .username, after: place, limit: 9).map(\.subject),
                ["s-Carl", "s-zoe", "s-bob", "x"], "after a new name")
            let gone = UserOverview(
                SubjectRecord(subject: "gone", issuer: "a", firstSeenAt: Sample.now, disabledAt: nil))
            for order in UserOrder.allCases {
                let all = try await store.sorted(by: order, limit: 9)
                let later = try await store.sorted(by: order, after: UserCursor(after: gone, by: order), limit: 9)
                try expect(!later.isEmpty, "after one who is gone, by \(order)")
                try expectEqual(Array(all.suffix(later.count)), later, "the rest, by \(order)")
            }
        },
    ]
}

extension UserStore {
    fileprivate func sorted(
        by order: UserOrder, matching text: String = "", after cursor: UserCursor? = nil, limit: Int
    ) async throws -> [UserOverview] {
        guard let users = try await users(matching: text, by: order, after: cursor, limit: limit) else {
            throw ConformanceFailure(description: "a few users are not sorted")
        }
        return users
    }
}
