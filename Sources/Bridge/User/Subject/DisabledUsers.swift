import Synchronization

/// Who may not sign in, as a list in memory: nearly everyone may, so hardly any user is asked about (ADR-0060).
///
/// The service reads the list twice a second (``refresh()``). Users who are not on it pass without a look at the store;
/// those who are, and all when the list is old or too long, are asked about there.
package final class DisabledUsers: Sendable {
    /// A list older than this does not count: contract §7 promises that every node refuses within a second.
    static let lifetime = Duration.seconds(1)
    /// Users that the list holds. Where more are disabled there is none: it is read again and again.
    package static let limit = 1000

    private struct List {
        var subjects: Set<Subject> = []
        /// Users who were changed here, and when: a list that was asked for before does not know of it.
        var doubts: [Subject: ContinuousClock.Instant] = [:]
        /// When the store was asked, by the monotonic clock (ADR-0010); `nil` without a list.
        var readAt: ContinuousClock.Instant?
    }

    private let store: any UserStore
    private let time: TimeSource
    private let limit: Int
    private let list = Mutex(List())

    init(store: any UserStore, time: TimeSource, limit: Int) {
        self.store = store
        self.time = time
        self.limit = limit
    }

    /// Reads the list again.
    /// - Throws: ``StorageError``; then the earlier list counts until it is too old.
    package func refresh() async throws {
        let askedAt = time.uptime()
        let subjects = try await store.disabledSubjects(limit: limit + 1)
        list.withLock { list in
            let doubts = list.doubts.filter { $0.value >= askedAt }
            list =
                subjects.count > limit
                ? List(doubts: doubts) : List(subjects: Set(subjects), doubts: doubts, readAt: askedAt)
        }
    }

    /// Has the store asked about a user, until the list is read again.
    func doubt(_ subject: Subject) {
        let now = time.uptime()
        list.withLock { $0.doubts[subject] = now }
    }

    /// Whether the list says that the user may sign in; `false` says nothing.
    func spares(_ subject: Subject) -> Bool {
        let now = time.uptime()
        return list.withLock { list in
            guard let readAt = list.readAt, now - readAt <= Self.lifetime else { return false }
            return list.doubts[subject] == nil && !list.subjects.contains(subject)
        }
    }
}
