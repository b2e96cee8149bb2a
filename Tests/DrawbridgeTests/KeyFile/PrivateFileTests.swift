import Bridge
import Foundation
import Testing

@testable import drawbridge

@Suite struct PrivateFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `a file is made for its owner alone, whatever was there before`() throws {
        let path = try folder.file("key", "old", mode: 0o644)
        try PrivateFile.replace(path, with: Array("new".utf8))
        #expect(try PrivateFile.read(path) == Array("new".utf8))
        #expect(try mode(of: path) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
    }

    @Test func `a file that is made is not made again, and what was there stays`() throws {
        let path = folder.path + "/key"
        #expect(try PrivateFile.create(path, with: Array("first".utf8)))
        #expect(try !PrivateFile.create(path, with: Array("second".utf8)))
        #expect(try PrivateFile.read(path) == Array("first".utf8))
        #expect(try mode(of: path) == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["key"])
    }

    @Test(arguments: [0o640, 0o604, 0o610, 0o666])
    func `a file that others could use is refused with the remedy`(mode: Int) throws {
        let path = try folder.file("key", "x", mode: mode)
        let error = #expect(throws: PrivateFileError.self) { try PrivateFile.read(path) }
        #expect(error == .readableByOthers(path, mode: UInt32(mode)))
        #expect(error?.description.hasSuffix("run: chmod 600 \(path)") == true)
    }

    @Test func `what is no file, too large or not there is told apart`() throws {
        #expect(throws: PrivateFileError.missing("\(folder.path)/a")) { try PrivateFile.read("\(folder.path)/a") }
        #expect(throws: PrivateFileError.notAFile(folder.path)) { try PrivateFile.read(folder.path) }
        let large = try folder.file("large", String(repeating: "x", count: PrivateFile.sizeLimit + 1))
        #expect(throws: PrivateFileError.tooLarge(large)) { try PrivateFile.read(large) }
        let most = try folder.file("most", String(repeating: "x", count: PrivateFile.sizeLimit))
        #expect(try PrivateFile.read(most).count == PrivateFile.sizeLimit)
    }

    @Test func `a file that need not be there is nothing where it is missing, and refused where others could use it`()
        throws
    {
        #expect(try PrivateFile.readIfThere("\(folder.path)/a") == nil)
        let path = try folder.file("key", "x", mode: 0o640)
        #expect(throws: PrivateFileError.readableByOthers(path, mode: 0o640)) { try PrivateFile.readIfThere(path) }
    }

    @Test func `what is appended follows what was there`() throws {
        let path = folder.path + "/notes"
        try PrivateFile.append(path, Array("a\n".utf8))
        try PrivateFile.append(path, Array("b\n".utf8))
        #expect(try PrivateFile.read(path) == Array("a\nb\n".utf8))
        #expect(try mode(of: path) == 0o600)
    }

    @Test func `a link is not appended to`() throws {
        let target = try folder.file("target", "a")
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        #expect(throws: PrivateFileError.self) { try PrivateFile.append(link, [0x62]) }
        #expect(try PrivateFile.read(target) == [0x61])
    }

    @Test func `a master key is 32 bytes in base64url, with or without a newline`() throws {
        let text = MasterKeyFile.make()
        #expect(try MasterKeyFile.read(try folder.file("key", text + "\n"))?.expose().count == 32)
        #expect(try MasterKeyFile.read(folder.path + "/nowhere") == nil)
        for bad in ["", "short", String(text.dropLast(2)), text + "AA", "!" + text.dropFirst()] {
            let path = try folder.file("bad", bad)
            #expect(throws: MasterKeyFileError(path: path, problem: .malformed)) { try MasterKeyFile.read(path) }
        }
        let missing = folder.path + "/nowhere"
        #expect(throws: MasterKeyFileError(path: missing, problem: .missing)) { try MasterKeyFile.load(missing) }
    }
}
