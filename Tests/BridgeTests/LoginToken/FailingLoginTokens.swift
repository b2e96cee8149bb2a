import OAuth2
import Synchronization

@testable import Bridge

/// What goes wrong at the next redemptions, in turn, and at the next issues.
final class RedemptionFaults: Sendable {
    enum Fault: Sendable {
        /// The commit is made, and its answer lost.
        case answerLost
        /// The connection is lost before the commit, which is not made.
        case commitLost
        /// There is no store.
        case away
        /// The caller has gone, so nothing is tried.
        case abandoned
    }

    private let pending = Mutex<[Fault]>([])
    private let unseenUsers = Mutex(0)
    private let payload = Mutex<String?>(nil)

    func expect(_ faults: Fault...) { pending.withLock { $0 = faults } }

    func next() -> Fault? { pending.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

    /// So many issues find a user whom nobody sees on reading: what is read comes from another database.
    func expectUnseenUsers(_ count: Int) { unseenUsers.withLock { $0 = count } }

    /// How many of them are still to come.
    var expectedUnseenUsers: Int { unseenUsers.withLock { $0 } }

    /// What is kept with an `Idempotency-Key` says this from now on.
    func damagePayloads(to text: String) { payload.withLock { $0 = text } }

    var damagedPayload: String? { payload.withLock { $0 } }

    func nextUserIsUnseen() -> Bool {
        unseenUsers.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
    }
}

/// A store whose answers to redemptions get lost, whose issues know users that are not there, and which may keep what is
/// no payload.
struct FailingLoginTokens: LoginTokenStore {
    let storage: any LoginTokenStore
    let faults: RedemptionFaults

    func redeem(
        _ token: IssuedLoginToken, opening session: WebSession, refreshDigest: String?, use: LoginTokenUse,
        replacing replaced: [ReplacedSession], events: [AuditEvent]
    ) async throws -> LoginTokenRedeemOutcome {
        func redeem() async throws -> LoginTokenRedeemOutcome {
            try await storage.redeem(
                token, opening: session, refreshDigest: refreshDigest, use: use, replacing: replaced, events: events)
        }
        switch faults.next() {
        case nil: return try await redeem()
        case .answerLost:
            _ = try await redeem()
            throw StorageError.undecided("answer lost")
        case .commitLost: throw StorageError.undecided("commit lost")
        case .away: throw StorageError.unavailable("away")
        case .abandoned: throw CallerGone()
        }
    }

    func recordIssue(
        _ token: IssuedLoginToken, scope: Scope?, namedFirstBy issuer: String?, idempotency: IdempotencyRecord?,
        event: AuditEvent
    ) async throws -> LoginTokenIssueOutcome {
        if issuer != nil, faults.nextUserIsUnseen() { return .userKnown }
        return try await storage.recordIssue(
            token, scope: scope, namedFirstBy: issuer, idempotency: idempotency, event: event)
    }

    func issuingSession(_ id: SessionID, of token: TokenID) async throws -> IssuingSessionRecord? {
        try await storage.issuingSession(id, of: token)
    }

    func idempotencyRecord(keyDigest: String, at now: Timestamp) async throws -> IdempotencyRecord? {
        let record = try await storage.idempotencyRecord(keyDigest: keyDigest, at: now)
        guard let record, let payload = faults.damagedPayload else { return record }
        return IdempotencyRecord(
            keyDigest: record.keyDigest, fingerprint: record.fingerprint, tokenID: record.tokenID,
            keyID: record.keyID, payload: payload, expiresAt: record.expiresAt)
    }

    func state(of id: TokenID) async throws -> LoginTokenState? { try await storage.state(of: id) }

    func revoke(_ token: IssuedLoginToken, at now: Timestamp, event: AuditEvent) async throws
        -> LoginTokenRevokeOutcome
    {
        try await storage.revoke(token, at: now, event: event)
    }

    func recordMiss(
        _ token: IssuedLoginToken, at now: Timestamp, limit: Int, event: AuditEvent, tells: Bool
    ) async throws -> Int {
        try await storage.recordMiss(token, at: now, limit: limit, event: event, tells: tells)
    }

    func recordReplay(of id: TokenID, replay: AuditEvent, ending: Ending?, alwaysTells: Bool) async throws -> Ended {
        try await storage.recordReplay(of: id, replay: replay, ending: ending, alwaysTells: alwaysTells)
    }

    func purgeLoginTokens(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await storage.purgeLoginTokens(expiredBefore: cutoff, limit: limit)
    }
}
