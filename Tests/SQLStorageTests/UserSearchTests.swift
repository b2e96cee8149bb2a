import Bridge
import StorageConformance
import Testing

@testable import SQLStorage

/// Searches among users, in a database that has `alice` and `bob`.
@Suite struct UserSearchTests {
    typealias Place = AnticipationTests.Place

    private static func page(
        _ search: UserSearch, after cursor: Subject? = nil, in storage: DurableStorage
    ) async throws -> UserPage {
        try await storage.read { session in try search.page(after: cursor, limit: 2, in: session) }
    }

    private static func addUsers(to storage: DurableStorage) async throws {
        for number in 0..<5 { try await storage.addUser(Subject(rawValue: "user-\(number)"), at: Visit.now) }
        _ = try await storage.addAccount(
            Account(
                subject: "user-x", username: Username("Emil"), displayName: "Émile ΟΔΟΣ",
                email: "emil@example.com", createdAt: Visit.now),
            issuer: Account.issuer, link: nil, event: .sample(.userCreated))
    }

    @Test(arguments: Place.present, [1, 3, 100])
    func `a search finds everybody window by window, however short its pages are`(place: Place, window: Int)
        async throws
    {
        try await place.with { storage, _ in
            try await Self.addUsers(to: storage)
            for (text, want) in [
                ("USER", ["user-0", "user-1", "user-2", "user-3", "user-4", "user-x"]), ("er-3", ["user-3"]),
                ("L@EXAMPLE", ["user-x"]), ("éMILE οδος", ["user-x"]), ("nobody", []),
            ] as [(String, [Subject])] {
                var search = UserSearch(text, dialect: storage.dialect)
                search.window = window
                search.patience = .zero
                var found: [Subject] = []
                var cursor: Subject?
                repeat {
                    let page = try await Self.page(search, after: cursor, in: storage)
                    #expect(page.users.count <= 2)
                    found += page.users.map(\.subject)
                    cursor = page.next
                } while cursor != nil
                #expect(found == want)
            }
        }
    }

    @Test(arguments: Place.present)
    func `a search whose patience ends gives an empty page and where to go on`(place: Place) async throws {
        try await place.with { storage, _ in
            try await Self.addUsers(to: storage)
            var search = UserSearch("user-3", dialect: storage.dialect)
            search.window = 1
            search.patience = .zero
            #expect(try await Self.page(search, in: storage) == UserPage(users: [], next: "alice"))
            search.patience = .seconds(60)
            let page = try await Self.page(search, in: storage)
            #expect(page.users.map(\.subject) == ["user-3"] && page.next == nil)
        }
    }

    @Test(arguments: Place.present)
    func `users are sorted unless there are too many`(place: Place) async throws {
        try await place.with { storage, _ in
            for (maximum, want) in [(1, nil), (2, ["alice", "bob"])] as [(Int, [Subject]?)] {
                let users = try await storage.users(matching: "", by: .name, after: nil, limit: 9, ofAtMost: maximum)
                #expect(users?.map(\.subject) == want)
            }
        }
    }
}
