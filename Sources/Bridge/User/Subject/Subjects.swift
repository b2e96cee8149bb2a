/// Whether users may sign in, and their first sight.
package struct Subjects: Sendable {
    private let store: any SubjectStore
    private let records: ShortLivedCache<Subject, SubjectRecord?>
    private let disabled: ShortLivedCache<Subject, Bool>

    package init(store: any SubjectStore, time: TimeSource = .system) {
        self.store = store
        records = ShortLivedCache(time: time)
        disabled = ShortLivedCache(time: time)
    }

    enum Admission: Hashable, Sendable {
        case admitted
        case disabled
        /// The user is another issuer's than the one whose word the bearer is.
        case ofAnotherIssuer
    }

    /// Whether the user that a bearer names may sign in now; one that was never seen comes into being (contract §1.3).
    func admit(_ bearer: BearerIdentity, at now: Timestamp) async throws -> Admission {
        var record = try await record(of: bearer.subject, at: now)
        if record == nil {
            let isFirst = try await store.recordFirstSight(of: bearer.subject, issuer: bearer.issuer, at: now)
            records.forget(bearer.subject)
            // Not assumed of one that was there by then: another issuer's token may have been first.
            record =
                isFirst
                ? SubjectRecord(subject: bearer.subject, issuer: bearer.issuer, firstSeenAt: now, disabledAt: nil)
                : try await self.record(of: bearer.subject, at: now)
        }
        guard let record, Self.may(bearer, name: record) else { return .ofAnotherIssuer }
        return record.disabledAt == nil ? .admitted : .disabled
    }

    /// Whether a bearer's issuer may name its user; one that was never seen is free.
    func mayBeNamed(by bearer: BearerIdentity, at now: Timestamp) async throws -> Bool {
        guard let record = try await record(of: bearer.subject, at: now) else { return true }
        return Self.may(bearer, name: record)
    }

    /// Whether the user is disabled now. Remembered apart from ``admit(_:at:)``, which a redemption may follow at once.
    func isDisabled(_ subject: Subject, at now: Timestamp) async throws -> Bool {
        try await disabled.value(for: subject) { try await store.record(of: subject)?.disabledAt != nil }
    }

    private func record(of subject: Subject, at now: Timestamp) async throws -> SubjectRecord? {
        try await records.value(for: subject) { try await store.record(of: subject) }
    }

    private static func may(_ bearer: BearerIdentity, name user: SubjectRecord) -> Bool {
        switch bearer.authority {
        case .own: true
        // An account is ours whoever first saw its user, and whichever upstream provider it is linked to.
        case .trusted where user.hasAccount: false
        case .trustedWithAccounts where user.hasAccount: true
        case .trusted, .trustedWithAccounts: user.issuer.utf8.elementsEqual(bearer.issuer.utf8)
        }
    }
}
