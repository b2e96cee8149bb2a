import Bridge
import BridgeTestSupport
import Foundation
import Logging
import StorageConformance
import Testing

@testable import SQLStorage

/// A server that opens an embedded database under a name that it has not had there: beside one that runs it is no copy.
@Suite struct NewNameTests {
    private static let issued = IssuedLoginToken(
        id: "t", subject: "alice", clientID: "app", issuedAt: TimeSource.system.now(),
        expiresAt: TimeSource.system.now() + .seconds(60))
    private static let event = NodeLeaseTests.event

    private func open(_ path: String, as node: String) throws -> DurableStorage {
        try SQLiteStorage.open(
            path: path, node: node, signer: UnsignedCheckpoints(), markPath: "\(folder(of: path))/last-commit.\(node)",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }

    /// A server that has issued a login token.
    private func serving(_ path: String) async throws -> DurableStorage {
        let storage = try open(path, as: "main")
        _ = try await storage.recordIssue(Self.issued, scope: nil, idempotency: nil, event: Self.event)
        return storage
    }

    private func isPending(_ storage: DurableStorage) async throws -> Bool {
        try await storage.state(of: Self.issued.id)?.status == .pending
    }

    private func epoch(_ storage: DurableStorage) throws -> [[SQLValue]] {
        try storage.onWriter("SELECT number FROM restore_point").map(\.values)
    }

    @Test func `beside a server that runs a new name ends nothing`() async throws {
        try await TemporaryDatabase.with { database in
            let first = try await serving(database.path)
            let second = try open(database.path, as: "second")
            #expect(try await isPending(first))
            #expect(try epoch(second) == [[.integer(0)]])
            try await second.append([Self.event])
            try await second.close()
            // It has a note of its own from then on.
            let again = try open(database.path, as: "second")
            #expect(try epoch(again) == [[.integer(0)]])
            try await again.close()
            try await first.close()
        }
    }

    @Test func `where no server runs a new name is doubted`() async throws {
        try await TemporaryDatabase.with { database in
            try await serving(database.path).close()
            let second = try open(database.path, as: "second")
            #expect(try await !isPending(second))
            try await second.close()
        }
    }

    @Test func `a copy beside its running server's notes is doubted under a new name`() async throws {
        try await TemporaryDatabase.with { database in
            let first = try await serving(database.path)
            let copied = "\(folder(of: database.path))/copied"
            try FileManager.default.createDirectory(atPath: copied, withIntermediateDirectories: true)
            try SQLiteBackup.make(of: database.path, at: "\(copied)/drawbridge.sqlite")
            let mark = "last-commit.main"
            try FileManager.default.copyItem(
                atPath: "\(folder(of: database.path))/\(mark)", toPath: "\(copied)/\(mark)")
            let second = try open("\(copied)/drawbridge.sqlite", as: "second")
            #expect(try await !isPending(second))
            #expect(try await isPending(first))
            try await second.close()
            try await first.close()
        }
    }

    @Test func `a server whose last commit the database lacks vouches for nothing`() async throws {
        try await TemporaryDatabase.with { database in
            let first = try await serving(database.path)
            let copy = "\(database.path).copy"
            try SQLiteBackup.make(of: database.path, at: copy)
            try await first.append([Self.event])
            // Beneath the server that goes on with the file of before.
            try SQLiteBackup.replace(database.path, with: copy, keeping: "\(database.path).kept")
            let second = try open(database.path, as: "second")
            #expect(try epoch(second) == [[.integer(1)]])
            #expect(try await !isPending(second))
            try await second.close()
            try? await first.close()
        }
    }

    @Test func `the nodes that write to a file are those whose names are held`() async throws {
        try await TemporaryDatabase.with { database in
            func living(besides node: String) -> [String] {
                SQLiteStorage.livingNodes(of: database.path, besides: node)
            }
            let first = try await serving(database.path)
            let second = try open(database.path, as: "second")
            #expect(living(besides: "main-cli") == ["main", "second"])
            #expect(living(besides: "main") == ["second"])
            try await second.close()
            #expect(living(besides: "main-cli") == ["main"])
            try await first.close()
            #expect(living(besides: "main-cli") == [])
        }
    }

    @Test func `whoever finds a name taken is offered no other one`() async throws {
        try await TemporaryDatabase.with { database in
            let first = try await serving(database.path)
            let error = #expect(throws: SQLiteOpenError.self) { try open(database.path, as: "main") }
            #expect(error?.description.hasSuffix("as the node \"main\"; stop it first") == true)
            try await first.close()
        }
    }
}
