import Bridge
import BridgeHTTP
import Foundation
import OAuth2
import Testing

@testable import drawbridge

/// Signed notes about chains of events that exist nowhere else.
struct SignedNotes: Sendable {
    let key: AuditSigningKey

    init() throws { key = try AuditSigningKey.generate(name: "localhost/test") }

    func checkpoint(_ size: Int64, node: String = "n") throws -> AuditNote {
        .checkpoint(
            try key.sign(
                node: node, size: size, hash: AuditRecord.genesis, at: Timestamp(milliseconds: size * 1000)))
    }

    func cut(_ through: Int64, node: String = "n") throws -> AuditNote {
        .cut(
            try key.signCut(
                node: node, through: through, hash: AuditRecord.genesis, retention: .seconds(60), isAdopted: false,
                at: Timestamp(milliseconds: through * 1000)))
    }
}

@Suite struct AuditNoteFileTests {
    private let folder: TemporaryFolder
    private let notes: SignedNotes

    init() throws {
        folder = try TemporaryFolder()
        notes = try SignedNotes()
    }

    private var file: AuditNoteFile { AuditNoteFile(besideSigningKey: "\(folder.path)/audit-signing-key") }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func `notes are added beside the key, for the owner's eyes, and read again`() throws {
        #expect(!file.exists)
        #expect(try file.read().notes == [])
        try file.append([try notes.checkpoint(1), try notes.cut(1)])
        try file.append([try notes.checkpoint(2)])
        #expect(try names() == ["audit-checkpoints"] && file.exists)
        #expect(try file.read().notes == [try notes.checkpoint(1), try notes.cut(1), try notes.checkpoint(2)])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a file that others can read becomes its owner's alone`() throws {
        _ = try folder.file("audit-checkpoints", "", mode: 0o644)
        try file.append([try notes.checkpoint(1)])
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `what a crash left of a line takes no other along`() throws {
        let line = String(decoding: try notes.checkpoint(1).json, as: UTF8.self)
        for left in ["\n" + line.dropLast(20), "\n", ""] {
            _ = try folder.file("audit-checkpoints", line + left)
            try file.append([try notes.checkpoint(2)])
            let kept = try file.read()
            #expect(kept.notes == [try notes.checkpoint(1), try notes.checkpoint(2)], "\(left)")
            #expect(kept.malformedLines == [])
        }
    }

    @Test func `what a crash left of a line is no damage where the version before wrote on behind it`() throws {
        let line = String(decoding: try notes.checkpoint(1).json, as: UTF8.self)
        let next = String(decoding: try notes.checkpoint(2).json, as: UTF8.self)
        for (missing, end) in [(20, "\n"), (1, "\n"), (20, "\r\n")] {
            _ = try folder.file(
                "audit-checkpoints", "\(line)\(end)\(next.dropLast(missing))\(end)\(next)\(end)")
            let kept = try file.read()
            #expect(kept.notes == [try notes.checkpoint(1), try notes.checkpoint(2)], "\(missing)")
            #expect(kept.malformedLines == [], "\(missing)")
        }
    }

    @Test func `a line that should be a note is named, unless it is the end that a crash left`() throws {
        let line = String(decoding: try notes.checkpoint(1).json, as: UTF8.self)
        let damaged = line.replacing("time ", with: "tyme ")
        try #require(damaged != line)
        _ = try folder.file("audit-checkpoints", "\(line)\n\(damaged)\n\(line.dropLast(20))")
        _ = try folder.file("audit-checkpoints.1", "\(damaged)\n")
        var terms = AuditVerificationTerms(trusting: [notes.key.verifierKey])
        try file.add(to: &terms)
        #expect(terms.kept == [try notes.checkpoint(1)])
        let report = AuditVerifier(terms: terms).finish()
        #expect(
            report.problems.filter { $0.kind == .unreadable }.map { "\($0.file ?? "") \($0.line ?? 0)" }
                == ["\(file.path) 2", "\(file.path).1 1"])
    }

    @Test func `what is there and cannot be read is no missing file`() throws {
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(throws: PrivateFileError.notAFile(file.path)) { try file.read() }
        // Root may look into every folder, but nobody into a file.
        let inFile = AuditNoteFile(besideSigningKey: "\(try folder.file("closed", ""))/audit-signing-key")
        #expect(throws: PrivateFileError.system(inFile.path, ENOTDIR)) { try inFile.read() }
    }

    @Test func `a file that has grown is begun anew with the last notes about each node`() throws {
        var file = file
        file.sizeLimit = 6000
        try file.append([try notes.checkpoint(1, node: "gone"), try notes.cut(1, node: "gone")])
        for size in 1...30 as ClosedRange<Int64> {
            try file.append([try notes.checkpoint(size)])
            let kept = try file.read().notes
            for note in try [notes.checkpoint(size), notes.checkpoint(1, node: "gone"), notes.cut(1, node: "gone")] {
                #expect(kept.contains(note))
            }
        }
        #expect(try names() == ["audit-checkpoints", "audit-checkpoints.1"])
        for name in try names() {
            let path = "\(folder.path)/\(name)"
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(try #require(attributes[.size] as? Int) < 7000)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test func `many writers lose nothing, also while the file is begun anew`() async throws {
        var file = file
        file.sizeLimit = 40_000
        let notes = notes
        // As processes would: each opens the file for itself.
        try await withThrowingTaskGroup { group in
            for writer in 0..<8 {
                group.addTask { [file] in
                    for size in 1...40 as ClosedRange<Int64> {
                        try file.append([try notes.checkpoint(size, node: "w\(writer)")])
                    }
                }
            }
            try await group.waitForAll()
        }
        let kept = try file.read()
        #expect(kept.malformedLines == [])
        for writer in (0..<8).map({ "w\($0)" }) {
            #expect(kept.notes.contains(try notes.checkpoint(40, node: writer)))
            // A file that was begun anew keeps the newest, and what came after it.
            let sizes = kept.notes.filter { $0.node == writer }.map(\.sequence)
            #expect(Set(sizes).isSuperset(of: (sizes.min() ?? 1)...40), "\(writer)")
        }
    }

    @Test func `files that are set aside stay, and a new one begins`() throws {
        var file = file
        file.sizeLimit = 1500
        for size in 1...9 as ClosedRange<Int64> { try file.append([try notes.checkpoint(size)]) }
        let aside = try file.setAside(at: Timestamp(milliseconds: 0))
        #expect(try names() == aside.map { ($0 as NSString).lastPathComponent }.sorted())
        #expect(aside.count == 2 && aside.allSatisfy { $0.hasSuffix(".accepted-1970-01-01T000000.000Z") })
        #expect(try file.read().notes == [])
        try file.append([try notes.checkpoint(10)])
        #expect(try file.read().notes == [try notes.checkpoint(10)])
    }

    @Test func `what is no plain file is refused`() throws {
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: "\(folder.path)/elsewhere")
        #expect(throws: PrivateFileError.self) { try file.append([try notes.checkpoint(1)]) }
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/elsewhere"))
    }

    @Test func `a keeper writes behind the writing, and waits when it is told to`() async throws {
        let watch = AuditWatch()
        let keeper = AuditNoteKeeper(file: file, watch: watch, logger: JSONLogLines().logger)
        for size in 1...20 as ClosedRange<Int64> { keeper.publish([try notes.checkpoint(size)]) }
        await keeper.flush()
        #expect(try file.read().notes.map(\.sequence) == Array(1...20))
    }

    @Test func `metrics say while notes cannot be kept, and that they can be again`() async throws {
        let sample = #"drawbridge_degraded{part="audit_checkpoints"}"#
        let metrics = PrometheusMetrics()
        let watch = AuditWatch()
        watch.record(to: metrics)
        #expect(metrics.exposition().contains("\(sample) 0"))
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        let keeper = AuditNoteKeeper(file: file, watch: watch, logger: JSONLogLines().logger)
        keeper.publish([try notes.checkpoint(1)])
        await keeper.flush()
        watch.record(to: metrics)
        #expect(metrics.exposition().contains("\(sample) 1"))
        try FileManager.default.removeItem(atPath: file.path)
        keeper.publish([try notes.checkpoint(2)])
        await keeper.flush()
        watch.record(to: metrics)
        #expect(metrics.exposition().contains("\(sample) 0"))
    }

    @Test func `notes that cannot be kept wait, and are kept when they can be`() async throws {
        let lines = JSONLogLines()
        let watch = AuditWatch()
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        let keeper = AuditNoteKeeper(file: file, watch: watch, logger: lines.logger)
        for size in 1...3 as ClosedRange<Int64> {
            keeper.publish([try notes.checkpoint(size)])
            await keeper.flush()
        }
        #expect(try await degraded(watch) == ["audit_checkpoints"])
        #expect(lines.count(of: #""level":"error""#) == 1, "once an outage")
        try FileManager.default.removeItem(atPath: file.path)
        keeper.publish([try notes.checkpoint(4)])
        await keeper.flush()
        #expect(try await degraded(watch) == [])
        #expect(try file.read().notes.map(\.sequence) == [1, 2, 3, 4])
        // The service log has each of them, too.
        #expect(AuditKeptNotes(lines.all.joined().utf8).notes.map(\.sequence) == [1, 2, 3, 4])
    }
}

/// What `/readyz` would say.
func degraded(_ watch: AuditWatch) async throws -> [String] {
    await Readiness(checks: watch.checks, lifetime: .zero).report().degraded
}
