import Bridge
import BridgeTestSupport
import Foundation
import GRDB
import StorageConformance
import Testing

@testable import SQLStorage

@Suite struct SQLiteStorageTests {
    @Test func `a missing directory is named`() {
        let error = #expect(throws: SQLiteOpenError.self) {
            try SQLiteStorage.open(path: "/no/such/place/db.sqlite", node: "n", signer: UnsignedCheckpoints())
        }
        #expect(error == .directoryMissing("/no/such/place"))
    }

    @Test func `a file that is no database is refused and left alone`() async throws {
        try await TemporaryDatabase.with { database in
            let bytes = Data(String(repeating: "not a database. ", count: 500).utf8)
            try bytes.write(to: URL(fileURLWithPath: database.path))
            #expect(throws: SQLiteOpenError.notADatabase(database.path)) { try database.open() }
            #expect(try Data(contentsOf: URL(fileURLWithPath: database.path)) == bytes)
        }
    }

    @Test func `a directory in the file's place is refused`() async throws {
        try await TemporaryDatabase.with { database in
            try FileManager.default.createDirectory(atPath: database.path, withIntermediateDirectories: false)
            #expect(throws: SQLiteOpenError.self) { try database.open() }
        }
    }

    @Test func `a node's name belongs to one opener at a time`() async throws {
        try await TemporaryDatabase.with { database in
            let first = try database.open(node: "n")
            #expect(throws: SQLiteOpenError.nodeInUse("n")) { try database.open(node: "n") }
            try await first.close()
            _ = try database.open(node: "n")
        }
    }

    @Test func `a link in the place of a node's lock is not followed`() async throws {
        try await TemporaryDatabase.with { database in
            let path = "\(database.path).n.lock"
            try #require(symlink("\(database.path).elsewhere", path) == 0)
            #expect(throws: SQLiteOpenError.cannotOpen(path: path, reason: "it is a link")) {
                try NodeLock(databasePath: database.path, node: "n")
            }
            #expect(access("\(database.path).elsewhere", F_OK) != 0)
        }
    }

    @Test func `whoever only asked whether a name is held keeps nobody from it`() async throws {
        try await TemporaryDatabase.with { database in
            try NodeLock(databasePath: database.path, node: "n").release()
            let asking = open("\(database.path).n.lock", O_RDONLY | O_CLOEXEC)
            try #require(asking >= 0 && flock(asking, LOCK_SH | LOCK_NB) == 0)
            let lock = try NodeLock(databasePath: database.path, node: "n") { _ = close(asking) }
            #expect(NodeLock.isHeld(databasePath: database.path, node: "n"))
            lock.release()
        }
    }

    @Test func `a close that fails lets go of the node's name all the same`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open(node: "n")
            let engine = try #require(storage.engine as? SQLiteEngine)
            // SQLite closes no connection that still has a statement.
            let statement = try engine.onWriterNow { session in
                try #require(session as? SQLiteSession).database.makeStatement(sql: "SELECT 1")
            }
            #expect(throws: StorageError.self) { try engine.close() }
            #expect(throws: Never.self) { try NodeLock(databasePath: database.path, node: "n") }
            withExtendedLifetime(statement) {}
        }
    }

    @Test(arguments: ["", "../n", "a/b", ".hidden", "a b", String(repeating: "n", count: 65)])
    func `a node name that does not fit a file name is refused`(_ node: String) async throws {
        try await TemporaryDatabase.with { database in
            #expect(throws: SQLiteOpenError.badNodeName(node)) { try database.open(node: node) }
        }
    }

    @Test func `a reader sees what is written and writes nothing`() async throws {
        try await TemporaryDatabase.with { database in
            let server = try database.open(node: "n")
            let reader = try database.openForReading()
            try await server.append([.sample()])
            #expect(try await reader.chains().map(\.sequence) == [1])
            await #expect(throws: StorageError.self) { try await reader.append([.sample()]) }
            await #expect(throws: StorageError.self) { try await reader.checkWritable() }
            try await reader.close()
            try await server.append([.sample()])
        }
    }

    @Test func `a reader of a file that is not there creates none`() async throws {
        try await TemporaryDatabase.with { database in
            #expect(throws: SQLiteOpenError.self) { try database.openForReading() }
            #expect(!FileManager.default.fileExists(atPath: database.path))
        }
    }

    @Test func `stored values of another kind are corrupt, not guessed at`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            try storage.onWriter(
                """
                INSERT INTO web_session (id, secret_digest, subject, client_id, opening, created_at, expires_at,
                    idle_lifetime, last_seen_at) VALUES ('s', 'd', 'alice', 'web', 'by magic', 1, 2, 3, 4)
                """)
            await #expect(throws: StorageError.self) { try await storage.session(id: "s") }
            try storage.onWriter("INSERT INTO client VALUES ('c', '{\"client_id\":\"c\",\"surprise\":1}', 0, NULL)")
            await #expect(throws: StorageError.self) { try await storage.clients() }
        }
    }

    @Test func `no column and no byte of the file holds a session's secret`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let secret = OpaqueSecret.make(.webSession, random: .system)
            let now = Timestamp(milliseconds: 1_763_708_400_123)
            let session = WebSession(
                id: "s", secretDigest: secret.digest, subject: "alice", clientID: "web", appClientID: "app",
                parentID: nil, loginTokenID: "t", opening: .loginToken, authentication: Authentication(),
                createdAt: now, expiresAt: now + .seconds(60), idleLifetime: .seconds(60), lastSeenAt: now)
            let token = IssuedLoginToken(
                id: "t", subject: "alice", clientID: "app", issuedAt: now, expiresAt: now + .seconds(60))
            let use = LoginTokenUse(at: now, sessionID: "s", address: nil, userAgentDigest: nil)
            _ = try await storage.redeem(token, opening: session, use: use, replacing: [], events: [.sample()])
            #expect(try await storage.session(secretDigest: secret.digest) == session)
            try await storage.close()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: database.path))
            #expect(bytes.range(of: Data(secret.digest.utf8)) != nil)
            #expect(bytes.range(of: Data(secret.expose().utf8)) == nil)
        }
    }

    @Test func `an embedded database has no clock but the machine's`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            #expect(try await storage.databaseTime() == nil)
        }
    }
}
