import OAuth2
import StorageConformance
import Testing

@testable import Bridge

/// Codes whose redemption may have been made although nobody was told (contract §4.3).
@Suite struct UndecidedCodesTests {
    private let faults = RedemptionFaults()

    private func redeem() async throws -> AuthorizationCodeRedeemOutcome {
        try await FailingCodes(faults: faults).redeemOnce(
            digest: "code",
            opening: AppSession(
                id: "session", subject: "alice", clientID: app, scope: .empty, opening: .authorize,
                authentication: Authentication(), createdAt: noon, expiresAt: noon + .seconds(60)),
            refreshToken: nil, at: noon, events: [])
    }

    @Test func `a code whose redemption was not committed is redeemed at the second attempt`() async throws {
        faults.expect(.commitLost)
        #expect(try await redeem() == .opened)
    }

    @Test func `a caller who goes while the lost answer is looked for leaves it open whether the code was used`()
        async throws
    {
        faults.expect(.answerLost, .abandoned)
        let error = await #expect(throws: StorageError.self) { try await redeem() }
        guard case .undecided? = error else {
            Issue.record("\(String(describing: error)) instead of undecided")
            return
        }
    }

    @Test func `an attempt that was not begun for a caller who has gone used nothing up`() async throws {
        faults.expect(.abandoned)
        await #expect(throws: CallerGone.self) { try await redeem() }
    }
}

/// Knows of no code, and redeems any, unless a fault is expected.
private struct FailingCodes: GrantStore {
    let faults: RedemptionFaults

    func redeemCode(
        digest: String, opening session: AppSession, refreshToken: RefreshTokenRecord?, at now: Timestamp,
        events: [AuditEvent]
    ) throws -> AuthorizationCodeRedeemOutcome {
        switch faults.next() {
        case nil: return .opened
        case .answerLost, .commitLost: throw StorageError.undecided("lost")
        case .away: throw StorageError.unavailable("away")
        case .abandoned: throw CallerGone()
        }
    }

    func code(digest: String) -> AuthorizationCodeState? { nil }

    // What no redemption asks.

    func consent(of subject: Subject, to client: ClientID) -> Set<String>? { nil }
    func rememberConsent(
        of subject: Subject, to client: ClientID, scopes: Set<String>, at now: Timestamp, event: AuditEvent
    ) {}
    func consents(of subject: Subject) -> [Consent] { [] }
    func forgetConsent(of subject: Subject, to client: ClientID, _ ending: Ending, event: AuditEvent) -> Ended? { nil }
    func recordCode(_ code: IssuedAuthorizationCode, event: AuditEvent) -> Bool { false }
    func recordCodeMiss(digest: String, limit: Int, event: AuditEvent, alwaysTells: Bool) -> Bool { false }
    func recordCodeReuse(digest: String, reuse: AuditEvent, ending: Ending, alwaysTells: Bool) -> Ended { .nothing }
    func purgeCodes(expiredBefore cutoff: Timestamp, limit: Int) -> Int { 0 }
    func open(_ session: AppSession, refreshToken: RefreshTokenRecord?, events: [AuditEvent]) -> AppSessionOpenOutcome {
        .parentEnded
    }
    func appSession(id: SessionID) -> AppSession? { nil }
    func appSessions(
        of subject: Subject, aliveAt now: Timestamp, before cursor: SessionID?, limit: Int
    ) -> [AppSession] { [] }
    func purgeAppSessions(expiredBefore cutoff: Timestamp, limit: Int) -> Int { 0 }
    func refreshToken(digest: String) -> RefreshTokenState? { nil }
    func rotate(
        digest: String, to successor: RefreshTokenRecord, at now: Timestamp, event: AuditEvent
    ) -> RefreshTokenRotation { .gone }
    func extendRefreshToken(
        digest: String, until expiry: Timestamp, at now: Timestamp, event: AuditEvent
    ) -> Bool { false }
    func revokeToken(_ id: TokenID, until expiry: Timestamp, event: AuditEvent) {}
    func isRevoked(_ id: TokenID) -> Bool { false }
    func purgeRevokedTokens(expiredBefore cutoff: Timestamp, limit: Int) -> Int { 0 }
}
