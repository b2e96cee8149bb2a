import Bridge
import Foundation
import Synchronization
import Testing

@testable import SQLStorage

/// A clock that a test sets.
final class SetClock: Sendable {
    private let instant = Mutex(Timestamp(milliseconds: 1_763_708_400_000))

    var now: Timestamp { instant.withLock { $0 } }
    var source: TimeSource { TimeSource { [self] in now } }
    func advance(_ duration: Duration) { instant.withLock { $0 = $0 + duration } }
}

/// An empty database of one engine, which a test also writes to as a thief of its password would.
struct AuditStore: Sendable {
    enum Engine: String, CaseIterable, Sendable { case sqlite, postgres }

    let engine: Engine
    let key: AuditSigningKey
    let clock: SetClock
    private let opening: @Sendable (_ node: String, _ key: AuditSigningKey) async throws -> DurableStorage
    private let running: @Sendable (SQLStatement) throws -> [SQLRow]

    static let engines = Engine.allCases.filter { $0 == .sqlite || PostgresServer.isWanted }

    static func with(_ engine: Engine, _ body: (AuditStore) async throws -> Void) async throws {
        let key = try AuditSigningKey.generate(name: "localhost/test")
        let clock = SetClock()
        switch engine {
        case .sqlite:
            try await TemporaryDatabase.with { database in
                let tool = try database.open(node: "tool")
                try await body(
                    AuditStore(
                        engine: engine, key: key, clock: clock,
                        opening: { try database.open(node: $0, signer: $1, time: clock.source) },
                        running: { try tool.onWriter($0) }))
            }
        case .postgres:
            try await PostgresDatabase.with { database in
                _ = try await database.open(node: "tool")
                let session = Mutex(PostgresBox(session: try database.session()))
                try await body(
                    AuditStore(
                        engine: engine, key: key, clock: clock,
                        opening: { try await database.open(node: $0, readers: 1, signer: $1, time: clock.source) },
                        running: { statement in try session.withLock { try $0.session.run(statement, []) } }))
            }
        }
    }

    /// - Parameter other: a key that has taken the place of ``key``.
    func open(_ node: String, signedBy other: AuditSigningKey? = nil) async throws -> DurableStorage {
        try await opening(node, other ?? key)
    }

    @discardableResult
    func run(_ statement: SQLStatement) throws -> [SQLRow] { try running(statement) }

    /// A node's part of a life: some events and the checkpoint of a clean stop.
    func live(_ node: String, events: Int, signedBy other: AuditSigningKey? = nil) async throws {
        let storage = try await open(node, signedBy: other)
        try await storage.append((0..<events).map { Self.event($0, at: clock.now) })
        try await storage.close()
    }

    /// An event that has something in every column.
    static func event(_ number: Int, at now: Timestamp) -> AuditEvent {
        AuditEvent(
            at: now + .milliseconds(number), type: .loginTokenRedeemed, outcome: .success, reason: "r\(number)",
            subject: "alice", clientID: "app", targetClientID: "web", sessionID: SessionID(rawValue: "s\(number)"),
            tokenID: TokenID(rawValue: "t\(number)"),
            origin: RequestOrigin(address: NetworkAddress("192.0.2.1"), userAgent: "Agent/1", requestID: "q\(number)"),
            detail: #"{"length":7}"#)
    }

    func verify(_ storage: DurableStorage, least: Duration? = nil) async throws -> AuditVerificationReport {
        try await AuditReview(storage).verify(
            AuditVerificationTerms(trusting: [key.verifierKey], leastRetention: least))
    }
}

private struct PostgresBox: @unchecked Sendable {
    let session: PostgresSession
}
