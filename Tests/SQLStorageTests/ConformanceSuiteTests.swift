import Bridge
import OAuth2
import StorageConformance
import Testing

/// The suite itself: an implementation that decides first and writes later must fail it.
@Suite struct ConformanceSuiteTests {
    @Test func `a login token store that reads and then writes fails`() async throws {
        let store = ReadThenWriteTokens()
        await #expect(throws: ConformanceFailure.self) {
            try await LoginTokenStoreConformance.oneWinner.check { store }
        }
    }

    @Test func `a replay guard that reads and then writes fails`() async throws {
        let replayGuard = ReadThenWriteGuard()
        await #expect(throws: ConformanceFailure.self) {
            try await ReplayGuardConformance.oneWinner.check { replayGuard }
        }
    }
}

/// Remembers uses, and has the first that looked wait for a second before it writes.
private actor Uses {
    private var uses: [TokenID: LoginTokenUse] = [:]
    private var first: CheckedContinuation<Void, Never>?
    private var haveMet = false

    func take(_ id: TokenID, _ use: LoginTokenUse) async -> LoginTokenUse? {
        if let earlier = uses[id] { return earlier }
        if let first {
            haveMet = true
            first.resume()
            self.first = nil
        } else if !haveMet {
            await withCheckedContinuation { first = $0 }
        }
        uses[id] = use
        return nil
    }
}

private struct ReadThenWriteGuard: ReplayGuard {
    private let uses = Uses()

    func claim(_ id: TokenID, until expiry: Timestamp, at now: Timestamp) async -> ReplayClaim {
        let use = LoginTokenUse(at: now, sessionID: "s", address: nil, userAgentDigest: nil)
        return await uses.take(id, use) == nil ? .claimed : .claimedBefore
    }
}

private struct ReadThenWriteTokens: LoginTokenStore {
    private let uses = Uses()

    func redeem(
        _ token: IssuedLoginToken, opening session: WebSession, refreshDigest: String?, use: LoginTokenUse,
        replacing replaced: [ReplacedSession], events: [AuditEvent]
    ) async -> LoginTokenRedeemOutcome {
        await uses.take(token.id, use).map(LoginTokenRedeemOutcome.alreadyUsed) ?? .opened
    }

    func recordIssue(
        _ token: IssuedLoginToken, scope: Scope?, namedFirstBy issuer: String?, idempotency: IdempotencyRecord?,
        event: AuditEvent
    ) -> LoginTokenIssueOutcome { .recorded }

    func issuingSession(_ id: SessionID, of token: TokenID) -> (session: AppSession, scope: Scope?)? { nil }

    func idempotencyRecord(keyDigest: String, at now: Timestamp) -> IdempotencyRecord? { nil }

    func state(of id: TokenID) -> LoginTokenState? { nil }

    func revoke(_ token: IssuedLoginToken, at now: Timestamp, event: AuditEvent) -> LoginTokenRevokeOutcome { .revoked }

    func recordMiss(
        _ token: IssuedLoginToken, at now: Timestamp, limit: Int, event: AuditEvent, tells: Bool
    ) -> Int { 1 }

    func recordReplay(of id: TokenID, replay: AuditEvent, ending: Ending?, alwaysTells: Bool) -> Ended { .nothing }

    func purgeLoginTokens(expiredBefore cutoff: Timestamp, limit: Int) -> Int { 0 }
}
