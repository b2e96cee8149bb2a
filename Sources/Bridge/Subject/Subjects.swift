/// Whether users may sign in, and their first sight.
package struct Subjects: Sendable {
    private let store: any SubjectStore
    private let cache: ShortLivedCache<Subject, SubjectStanding>
    private let disabled: ShortLivedCache<Subject, Bool>

    package init(store: any SubjectStore, time: TimeSource = .system) {
        self.store = store
        cache = ShortLivedCache(time: time)
        disabled = ShortLivedCache(time: time)
    }

    /// Whether the user may sign in now; one that was never seen comes into being (contract §1.3).
    func admit(_ subject: Subject, issuer: String, at now: Timestamp) async throws -> Bool {
        let standing = try await cache.value(for: subject) {
            let standing = try await store.standing(of: subject)
            guard standing == .unknown else { return standing }
            try await store.recordFirstSight(of: subject, issuer: issuer, at: now)
            return .active
        }
        return standing == .active
    }

    /// Whether the user is disabled now. Not for ``admit(_:issuer:at:)``: it must not remember `.unknown` for it.
    func isDisabled(_ subject: Subject, at now: Timestamp) async throws -> Bool {
        try await disabled.value(for: subject) { try await store.standing(of: subject) == .disabled }
    }
}
