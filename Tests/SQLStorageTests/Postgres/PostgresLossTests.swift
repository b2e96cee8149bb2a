import Bridge
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import SQLStorage

/// What is lost when the server, a connection or a transaction is: nothing that was acknowledged, and nothing twice.
@Suite(.enabled(if: PostgresServer.isWanted, "PostgreSQL is not installed"))
struct PostgresLossTests {
    @Test(arguments: ["fast", "immediate"])
    func `a restart under load loses nothing acknowledged, and the storage recovers by itself`(
        mode: String
    ) async throws {
        let server = try await PostgresServer.start()
        try await PostgresDatabase.with(on: server) { database in
            let storages = [try await database.open(), try await database.open()]
            let load = Load(storages)
            async let restarted: Void = Self.restart(server, mode, under: load)
            try await load.run(workers: 8)
            try await restarted
            let outcome = load.outcome
            #expect(outcome.wrongErrors == [])
            #expect(outcome.isRecovered)
            // That may have been one of the two; the other asks again after a second at most.
            for storage in storages { try await database.retrying { _ = try await storage.chains() } }
            for id in outcome.acknowledged {
                let session = try await storages[0].session(id: SessionID(rawValue: "session-\(id)"))
                #expect(session != nil, "\(id) was acknowledged")
            }
            for chain in try await storages[0].chains() { try await storages[1].expectIntactChain(of: chain.node) }
        }
        await server.end()
    }

    @Test func `a connection cut in the middle of a transaction costs its callers nothing`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "cut")
            try await storage.append([.sample(reason: "before")])
            let attempts = Mutex(0)
            try await storage.write { transaction in
                try transaction.record(.sample(reason: "cut"))
                _ = try transaction.run("SELECT 1")
                let isFirst = attempts.withLock { attempts in
                    attempts += 1
                    return attempts == 1
                }
                if isFirst { try database.cutWriter(of: "cut") }
                _ = try transaction.run("SELECT 2")
            }
            #expect(attempts.withLock { $0 } == 2)
            try await storage.append([.sample(reason: "after")])
            #expect(try await storage.reasons(of: "cut") == ["before", "cut", "after"])
        }
    }

    @Test func `a connection that was cut while nobody used it is not noticed by anyone`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "idle", readers: 1)
            try await storage.append([.sample()])
            #expect(try await storage.chains().count == 1)
            _ = try database.server.administrator().run(
                """
                SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
                WHERE application_name = 'drawbridge reader'
                """)
            try database.cutWriter(of: "idle")
            #expect(try await storage.chains().map(\.sequence) == [1])
            try await storage.append([.sample()])
            #expect(try await storage.chains().map(\.sequence) == [2])
        }
    }

    @Test func `a look of several statements whose connection is cut amid them is made again`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "cut", readers: 1)
            let attempts = Mutex(0)
            let count = try await storage.look { session in
                let isFirst = attempts.withLock { attempts in
                    attempts += 1
                    return attempts == 1
                }
                let hangUp: SQLStatement = "SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(5)"
                let calls: [SQLCall] =
                    [SQLCall("SELECT 1")] + (isFirst ? [SQLCall(hangUp)] : []) + [SQLCall("SELECT 2")]
                return try session.runAll(calls).count
            }
            #expect(count == 2)
            #expect(attempts.withLock { $0 } == 2)
        }
    }

    @Test func `a commit whose outcome is unknown is reported and not tried again`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "torn")
            try await storage.append([.sample(reason: "before")])
            try database.hangUpAtCommit(ofRowsIn: "app_user")
            let attempts = Mutex(0)
            let error = await #expect(throws: StorageError.self) {
                try await storage.write { transaction in
                    attempts.withLock { $0 += 1 }
                    try transaction.record(.sample(reason: "torn"))
                    try transaction.run("INSERT INTO app_user (subject, issuer, first_seen_at) VALUES ('a', 'i', 1)")
                }
            }
            guard case .undecided(let text) = error else {
                Issue.record("wanted undecided, got \(String(reflecting: error))")
                return
            }
            #expect(text.contains("may have been made or not"))
            #expect(attempts.withLock { $0 } == 1)
            try await storage.append([.sample(reason: "after")])
            #expect(try await storage.reasons(of: "torn") == ["before", "after"])
        }
    }

    @Test func `a statement that takes too long is given up, and the next write goes through`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "owner")
            let writer = database.impatientWriter(node: "slow")
            await #expect(throws: StorageError.self) {
                try await writer.write { _ = try $0.run("SELECT pg_sleep(30)") }
            }
            try await writer.write { try $0.record(.sample(reason: "after")) }
            #expect(try await storage.reasons(of: "slow") == ["after"])
        }
    }

    @Test func `a server that freezes is given up, and the next write after it goes through`() async throws {
        try await PostgresDatabase.with { database in
            let storage = try await database.open(node: "owner")
            let writer = database.impatientWriter(node: "frozen")
            let backend = try #require(
                try await writer.write { try $0.run("SELECT pg_backend_pid()") }.first?.integer(0))
            kill(pid_t(backend), SIGSTOP)
            await #expect(throws: StorageError.self) { try await writer.write { try $0.record(.sample()) } }
            kill(pid_t(backend), SIGCONT)
            // The frozen connection held the node's name; it wakes up to find its other end gone.
            try await database.retrying { try await writer.write { try $0.record(.sample(reason: "after")) } }
            #expect(try await storage.reasons(of: "frozen") == ["after"])
        }
    }

    private static func restart(_ server: PostgresServer, _ mode: String, under load: Load) async throws {
        await load.reached(50)
        try await server.restart(mode)
        load.noteRestart()
    }
}

/// Redemptions that go on until the storage has answered again after a restart.
final class Load: Sendable {
    struct Outcome {
        var acknowledged: [String] = []
        var wrongErrors: [String] = []
        var afterRestart: Int?
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var isRecovered: Bool { afterRestart.map { acknowledged.count >= $0 + 100 } ?? false }
    }

    private let storages: [DurableStorage]
    private let state = Mutex(Outcome())

    /// What a client waits before it tries again: far less than our Retry-After says.
    private static let pause = Duration.milliseconds(5)
    /// Past this the storage has not recovered by itself.
    private static let limit = Duration.seconds(90)

    init(_ storages: [DurableStorage]) { self.storages = storages }

    var outcome: Outcome { state.withLock { $0 } }

    func noteRestart() { state.withLock { $0.afterRestart = $0.acknowledged.count } }

    /// Waits until so many redemptions are acknowledged.
    func reached(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                guard state.acknowledged.count < count else { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    func run(workers: Int) async throws {
        let end = ContinuousClock.now + Self.limit
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    var number = 0
                    while !self.outcome.isRecovered, .now < end {
                        number += 1
                        try await self.redeem("\(worker)-\(number)", on: self.storages[worker % self.storages.count])
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func redeem(_ name: String, on storage: DurableStorage) async throws {
        do {
            guard try await storage.redeemSample(name) == .opened else { return note(wrong: "\(name) was used before") }
            noteAcknowledged(name)
        } catch StorageError.unavailable, StorageError.undecided {
            try await Task.sleep(for: Self.pause)
        } catch {
            note(wrong: "\(String(reflecting: error))")
        }
    }

    private func note(wrong: String) { state.withLock { $0.wrongErrors.append(wrong) } }

    private func noteAcknowledged(_ name: String) {
        let reached = state.withLock { state in
            state.acknowledged.append(name)
            let count = state.acknowledged.count
            let reached = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return reached.map(\.continuation)
        }
        for continuation in reached { continuation.resume() }
    }
}
