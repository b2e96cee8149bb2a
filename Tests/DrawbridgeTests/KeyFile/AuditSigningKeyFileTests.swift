import Bridge
import Foundation
import Testing

@testable import drawbridge

@Suite struct AuditSigningKeyFileTests {
    private let folder: TemporaryFolder
    private var path: String { "\(folder.path)/audit-signing-key" }

    init() throws { folder = try TemporaryFolder() }

    @Test func `a key is made once, for its owner's eyes, and read again`() throws {
        #expect(try AuditSigningKeyFile.read(path) == nil)
        let made = try AuditSigningKeyFile.loadOrMake(path, name: "example.com/audit")
        let again = try AuditSigningKeyFile.loadOrMake(path, name: "other")
        #expect(again.verifierKey == made.verifierKey)
        #expect(made.verifierKey.name == "example.com/audit")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["audit-signing-key"])
    }

    @Test func `a key that is there is never replaced`() throws {
        let first = try AuditSigningKey.generate(name: "n")
        try AuditSigningKeyFile.make(first, at: path)
        try AuditSigningKeyFile.make(AuditSigningKey.generate(name: "n"), at: path)
        #expect(try AuditSigningKeyFile.load(path).verifierKey == first.verifierKey)
    }

    @Test func `a folder that is missing and a file that is broken are said`() throws {
        let nowhere = "\(folder.path)/none/audit-signing-key"
        let unwritable = AuditSigningKeyFileError(path: nowhere, problem: .unwritable(code: ENOENT))
        #expect(throws: unwritable) { try AuditSigningKeyFile.loadOrMake(nowhere, name: "n") }
        let unreadable = AuditSigningKeyFileError(path: nowhere, problem: .unreadable(code: ENOENT))
        #expect(throws: unreadable) { try AuditSigningKeyFile.load(nowhere) }
        let told = CommandFailure(unreadable)?.description
        #expect(told?.hasPrefix("Cannot read the audit signing key \(nowhere): ") == true)
        let broken = try folder.file("broken", "PRIVATE+KEY+n+00000000+AAAA\n")
        let malformed = AuditSigningKeyFileError(path: broken, problem: .malformed)
        #expect(throws: malformed) { try AuditSigningKeyFile.load(broken) }
    }

    @Test(arguments: [0o640, 0o604, 0o644])
    func `a key that others can read is refused whoever reads it, the server or a command`(mode: Int) async throws {
        let config = try folder.file(
            "drawbridge.yaml", "public_origin: http://127.0.0.1:1\ndata_directory: \(folder.path)\n")
        let key = try AuditSigningKey.generate(name: "n")
        _ = try folder.file("audit-signing-key", key.text.expose() + "\n", mode: mode)
        let error = PrivateFileError.readableByOthers(path, mode: UInt32(mode))
        #expect(throws: error) { try AuditSigningKeyFile.load(path) }
        #expect(throws: error) { try AuditSigningKeyFile.loadOrMake(path, name: "n") }
        let told = await RanCommand(["audit", "public-key", "--config", config])
        #expect(told.status == 1)
        #expect(told.reason.contains("chmod 600 \(path)"))
    }
}
