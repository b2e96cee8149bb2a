import Bridge

/// What the users of a page's rows are called, by one look-up: most ids tell people nothing.
struct ConsoleNames: Sendable {
    private let names: [Subject: String]

    init(of subjects: some Sequence<Subject>, in store: any UserStore) async throws {
        var names: [Subject: String] = [:]
        for user in try await store.users(among: Array(Set(subjects))) where user.shownName != user.subject.rawValue {
            names[user.subject] = user.shownName
        }
        self.names = names
    }

    /// The best that people know the user by; `nil` where that is the id.
    subscript(subject: Subject) -> String? { names[subject] }
}
