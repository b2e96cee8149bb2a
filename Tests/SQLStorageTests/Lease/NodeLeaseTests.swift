import Bridge
import BridgeTestSupport
import Foundation
import Logging
import StorageConformance
import Testing

@testable import SQLStorage

@Suite struct NodeLeaseTests {
    @Test func `a writer asks in each batch whether the node is still its own`() async throws {
        try await TemporaryDatabase.with { database in
            let first = try database.open(node: "n")
            try await first.append([Self.event])
            // As a process does whose lock of the file was taken away.
            try FileManager.default.removeItem(atPath: "\(database.path).n.lock")
            let second = try database.open(node: "n")
            try await second.append([Self.event])
            await #expect(throws: StorageError.self) { try await first.append([Self.event]) }
            await #expect(throws: StorageError.self) { try await first.checkWritable() }
            #expect(!first.nodeStanding.isHeld)
            #expect(second.nodeStanding == NodeStanding(isHeld: true, epoch: 2))
            try await second.append([Self.event])
            let rows = try second.onWriter("SELECT sequence FROM audit_event WHERE node = 'n' ORDER BY sequence")
            #expect(rows.map(\.values) == [[.integer(1)], [.integer(2)], [.integer(3)]])
        }
    }

    @Test func `this process has not ended, and one with its number of another time has`() throws {
        let own = LeaseHolder()
        #expect(!own.hasEnded)
        var parts = own.text.split(separator: " ").map(String.init)
        parts[3] = "1"
        #expect(LeaseHolder(text: parts.joined(separator: " ")).hasEnded)
        parts[0] = "another-run-of-the-kernel"
        #expect(!LeaseHolder(text: parts.joined(separator: " ")).hasEnded, "of another machine nothing is known")
        #expect(!LeaseHolder(text: "").hasEnded)
    }

    @Test func `file systems of a network are told by their kind`() {
        let mounts = """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            40 22 0:35 / /srv rw shared:2 - nfs4 server:/export rw,vers=4.2
            41 22 0:36 / /run rw shared:3 master:4 - tmpfs tmpfs rw
            """
        func device(_ major: UInt64, _ minor: UInt64) -> dev_t { dev_t(major << 8 | minor) }
        #expect(FileLockTrial.network(ofDevice: device(0, 35), in: mounts) == "nfs4")
        #expect(FileLockTrial.network(ofDevice: device(8, 1), in: mounts) == nil)
        #expect(FileLockTrial.network(ofDevice: device(0, 36), in: mounts) == nil)
        #expect(FileLockTrial.network(ofDevice: device(0, 99), in: mounts) == nil)
    }

    static let event = AuditEvent(at: Timestamp(milliseconds: 1), type: .nodeStarted, outcome: .success)
}

@Suite struct CommitMarkTests {
    private static func with(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appendingPathComponent("last-commit.n").path)
    }

    private static let commit = SeenCommit(sequence: 7, hash: String(repeating: "h", count: 43), transaction: 9)

    @Test func `what was noted last is found, after a stop and without one`() throws {
        try Self.with { path in
            #expect(try CommitMark(path: path).found == .missing)
            for count in 1...5 {
                var commit = Self.commit
                commit.sequence = Int64(count)
                let mark = try CommitMark(path: path)
                mark.note(Self.commit)
                mark.note(commit)
                if count.isMultiple(of: 2) { mark.close() }
                #expect(try CommitMark(path: path).found == .certain(commit))
            }
        }
    }

    @Test func `a mark whose name may not last is refused`() throws {
        func fail(_ path: String) throws(FolderSyncError) { throw FolderSyncError(code: EIO) }
        try Self.with { path in
            let error = #expect(throws: CommitMarkError.self) {
                try CommitMark(path: path, synchronizeFolder: fail)
            }
            #expect(error?.code == EIO)
        }
        #expect(throws: FolderSyncError(code: ENOENT)) { try FolderSync.ofFile(at: "/no/such/folder/mark") }
    }

    @Test func `a copy of the file is no proof`() throws {
        try Self.with { path in
            let mark = try CommitMark(path: path)
            mark.note(Self.commit)
            mark.close()
            try FileManager.default.copyItem(atPath: path, toPath: "\(path).copy")
            #expect(try CommitMark(path: "\(path).copy").found == .doubtful)
        }
    }

    @Test func `a copy that was given the inode of the file is no proof`() throws {
        try Self.with { path in
            let mark = try CommitMark(path: path)
            mark.note(Self.commit)
            mark.close()
            // The inode is the same; of its generation one byte is another.
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seek(toOffset: 60)
            let kept = try #require(try file.read(upToCount: 1)?.first)
            try file.seek(toOffset: 60)
            try file.write(contentsOf: Data([kept ^ 1]))
            try file.close()
            #expect(try CommitMark(path: path).found == .doubtful)
        }
    }

    @Test func `after the machine stopped without notice the file is no proof`() throws {
        try Self.with { path in
            let mark = try CommitMark(path: path)
            mark.note(Self.commit)
            // The run of the kernel that the file names.
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seek(toOffset: 24)
            try file.write(contentsOf: Data("another".utf8))
            try file.close()
            #expect(try CommitMark(path: path).found == .doubtful)
        }
    }

    @Test func `a doubt is not forgotten before there is a note`() throws {
        try Self.with { path in
            let mark = try CommitMark(path: path)
            mark.note(Self.commit)
            mark.close()
            let copy = "\(path).copy"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            // Starts that fail before the database was asked, the second one in good order.
            #expect(try CommitMark(path: copy).found == .doubtful)
            try CommitMark(path: copy).close()
            let last = try CommitMark(path: copy)
            #expect(last.found == .doubtful)
            last.note(Self.commit)
            #expect(try CommitMark(path: copy).found == .certain(Self.commit))
        }
    }

    @Test func `a note says under which restore number it was made, and one of an earlier version does not`() throws {
        try Self.with { path in
            let mark = try CommitMark(path: path)
            var counted = Self.commit
            counted.epoch = SeenCommit.Epoch(number: 3, at: Timestamp(milliseconds: 1_763_708_400_123))
            for _ in 0..<2 { mark.note(counted) }
            #expect(try CommitMark(path: path).found == .certain(counted))
            // Both places hold a note that says it; an earlier version writes the first part of one anew.
            mark.note(Self.commit)
            #expect(try CommitMark(path: path).found == .certain(Self.commit))
        }
    }

    @Test func `a note that was cut short leaves the one before`() throws {
        try Self.with { path in
            let mark = try CommitMark(path: path)
            mark.note(Self.commit)
            var later = Self.commit
            later.sequence = 8
            mark.note(later)
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.seek(toOffset: 64 + 30)
            try file.write(contentsOf: Data("torn".utf8))
            try file.close()
            #expect(try CommitMark(path: path).found == .certain(Self.commit))
        }
    }
}

@Suite struct RestoreCheckTests {
    private static let issued = IssuedLoginToken(
        id: "t", subject: "alice", clientID: "app", issuedAt: TimeSource.system.now(),
        expiresAt: TimeSource.system.now() + .seconds(60))
    private static let event = NodeLeaseTests.event

    private static func storage(_ database: TemporaryDatabase) throws -> DurableStorage {
        try SQLiteStorage.open(
            path: database.path, node: "n", signer: UnsignedCheckpoints(), markPath: "\(database.path).mark",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private static func state(_ storage: DurableStorage) async throws -> LoginTokenState.Status? {
        try await storage.state(of: issued.id)?.status
    }

    @Test func `a failover counts once, whichever node finds it out and by whichever sign`() {
        typealias Verdict = RestoreCheck.Verdict
        func verdict(
            _ missing: RestoreNotice.Reason?, _ otherDatabase: RestoreNotice.Reason?, number: Int64, known: Int64?
        ) -> Verdict {
            Verdict.of(missing: missing, otherDatabase: otherDatabase, number: number, known: known)
        }
        #expect(verdict(nil, nil, number: 1, known: 1) == .same)
        #expect(verdict(nil, nil, number: 2, known: 1) == .same)
        #expect(verdict(nil, .otherServer, number: 1, known: 1) == .restored(.otherServer))
        #expect(verdict(.eventsMissing, .otherServer, number: 1, known: 1) == .restored(.eventsMissing))
        #expect(verdict(.eventsMissing, nil, number: 1, known: 1) == .restored(.eventsMissing))
        #expect(verdict(.transactionsMissing, nil, number: 1, known: 1) == .restored(.transactionsMissing))
        // Another node was first.
        #expect(verdict(.eventsMissing, nil, number: 2, known: 1) == .counted(.eventsMissing))
        #expect(verdict(.transactionsMissing, nil, number: 2, known: 1) == .counted(nil))
        // A second failover since, which nobody has counted.
        #expect(verdict(.eventsMissing, .otherServer, number: 2, known: 1) == .restored(.eventsMissing))
        #expect(verdict(nil, .otherServer, number: 2, known: 1) == .restored(.otherServer))
        // A copy from before the number was last raised.
        #expect(verdict(.eventsMissing, nil, number: 1, known: 2) == .restored(.eventsMissing))
        // A process that starts, with a note that does not say under which number it was made.
        #expect(verdict(.eventsMissing, nil, number: 2, known: nil) == .restored(.eventsMissing))
    }

    @Test func `a start on the database that was left ends nothing`() async throws {
        try await TemporaryDatabase.with { database in
            for _ in 0..<3 {
                let storage = try Self.storage(database)
                _ = try await storage.recordIssue(Self.issued, scope: nil, idempotency: nil, event: Self.event)
                #expect(try await Self.state(storage) == .pending)
                try storage.onWriter("DELETE FROM login_token_use")
                try await storage.close()
            }
        }
    }

    @Test func `a database that lacks what its node wrote ends the tokens that it has`() async throws {
        try await TemporaryDatabase.with { database in
            var storage = try Self.storage(database)
            _ = try await storage.recordIssue(Self.issued, scope: nil, idempotency: nil, event: Self.event)
            let copy = "\(database.path).copy"
            try SQLiteBackup.make(of: database.path, at: copy)
            try await storage.append([Self.event])
            try await storage.close()
            try SQLiteBackup.replace(database.path, with: copy, keeping: "\(database.path).kept")
            storage = try Self.storage(database)
            guard case .revoked = try await Self.state(storage) else {
                Issue.record("the token is still good")
                return
            }
            try await storage.close()
            // Once: the next start finds what this one left.
            storage = try Self.storage(database)
            let number = try storage.onWriter("SELECT number FROM restore_point").map(\.values)
            #expect(number == [[.integer(1)]])
            let events = try storage.onWriter("SELECT reason FROM audit_event WHERE type = 'database.restored'")
            #expect(events.map(\.values) == [[.text("events_missing")]])
            try await storage.close()
        }
    }

    @Test func `a database without the note that it had is taken for another`() async throws {
        try await TemporaryDatabase.with { database in
            var storage = try Self.storage(database)
            _ = try await storage.recordIssue(Self.issued, scope: nil, idempotency: nil, event: Self.event)
            try await storage.close()
            try FileManager.default.removeItem(atPath: "\(database.path).mark")
            storage = try Self.storage(database)
            #expect(try await Self.state(storage) != .pending)
            await storage.reportRestores()
            let events = try storage.onWriter("SELECT reason FROM audit_event WHERE type = 'database.restored'")
            #expect(events.map(\.values) == [[.text("unknown_end")]])
            try await storage.close()
        }
    }

    @Test func `a restore that could not be written to the log is written later, once`() async throws {
        try await TemporaryDatabase.with { database in
            var storage = try Self.storage(database)
            _ = try await storage.recordIssue(Self.issued, scope: nil, idempotency: nil, event: Self.event)
            try await storage.close()
            try FileManager.default.removeItem(atPath: "\(database.path).mark")
            storage = try Self.storage(database)
            try storage.onWriter(
                "CREATE TRIGGER refusal BEFORE INSERT ON audit_event BEGIN SELECT RAISE(ABORT, 'refused'); END")
            await storage.reportRestores()
            try storage.onWriter("DROP TRIGGER refusal")
            for _ in 0..<2 { await storage.reportRestores() }
            let events = try storage.onWriter("SELECT reason FROM audit_event WHERE type = 'database.restored'")
            #expect(events.map(\.values) == [[.text("unknown_end")]])
            try await storage.close()
        }
    }

    @Test func `a token whose issue was lost is refused, and a miss does not bring it back`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try Self.storage(database)
            _ = try await storage.recordRestore(
                by: .login("root"), at: TimeSource.system.now(), keepsSessions: true, reason: nil)
            let misses = try await storage.recordMiss(
                Self.issued, at: Self.issued.issuedAt, limit: 5, event: Self.event, tells: false)
            #expect(misses == 5)
            #expect(try await Self.state(storage) == nil)
            let later = IssuedLoginToken(
                id: "later", subject: "alice", clientID: "app", issuedAt: Self.issued.issuedAt,
                expiresAt: Self.issued.expiresAt)
            _ = try await storage.recordIssue(later, scope: nil, idempotency: nil, event: Self.event)
            #expect(try await storage.state(of: "later")?.status == .pending, "one of after counts, whatever its time")
            try await storage.close()
        }
    }

    @Test func `a copy for a backup is whole and private while others write`() async throws {
        try await TemporaryDatabase.with { database in
            let storage = try database.open(node: "n")
            let writer = Task {
                for _ in 0..<200 { try await storage.append([Self.event]) }
            }
            let copy = "\(database.path).copy"
            for _ in 0..<3 {
                try SQLiteBackup.make(of: database.path, at: copy)
                try SQLiteBackup.check(copy)
                let rights = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
                #expect(rights == 0o600)
                try FileManager.default.removeItem(atPath: copy)
            }
            try await writer.value
            let hold = #expect(throws: SQLiteOpenError.nodeInUse("n")) {
                try SQLiteBackup.hold(database.path, nodes: ["m"])
            }
            #expect(hold != nil)
        }
    }
}
