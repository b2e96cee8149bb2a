/// Whether users may sign in, and who may name them.
package final class Subjects: Sendable {
    private let store: any UserStore
    private let claims: RememberedUserClaims?
    private let records: ShortLivedCache<Subject, SubjectRecord?>
    private let disabled: ShortLivedCache<Subject, Bool>
    /// Spares the store most questions of whether a user is disabled.
    package let disabledUsers: DisabledUsers

    /// - Parameter claims: what else remembers users, and is told with this when one has changed.
    package init(
        store: any UserStore, claims: RememberedUserClaims? = nil, time: TimeSource,
        disabledUsersLimit: Int = DisabledUsers.limit
    ) {
        self.store = store
        self.claims = claims
        disabledUsers = DisabledUsers(store: store, time: time, limit: disabledUsersLimit)
        records = ShortLivedCache(time: time)
        disabled = ShortLivedCache(time: time)
    }

    enum Admission: Hashable, Sendable {
        case admitted
        /// The user has not been named before: the bearer's issuer may, if it still is the first (contract §1.3).
        case unseen
        case disabled
        /// The user is another issuer's than the one whose word the bearer is.
        case ofAnotherIssuer
    }

    /// Whether the user that a bearer names may sign in now.
    func admission(of bearer: BearerIdentity) async throws -> Admission {
        guard let record = try await record(of: bearer.subject) else { return .unseen }
        guard Self.may(bearer, name: record) else { return .ofAnotherIssuer }
        return record.disabledAt == nil ? .admitted : .disabled
    }

    /// Has the store asked about a user who came into being, turned out to be known, or was changed here.
    package func forget(_ subject: Subject) {
        records.forget(subject)
        disabled.forget(subject)
        disabledUsers.doubt(subject)
        claims?.forget(subject)
    }

    /// Whether a bearer's issuer says other groups of its user than are kept, where the settings believe it.
    func isNews(_ bearer: BearerIdentity) async throws -> Bool {
        guard let groups = bearer.groups, let record = try await record(of: bearer.subject) else { return false }
        return !record.hasAccount && record.groups != groups
    }

    /// Takes in what a bearer's issuer says of the groups of its user, where that ``isNews(_:)``.
    func takeGroups(of bearer: BearerIdentity, origin: RequestOrigin, at now: Timestamp) async throws {
        guard let groups = bearer.groups, try await isNews(bearer) else { return }
        try await store.keepGroups(
            groups, of: bearer.subject,
            event: AuditEvent(
                at: now, type: .userClaimsChanged, outcome: .success, reason: "told_by_issuer",
                subject: bearer.subject, clientID: bearer.clientID, origin: origin))
        forget(bearer.subject)
    }

    /// Whether a bearer's issuer may name its user; one that was never seen is free.
    func mayBeNamed(by bearer: BearerIdentity) async throws -> Bool {
        guard let record = try await record(of: bearer.subject) else { return true }
        return Self.may(bearer, name: record)
    }

    /// Whether the user is disabled now. Remembered apart from ``admission(of:)``, which a redemption may follow at
    /// once.
    func isDisabled(_ subject: Subject) async throws -> Bool {
        guard !disabledUsers.spares(subject) else { return false }
        return try await disabled.value(for: subject) { try await store.record(of: subject)?.disabledAt != nil }
    }

    /// Begins a look-up of a user's record that the caller makes; `nil` where it is remembered.
    func lookUp(_ subject: Subject) -> ShortLivedCache<Subject, SubjectRecord?>.LookUp? { records.lookUp(subject) }

    private func record(of subject: Subject) async throws -> SubjectRecord? {
        try await records.value(for: subject) { try await store.record(of: subject) }
    }

    private static func may(_ bearer: BearerIdentity, name user: SubjectRecord) -> Bool {
        switch bearer.authority {
        case .own: true
        // An account is ours whoever first saw its user, and whichever upstream provider it is linked to.
        case .trusted where user.hasAccount: false
        case .trustedWithAccounts where user.hasAccount: true
        case .trusted, .trustedWithAccounts: user.issuer.hasSameBytes(as: bearer.issuer)
        }
    }
}
