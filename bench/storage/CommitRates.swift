import Bridge
import SQLStorage

/// Issues and redemptions a second on a database, by how many callers wait at a time. One caller alone is what every
/// write costs without group commit: a transaction and a disk flush of its own.
enum CommitRates {
    static func measure(_ place: String, for duration: Duration) async throws {
        let storage: any BridgeStorage =
            place.hasPrefix("postgres")
            ? try await PostgresStorage.open(try PostgresAddress(place), node: "bench", signer: UnsignedCheckpoints())
            : try SQLiteStorage.open(path: place, node: "bench", signer: UnsignedCheckpoints())
        print("callers  issue and redeem a second")
        for callers in [1, 4, 16, 64, 256] {
            let times = try await Latencies.measure(callers: callers, for: duration) { _ in
                try await redeemOne(on: storage)
            }
            print("\(Columns.right(callers, 7))  \(times.perSecond(over: duration))")
        }
        try await storage.close()
    }

    static func redeemOne(on storage: any BridgeStorage) async throws {
        let now = TimeSource.system.now()
        let id = SessionID.make(at: now, random: .system)
        let token = IssuedLoginToken(
            id: TokenID(rawValue: "t" + id.rawValue), subject: "bench", clientID: "app", issuedAt: now,
            expiresAt: now + .seconds(60))
        let issued = AuditEvent(at: now, type: .loginTokenIssued, outcome: .success)
        _ = try await storage.recordIssue(
            token, scope: nil, namedFirstBy: nil, idempotency: nil, event: issued)
        let session = WebSession(
            id: id, secretDigest: "d" + id.rawValue,
            lineage: Lineage(
                stored: "bench", opening: .loginToken, ancestry: [], parent: .none, scope: nil,
                authentication: Authentication(), expiresAt: now + .seconds(3600)),
            clientID: "web", appClientID: "app", loginTokenID: token.id, createdAt: now, idleLifetime: .seconds(600),
            lastSeenAt: now)
        let use = LoginTokenUse(at: now, sessionID: id, address: "192.0.2.1", userAgentDigest: "agent")
        let events = [AuditEventType.loginTokenRedeemed, .webSessionOpened].map {
            AuditEvent(at: now, type: $0, outcome: .success)
        }
        _ = try await storage.redeem(
            token, opening: session, refreshDigest: nil, use: use, replacing: [], events: events)
    }
}

struct UnsignedCheckpoints: AuditNoteSigning {
    var trustedKeys: [AuditVerifierKey] { [] }

    func sign(node: String, size: Int64, hash: String, at: Timestamp) -> AuditCheckpoint {
        AuditCheckpoint(node: node, size: size, at: at, hash: hash, note: "")
    }

    func signCut(
        node: String, through: Int64, hash: String, retention: Duration, isAdopted: Bool, at: Timestamp
    ) -> AuditCut {
        AuditCut(
            node: node, through: through, hash: hash, retention: retention, isAdopted: isAdopted, at: at, note: "")
    }
}
