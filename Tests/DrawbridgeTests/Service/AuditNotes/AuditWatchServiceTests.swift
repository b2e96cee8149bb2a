import Bridge
import BridgeHTTP
import Foundation
import Synchronization
import Testing

@testable import SQLStorage
@testable import drawbridge

/// A node's start with a database that somebody else has written to.
@Suite struct AuditWatchServiceTests {
    private let folder: TemporaryFolder
    private let key: AuditSigningKey
    private let watch = AuditWatch()
    private let metrics = PrometheusMetrics()
    private let lines = JSONLogLines()

    init() throws {
        folder = try TemporaryFolder()
        key = try AuditSigningKey.generate(name: "localhost/test")
    }

    private var file: AuditNoteFile { AuditNoteFile(besideSigningKey: "\(folder.path)/key") }
    private var path: String { "\(folder.path)/drawbridge.sqlite" }

    private func open(_ node: String, keeping: Bool = true) throws -> DurableStorage {
        let keeper = AuditNoteKeeper(file: file, watch: watch, logger: JSONLogLines().logger)
        return try SQLiteStorage.open(
            path: path, node: node, signer: key, outlet: keeping ? keeper : NoAuditNoteOutlet())
    }

    private func live(_ node: String, events: Int, keeping: Bool = true) async throws {
        let storage = try open(node, keeping: keeping)
        try await storage.append(
            (0..<events).map { _ in AuditEvent(at: Timestamp(seconds: 1), type: .nodeStarted, outcome: .success) })
        try await storage.close()
    }

    private func service(
        _ storage: any BridgeStorage, retention: Duration? = nil, endSize: Int? = nil
    ) -> AuditWatchService {
        var file = file
        if let endSize { file.endSize = endSize }
        return AuditWatchService(
            storage: storage, file: file, keys: [key.verifierKey], watch: watch, retention: retention,
            clock: DatabaseClock(of: storage, time: .system, logger: lines.logger), metrics: metrics, time: .system,
            logger: lines.logger)
    }

    private func copy(_ name: String, from source: String, to target: String) throws {
        for ending in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: "\(target)\(ending)")
            guard FileManager.default.fileExists(atPath: "\(source)\(ending)") else { continue }
            try FileManager.default.copyItem(atPath: "\(source)\(ending)", toPath: "\(target)\(ending)")
        }
    }

    @Test func `a database that extends its notes is looked at in silence`() async throws {
        try await live("n", events: 3)
        let storage = try open("n")
        await service(storage).begin()
        #expect(try await degraded(watch) == [])
        #expect(lines.count(of: "error") == 0)
        try await storage.close()
    }

    @Test func `notes that cannot be read are told, and do not pass for a log that was found good`() async throws {
        try await live("n", events: 3, keeping: false)
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        let storage = try open("n", keeping: false)
        let service = service(storage)
        await service.begin()
        #expect(try await degraded(watch) == ["audit_checkpoints"])
        #expect(metrics.exposition().contains(#"drawbridge_degraded{part="audit_checkpoints"} 1"#))
        #expect(lines.count(of: "could not compare the audit log with its checkpoints") == 1)
        #expect(throws: StorageError.self, "a verification without them would say less than it seems to") {
            _ = try service.terms()
        }
        try FileManager.default.removeItem(atPath: file.path)
        await service.look()
        #expect(try await degraded(watch) == [])
        try await storage.close()
    }

    @Test func `the end of a long file of notes is compared before anything is served, the rest later`()
        async throws
    {
        for _ in 0..<3 { try await live("n", events: 3) }
        let storage = try open("n")
        // What the second note tells of is gone, and what the third does is there.
        try #require(storage.engine as? SQLiteEngine).onWriterNow { session in
            _ = try session.run("UPDATE audit_event SET hash = previous_hash WHERE sequence = 6")
        }
        let service = service(storage, endSize: 600)
        #expect(try service.file.readEnd().notes.map(\.sequence) == [9])
        await service.begin()
        #expect(try await degraded(watch) == [])
        await service.look()
        #expect(try await degraded(watch) == ["audit_log"])
        #expect(lines.count(of: #""id":"n-6","kind":"checkpoint_mismatch""#) == 1)
        try await storage.close()
    }

    @Test func `a database restored to an earlier state is told loudly, and again when it is accepted`() async throws {
        try await rewound()
        let storage = try open("n")
        let service = service(storage)
        await service.begin()
        #expect(try await degraded(watch) == ["audit_log"])
        #expect(lines.count(of: "the audit log contradicts what was signed about it") == 1)
        #expect(lines.count(of: #""id":"n-4","kind":"truncated""#) == 1)
        #expect(metrics.exposition().contains("drawbridge_audit_log_problems 1"))
        let found = try await storage.search(AuditFilter(type: .auditContradicted), before: nil, limit: 10).records
        #expect(found.map(\.event.reason) == ["truncated"])
        #expect(found.map(\.event.detail) == [#"{"count":1,"id":"n-4","problems":["n-4 truncated"]}"#])
        // Nothing new is found: nothing new is said.
        await service.look()
        #expect(lines.count(of: "contradicts what was signed") == 1)
        // What accepting does to the file.
        _ = try file.setAside(at: Timestamp(seconds: 1))
        await service.look()
        #expect(try await degraded(watch) == [])
        #expect(lines.count(of: "no longer contradicts") == 1)
        #expect(metrics.exposition().contains("drawbridge_audit_log_problems 0"))
        try await storage.close()
    }

    /// A database that was restored to the state before its second life.
    private func rewound() async throws {
        try await live("n", events: 3)
        try copy("backup", from: path, to: "\(path).backup")
        try await live("n", events: 3)
        try copy("restore", from: "\(path).backup", to: path)
    }

    @Test func `a contradiction that could not be written down is told at the next look`() async throws {
        try await rewound()
        // Whoever may only read writes no event.
        let reader = try SQLiteStorage.openForReading(path: path)
        await service(reader).look()
        #expect(try await degraded(watch) == ["audit_log"], "it was compared, so nothing is wrong with the notes")
        #expect(lines.count(of: "could not compare the audit log") == 0)
        #expect(lines.count(of: "could not write down that the audit log contradicts its checkpoints") == 1)
        try await reader.close()
        let storage = try open("n")
        for _ in 0..<2 { await service(storage).look() }
        let found = try await storage.search(AuditFilter(type: .auditContradicted), before: nil, limit: 10).records
        #expect(found.map(\.event.reason) == ["truncated"])
        try await storage.close()
    }

    @Test func `looks at the same time write one event of what they find`() async throws {
        try await rewound()
        let storage = try open("n")
        let service = service(storage)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await service.look() } }
        }
        let found = try await storage.search(AuditFilter(type: .auditContradicted), before: nil, limit: 10).records
        #expect(found.map(\.event.reason) == ["truncated"])
        #expect(lines.count(of: "contradicts what was signed") == 1)
        try await storage.close()
    }

    @Test func `what is accepted is in the log before anything is set aside`() async throws {
        try await rewound()
        let storage = try open("n-cli")
        let acceptance = acceptance(storage)
        // In the way of the name that the file is to have.
        let name = "\(file.path).accepted-1970-01-01T000000.000Z"
        try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false)
        await #expect(throws: PrivateFileError.self) { try await acceptance.run(saying: "the disk") }
        #expect(try file.read().notes.isEmpty == false)
        let found = try await storage.search(AuditFilter(type: .auditAccepted), before: nil, limit: 10).records
        #expect(
            found.map(\.event.detail) == [
                #"{"actor":"login:root","count":1,"id":"n-4","problems":["n-4 truncated"],"said":"the disk"}"#
            ])
        try await storage.close()
    }

    private func acceptance(
        _ storage: any BridgeStorage, seekingLostCheckpoints seeksLost: Bool = false
    ) -> AuditAcceptance {
        let location = StorageLocation(
            databasePath: path, database: nil, signingKeyPath: "\(folder.path)/key", keyName: "localhost/test",
            masterKeyPath: "", loginTokenKeysPath: "", retiredKeysPath: "", siteName: "", node: "n")
        return AuditAcceptance(
            storage: storage, location: location, keys: [key.verifierKey],
            action: AdminAction(actor: .login("root"), origin: nil, at: Timestamp(milliseconds: 0)),
            seeksLostCheckpoints: seeksLost)
    }

    @Test func `checkpoints that only a verification misses are accepted by what that one verification says`()
        async throws
    {
        for _ in 0..<3 { try await live("n", events: 3) }
        let storage = try open("n-cli")
        try await run("DELETE FROM audit_checkpoint", in: storage)
        let ended = Mutex(0)
        let streams = StandardStreams(
            output: { _ in },
            // How a verification takes its progress away.
            errors: { text in if text == "\r\u{1B}[K" { ended.withLock { $0 += 1 } } },
            line: { nil }, rest: { Data() }, isTerminal: { false }, isWatched: { true }, isOutputSeen: { false })
        try await StandardStreams.$current.withValue(streams) {
            try await acceptance(storage, seekingLostCheckpoints: true).run(saying: "the disk")
        }
        let verifications = ended.withLock { $0 }
        #expect(verifications == 1)
        let found = try await storage.search(AuditFilter(type: .auditAccepted), before: nil, limit: 10).records
        #expect(found.map(\.event.reason) == ["checkpoint_missing"])
        try await storage.close()
    }

    /// With the checkpoints over it, so that nothing in the database shows it.
    private func removeEnd(_ storage: DurableStorage, after sequence: Int64) async throws {
        for rows in ["audit_event WHERE sequence", "audit_checkpoint WHERE size"] {
            try await run("DELETE FROM \(rows) > \(sequence) AND node = 'n'", in: storage)
        }
    }

    private func run(_ text: String, in storage: DurableStorage) async throws {
        try await storage.write { _ = try $0.run(SQLStatement(text)) }
    }

    @Test func `an end that goes after a beginning did is told, in an event of its own`() async throws {
        for _ in 0..<3 { try await live("n", events: 3) }
        let storage = try open("m")
        try await run("DELETE FROM audit_event WHERE node = 'n' AND sequence <= 3", in: storage)
        let service = service(storage)
        await service.begin()
        #expect(lines.count(of: #""id":"n-1","kind":"missing""#) == 1)
        #expect(metrics.exposition().contains("drawbridge_audit_log_problems 1"))
        try await removeEnd(storage, after: 6)
        for _ in 0..<2 { await service.look() }
        #expect(lines.count(of: "contradicts what was signed") == 2)
        #expect(lines.count(of: #""id":"n-7","kind":"truncated""#) == 1)
        #expect(metrics.exposition().contains("drawbridge_audit_log_problems 2"))
        let found = try await storage.search(AuditFilter(type: .auditContradicted), before: nil, limit: 10).records
        #expect(
            found.map(\.event.detail) == [
                #"{"count":1,"id":"n-7","problems":["n-7 truncated"]}"#,
                #"{"count":1,"id":"n-1","problems":["n-1 missing"]}"#,
            ])
        try await storage.close()
    }

    @Test func `accepting names everything that a verification beside the notes finds`() async throws {
        for _ in 0..<3 { try await live("n", events: 3) }
        let other = try key.sign(node: "n", size: 9, hash: AuditRecord.genesis, at: Timestamp(seconds: 1))
        try file.append([.checkpoint(other)])
        let storage = try open("n-cli")
        try await run("DELETE FROM audit_event WHERE node = 'n' AND sequence <= 3", in: storage)
        try await run("UPDATE audit_event SET reason = 'x' WHERE node = 'n' AND sequence = 5", in: storage)
        try await removeEnd(storage, after: 6)
        let output = Mutex("")
        let streams = StandardStreams(
            output: { bytes in output.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }, errors: { _ in },
            line: { nil }, rest: { Data() }, isTerminal: { false }, isWatched: { false }, isOutputSeen: { false })
        try await StandardStreams.$current.withValue(streams) {
            try await acceptance(storage).run(saying: "the disk")
        }
        let said = output.withLock { $0 }.split(separator: "\n").prefix(4).map(String.init)
        #expect(
            said == [
                "n-1: missing", "The audit log ends before n-7: what was written from there on is gone.",
                "n-9: checkpoint_mismatch", "n-5: edited",
            ])
        let found = try await storage.search(AuditFilter(type: .auditAccepted), before: nil, limit: 10).records
        #expect(found.map(\.event.reason) == ["missing"])
        let names = #"["n-1 missing","n-7 truncated","n-9 checkpoint_mismatch","n-5 edited"]"#
        #expect(
            found.map(\.event.detail) == [
                #"{"actor":"login:root","count":4,"id":"n-1","problems":\#(names),"said":"the disk"}"#
            ])
        try await storage.close()
    }

    @Test func `a node that comes from a version without the file begins one with what the database has`() async throws
    {
        try await live("n", events: 3, keeping: false)
        try await live("m", events: 2, keeping: false)
        #expect(!file.exists)
        let storage = try open("n", keeping: false)
        await service(storage).begin()
        #expect(try file.read().notes.map { "\($0.node)-\($0.sequence)" } == ["m-2", "n-3"])
        #expect(try await degraded(watch) == [])
        try await storage.close()
    }

    @Test func `a beginning that is gone without a signature is told until it is accepted`() async throws {
        try await live("n", events: 3)
        try await live("n", events: 3)
        let thief = try open("thief", keeping: false)
        try await thief.write { _ = try $0.run("DELETE FROM audit_event WHERE sequence <= 3") }
        try await thief.close()
        let storage = try open("m")
        let service = service(storage, retention: .seconds(86_400))
        await service.begin()
        #expect(try await degraded(watch) == ["audit_log"])
        #expect(try await storage.adoptCuts(olderThan: nil, at: TimeSource.system.now()).map(\.through) == [3])
        await service.look()
        #expect(try await degraded(watch) == [])
        try await storage.close()
    }
}
