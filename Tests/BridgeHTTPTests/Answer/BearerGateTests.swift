import Bridge
import OAuth2
import SQLStorage
import Testing

@testable import BridgeHTTP

/// What refused bearers leave in the audit log (contract §12).
@Suite struct BearerGateTests {
    /// A gate that lets a network's refused bearers be told of three times a minute.
    private static func gate(_ bridge: TestBridge) throws -> BearerGate {
        var limits = LimitSettings()
        limits.refusedBearerPerNetwork = TokenBucket(perMinute: 3)
        let clock = bridge.clock
        return BearerGate(
            authenticator: TestBearers(), constraint: SenderConstraint(proofs: nil),
            clients: Reloadable(try TestClients.directory()), limiter: InProcessRateLimiter(clock: .parameter),
            limits: limits,
            refusals: RefusalLog(audit: bridge.storage, limiter: InProcessRateLimiter(clock: .parameter)),
            time: TimeSource { clock.now })
    }

    private static func claims(at now: Timestamp) -> AccessTokenClaims {
        AccessTokenClaims(
            subject: "alice", audience: [TestBridge.publicOrigin], clientID: "app", scope: Scope(tokens: ["profile"]),
            id: TokenID(rawValue: "t"), sessionID: SessionID(rawValue: "s"), authentication: Authentication(),
            issuedAt: now, expiresAt: now + .seconds(900))
    }

    @Test func `attack: bearers that anybody can make up hide no refusal that names a user`() async throws {
        try await TestBridge.run { bridge, _ in
            let gate = try Self.gate(bridge)
            let now = bridge.clock.now
            let origin = RequestOrigin(address: NetworkAddress("203.0.113.7"), userAgent: nil, requestID: "r")
            for _ in 0..<10 { try await gate.record("bad_signature", origin: origin) }
            try await gate.record("insufficient_scope", of: Self.claims(at: now), origin: origin)
            let bob = try await TestBearers().authenticate(Secret("bob.app"), at: now)
            try await gate.record("subject_disabled", of: bob, origin: origin)
            let told = try await bridge.storage.search(AuditFilter(type: .bearerRefused), before: nil, limit: 50)
                .records.reversed().map(\.event)
            let junk = [String](repeating: "bad_signature", count: 3)
            #expect(told.compactMap(\.reason) == junk + ["insufficient_scope", "subject_disabled"])
            let subjects: [Subject?] = [nil, nil, nil, "alice", "bob"]
            #expect(told.map(\.subject) == subjects)
        }
    }

    @Test func `attack: a good bearer that comes again and again hides no refusal of another user`() async throws {
        try await TestBridge.run { bridge, _ in
            let gate = try Self.gate(bridge)
            let now = bridge.clock.now
            let origin = RequestOrigin(address: NetworkAddress("203.0.113.7"), userAgent: nil, requestID: "r")
            let bob = try await TestBearers().authenticate(Secret("bob.app"), at: now)
            for _ in 0..<100 { try await gate.record("subject_disabled", of: bob, origin: origin) }
            let alice = try await TestBearers().authenticate(Secret("alice.app"), at: now)
            try await gate.record("subject_disabled", of: alice, origin: origin)
            let told = try await bridge.storage.search(AuditFilter(type: .bearerRefused), before: nil, limit: 50)
                .records.reversed().map(\.event.subject)
            let subjects: [Subject?] = ["bob", "bob", "bob", "alice"]
            #expect(told == subjects)
        }
    }
}
