import Bridge
import BridgeTestSupport
import Foundation
import Synchronization
import Testing

@testable import SQLStorage

/// A database file of its own for one test, and every handle that the test opened on it.
final class TemporaryDatabase: Sendable {
    let path: String
    private let directory: URL
    private let opened = Mutex<[DurableStorage]>([])

    private init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("sqlstorage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        path = directory.appendingPathComponent("drawbridge.sqlite").path
    }

    /// Runs `body` with an empty file and takes everything away afterwards.
    static func with(_ body: (TemporaryDatabase) async throws -> Void) async throws {
        let database = try TemporaryDatabase()
        let result: Result<Void, any Error>
        do { result = .success(try await body(database)) } catch { result = .failure(error) }
        // Closing twice fails, and a test may have closed its handles itself.
        for storage in database.opened.withLock({ $0 }) { try? await storage.close() }
        try FileManager.default.removeItem(at: database.directory)
        try result.get()
    }

    /// Another handle, under a node name of its own unless one is given.
    func open(
        node: String? = nil, signer: any AuditNoteSigning = UnsignedCheckpoints(),
        outlet: any AuditNoteOutlet = NoAuditNoteOutlet(), time: TimeSource = .system
    ) throws -> DurableStorage {
        let number = opened.withLock { $0.count }
        let storage = try SQLiteStorage.open(
            path: path, node: node ?? "node-\(number)", signer: signer, outlet: outlet, time: time)
        opened.withLock { $0.append(storage) }
        return storage
    }

    func openForReading() throws -> DurableStorage {
        let storage = try SQLiteStorage.openForReading(path: path)
        opened.withLock { $0.append(storage) }
        return storage
    }
}

extension DurableStorage {
    /// Runs one statement on the writer, as an operator's tool or a fault would.
    @discardableResult
    func onWriter(_ statement: SQLStatement) throws -> [SQLRow] {
        try #require(engine as? SQLiteEngine).onWriterNow { try $0.run(statement) }
    }
}

extension AuditEvent {
    static func sample(_ type: AuditEventType = .nodeStarted, reason: String? = nil) -> AuditEvent {
        AuditEvent(at: Timestamp(milliseconds: 1_763_708_400_123), type: type, outcome: .success, reason: reason)
    }
}
