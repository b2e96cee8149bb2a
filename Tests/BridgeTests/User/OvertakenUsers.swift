import Synchronization

@testable import Bridge

/// Users about whom something happens between a question and its answer.
///
/// It pretends that it does so once and as the test says: after the list of the disabled was read, or before a user is
/// looked up, groups are kept or a code is used up. All else the store behind it does.
final class OvertakenUsers: UserStore {
    private enum Moment: Hashable {
        case afterReadingTheDisabled, beforeReadingARecord, beforeKeepingGroups, beforeClaimingAStep
    }

    private let storage: any UserStore
    private let hooks = Mutex<[Moment: @Sendable () async throws -> Void]>([:])

    init(_ storage: any UserStore) { self.storage = storage }

    /// What happens once, after the list was read.
    func afterReadingTheDisabled(_ body: @escaping @Sendable () async throws -> Void) {
        hooks.withLock { $0[.afterReadingTheDisabled] = body }
    }

    /// What happens once, before a user is looked up.
    func beforeReadingARecord(_ body: @escaping @Sendable () async throws -> Void) {
        hooks.withLock { $0[.beforeReadingARecord] = body }
    }

    /// What happens once, before groups are kept.
    func beforeKeepingGroups(_ body: @escaping @Sendable () async throws -> Void) {
        hooks.withLock { $0[.beforeKeepingGroups] = body }
    }

    /// What happens once, before the code of an authenticator app is used up.
    func beforeClaimingAStep(_ body: @escaping @Sendable () async throws -> Void) {
        hooks.withLock { $0[.beforeClaimingAStep] = body }
    }

    private func pass(_ moment: Moment) async throws {
        let hook = hooks.withLock { $0.removeValue(forKey: moment) }
        try await hook?()
    }

    func disabledSubjects(limit: Int) async throws -> [Subject] {
        let subjects = try await storage.disabledSubjects(limit: limit)
        try await pass(.afterReadingTheDisabled)
        return subjects
    }

    func standing(of subject: Subject) async throws -> SubjectStanding { try await storage.standing(of: subject) }

    func keepGroups(_ groups: UserGroups, of subject: Subject, event: AuditEvent) async throws -> Bool {
        try await pass(.beforeKeepingGroups)
        return try await storage.keepGroups(groups, of: subject, event: event)
    }

    func record(of subject: Subject) async throws -> SubjectRecord? {
        try await pass(.beforeReadingARecord)
        return try await storage.record(of: subject)
    }

    func users(after cursor: Subject?, limit: Int) async throws -> [UserOverview] {
        try await storage.users(after: cursor, limit: limit)
    }

    func users(among subjects: [Subject]) async throws -> [UserOverview] { try await storage.users(among: subjects) }

    func users(matching text: String, after cursor: Subject?, limit: Int) async throws -> UserPage {
        try await storage.users(matching: text, after: cursor, limit: limit)
    }

    func users(
        matching text: String, by order: UserOrder, after cursor: UserCursor?, limit: Int
    ) async throws -> [UserOverview]? {
        try await storage.users(matching: text, by: order, after: cursor, limit: limit)
    }

    func account(named username: Username) async throws -> Account? { try await storage.account(named: username) }

    func account(of subject: Subject) async throws -> Account? { try await storage.account(of: subject) }

    func account(of subject: Subject, linkMadeAfter start: Timestamp) async throws -> Account? {
        try await storage.account(of: subject, linkMadeAfter: start)
    }

    func account(linkedTo identity: UpstreamIdentity) async throws -> Account? {
        try await storage.account(linkedTo: identity)
    }

    func hasAccounts() async throws -> Bool { try await storage.hasAccounts() }

    func addAccount(
        _ account: Account, issuer: String, link: UpstreamIdentity?, event: AuditEvent
    ) async throws -> AccountAdding {
        try await storage.addAccount(account, issuer: issuer, link: link, event: event)
    }

    func replacePassword(
        _ hash: PasswordHash, of account: Account, by warrant: PasswordWarrant, event: AuditEvent, ending: Ending
    ) async throws -> ReplacedPassword? {
        try await storage.replacePassword(hash, of: account, by: warrant, event: event, ending: ending)
    }

    func identities(of subject: Subject) async throws -> [UpstreamIdentity] {
        try await storage.identities(of: subject)
    }

    func changeUser(
        _ subject: Subject, _ change: UserChange, events: @escaping UserChange.Events, ending: Ending
    ) async throws -> UserChangeOutcome {
        try await storage.changeUser(subject, change, events: events, ending: ending)
    }

    func rehashPassword(from old: PasswordHash, to new: PasswordHash, of subject: Subject) async throws {
        try await storage.rehashPassword(from: old, to: new, of: subject)
    }

    func replaceSecondFactor(
        _ factor: SecondFactor, recoveryDigests: [String], of subject: Subject, event: AuditEvent
    ) async throws -> Bool {
        try await storage.replaceSecondFactor(factor, recoveryDigests: recoveryDigests, of: subject, event: event)
    }

    func addSecondFactor(
        _ factor: SecondFactor, recoveryDigests: [String], of subject: Subject, in session: SessionID?,
        event: AuditEvent
    ) async throws -> Bool {
        try await storage.addSecondFactor(
            factor, recoveryDigests: recoveryDigests, of: subject, in: session, event: event)
    }

    func removeSecondFactor(of subject: Subject, event: AuditEvent) async throws -> Bool {
        try await storage.removeSecondFactor(of: subject, event: event)
    }

    func replaceRecoveryCodes(_ digests: [String], of subject: Subject, event: AuditEvent) async throws -> Bool {
        try await storage.replaceRecoveryCodes(digests, of: subject, event: event)
    }

    func accountsWithSecondFactor(after cursor: Subject?, limit: Int) async throws -> [Account] {
        try await storage.accountsWithSecondFactor(after: cursor, limit: limit)
    }

    func unusedRecoveryCodes(of subject: Subject) async throws -> Int {
        try await storage.unusedRecoveryCodes(of: subject)
    }

    func claimStep(_ step: Int64, of subject: Subject) async throws -> Bool {
        try await pass(.beforeClaimingAStep)
        return try await storage.claimStep(step, of: subject)
    }

    func claimRecoveryCode(
        digest: String, of subject: Subject, at now: Timestamp, event: @escaping @Sendable (_ left: Int) -> AuditEvent
    ) async throws -> Bool {
        try await storage.claimRecoveryCode(digest: digest, of: subject, at: now, event: event)
    }
}
