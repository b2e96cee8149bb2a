import Bridge
import OAuth2
import StorageConformance
import Synchronization
import Testing

@testable import SQLStorage

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

    /// A role's race, and what the suite says where each of two servers has a winner of its own.
    struct Race: Sendable, CustomStringConvertible {
        let cases: [ConformanceCase<any BridgeStorage>]
        let description: String
        let failure: String

        static let all = [
            Race(
                cases: AuthorizationCodeStoreConformance.cases,
                description: "of 100 concurrent redemptions on two servers one opens a session",
                failure: "winners: found 2, wanted 1"),
            Race(
                cases: RefreshTokenStoreConformance.cases,
                description: "of 50 concurrent rotations on two servers one counts, and all learn the successor",
                failure: "winners: found 2, wanted 1"),
            Race(
                cases: DeviceSecretStoreConformance.cases,
                description:
                    "of 100 concurrent rotations one wins, one is the overlap's, and the rest end the family",
                failure: "accepted: found 4, wanted 2"),
            Race(
                cases: AuthorizationStoreConformance.cases, description: "a pushed request is used up by one of many",
                failure: "winners: found 2, wanted 1"),
            Race(
                cases: ClientStoreConformance.cases,
                description: "of 100 concurrent uses of an assertion on two servers one counts",
                failure: "winners: found 2, wanted 1"),
            Race(
                cases: PasskeyStoreConformance.cases,
                description: "of one answer sent to two servers at once one opens a session",
                failure: "opened: found 2, wanted 1"),
            Race(
                cases: SecondFactorStoreConformance.cases,
                description: "a recovery code is claimed by one of many, and goes with the factor",
                failure: "winners: found 2, wanted 1"),
        ]
    }

    @Test(arguments: Race.all)
    func `servers that decide by what they read before the race, and write later, fail`(_ race: Race) async throws {
        let rule = try #require(race.cases.first { $0.description == race.description })
        try await TemporaryDatabase.with { database in
            let first = try database.open()
            let engine = PartingEngine(of: first.engine, at: database.path)
            let second = DurableStorage(engine: engine, auditor: .sample(node: "second"), time: .system)
            let opened = Atomic(0)
            let open: @Sendable () async throws -> any BridgeStorage = {
                opened.add(1, ordering: .relaxed).newValue == 2 ? second : first
            }
            let part: @Sendable () throws -> Void = { try engine.part() }
            let failure = await #expect(throws: ConformanceFailure.self) {
                try await ConformanceRace.$willBegin.withValue(part) { try await rule.check(open) }
            }
            #expect(failure?.description == race.failure)
            try await second.close()
        }
    }
}

/// The second server's engine: on the first one's database until they part, and on a copy from then on. So neither sees
/// what the other writes, as where a store reads, decides and then writes.
private final class PartingEngine: EngineRelay {
    let dialect = SQLDialect.sqlite
    private let shared: any SQLEngine
    private let path: String
    private let copy = Mutex<(any SQLEngine)?>(nil)

    init(of shared: any SQLEngine, at path: String) {
        self.shared = shared
        self.path = path
    }

    func part() throws {
        let target = "\(path)-copy"
        try SQLiteBackup.make(of: path, at: target)
        let engine = try SQLiteEngine(path: target, lock: NodeLock(databasePath: target, node: "second"))
        copy.withLock { $0 = engine }
    }

    var engine: any SQLEngine { copy.withLock { $0 } ?? shared }

    func close() throws { try copy.withLock { $0 }?.close() }
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

    func issuingSession(_ id: SessionID, of token: TokenID) -> IssuingSessionRecord? { nil }

    func idempotencyRecord(keyDigest: String, at now: Timestamp) -> IdempotencyRecord? { nil }

    func state(of id: TokenID) -> LoginTokenState? { nil }

    func revoke(_ token: IssuedLoginToken, at now: Timestamp, event: AuditEvent) -> LoginTokenRevokeOutcome { .revoked }

    func recordMiss(
        _ token: IssuedLoginToken, at now: Timestamp, limit: Int, event: AuditEvent, tells: Bool
    ) -> Int { 1 }

    func recordReplay(of id: TokenID, replay: AuditEvent, ending: Ending?, alwaysTells: Bool) -> Ended { .nothing }

    func purgeLoginTokens(expiredBefore cutoff: Timestamp, limit: Int) -> Int { 0 }
}
