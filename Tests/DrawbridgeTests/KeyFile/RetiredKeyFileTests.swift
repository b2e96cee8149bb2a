import Foundation
import Testing

@testable import drawbridge

@Suite struct RetiredKeyFileTests {
    private let folder: TemporaryFolder
    private var file: RetiredKeyFile { RetiredKeyFile(path: "\(folder.path)/retired-keys") }

    init() throws { folder = try TemporaryFolder() }

    @Test func `what was noted is there after a restart, for its owner only`() throws {
        #expect(try file.ids() == [])
        try file.add(["a", "b"])
        try file.add(["b", "c"])
        #expect(try file.ids() == ["a", "b", "c"])
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `a line that a crash cut short spoils no other`() throws {
        try file.add(["whole"])
        let handle = try #require(FileHandle(forWritingAtPath: file.path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("cut-sho".utf8))
        try handle.close()
        try file.add(["next"])
        #expect(try file.ids().isSuperset(of: ["whole", "next"]))
    }

    @Test func `a file that others can read is refused`() throws {
        let path = try folder.file("retired-keys", "a\n", mode: 0o644)
        #expect(throws: PrivateFileError.readableByOthers(path, mode: 0o644)) { try file.ids() }
    }
}
