import Bridge
import Foundation
import SQLStorage
import Synchronization

// Redemptions a second on a database, by how many callers wait at a time. One caller alone is what every write costs
// without group commit: a transaction and a disk flush of its own.

struct UnsignedCheckpoints: AuditCheckpointSigning {
    func sign(node: String, size: Int64, hash: String, at: Timestamp) -> AuditCheckpoint {
        AuditCheckpoint(node: node, size: size, at: at, hash: hash, note: "")
    }
}

/// Redeems tokens, each once, for as long as `duration`.
func redeem(on storage: any BridgeStorage, callers: Int, for duration: Duration) async throws -> Int {
    let end = ContinuousClock.now + duration
    return try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<callers {
            group.addTask {
                var count = 0
                while .now < end {
                    try await redeemOne(on: storage)
                    count += 1
                }
                return count
            }
        }
        return try await group.reduce(0, +)
    }
}

func redeemOne(on storage: any BridgeStorage) async throws {
    let now = TimeSource.system.now()
    let id = SessionID.make(at: now, random: .system)
    let token = IssuedLoginToken(
        id: TokenID(rawValue: "t" + id.rawValue), subject: "bench", clientID: "app", issuedAt: now,
        expiresAt: now + .seconds(60))
    let issued = AuditEvent(at: now, type: .loginTokenIssued, outcome: .success)
    _ = try await storage.recordIssue(token, idempotency: nil, event: issued)
    let session = WebSession(
        id: id, secretDigest: "d" + id.rawValue, subject: "bench", clientID: "web", appClientID: "app", parentID: nil,
        loginTokenID: token.id, opening: .loginToken, authentication: Authentication(), createdAt: now,
        expiresAt: now + .seconds(3600), idleLifetime: .seconds(600), lastSeenAt: now)
    let use = LoginTokenUse(at: now, sessionID: id, address: "192.0.2.1", userAgentDigest: "agent")
    let events = [AuditEventType.loginTokenRedeemed, .webSessionOpened].map {
        AuditEvent(at: now, type: $0, outcome: .success)
    }
    _ = try await storage.redeem(token, opening: session, use: use, replacing: nil, events: events)
}

guard let place = CommandLine.arguments.dropFirst().first else {
    print("usage: bench-storage postgres://… | FILE.sqlite [SECONDS]")
    exit(64)
}
let seconds = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 3
let storage: any BridgeStorage =
    place.hasPrefix("postgres")
    ? try await PostgresStorage.open(try PostgresAddress(place), node: "bench", signer: UnsignedCheckpoints())
    : try SQLiteStorage.open(path: place, node: "bench", signer: UnsignedCheckpoints())
print("callers  issue and redeem a second")
for callers in [1, 4, 16, 64, 256] {
    let count = try await redeem(on: storage, callers: callers, for: .seconds(seconds))
    let rate = String(count / seconds)
    print("\(String(repeating: " ", count: 7 - String(callers).count))\(callers)  \(rate)")
}
try await storage.close()
