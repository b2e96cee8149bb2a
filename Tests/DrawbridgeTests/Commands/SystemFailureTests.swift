import Foundation
import Testing

@testable import drawbridge

@Suite struct SystemFailureTests {
    @Test func `a file that is not there is told as a sentence`() throws {
        let error = try #require(throws: (any Error).self) {
            try String(contentsOf: URL(filePath: "/no/such.yaml"), encoding: .utf8)
        }
        #expect(SystemFailure(error)?.description == "Cannot read /no/such.yaml: no such file or directory.")
    }

    @Test(arguments: [
        ("/tmp", "it is a folder, not a file"), ("/etc/passwd/x", "what should be a folder in its path is a file"),
    ])
    func `a folder in a file's place is told in words, and a file in a folder's`(path: String, reason: String) throws {
        let error = try #require(throws: (any Error).self) { try Data(contentsOf: URL(filePath: path)) }
        #expect(SystemFailure(error)?.reason == reason)
    }

    @Test func `where the system says nothing of why, no reason is made up`() {
        #expect(SystemFailure(CocoaError(.fileReadUnknown))?.reason == "the system gives no reason")
    }

    @Test func `a folder that cannot be made is told as a sentence`() throws {
        let error = try #require(throws: (any Error).self) {
            try FileManager.default.createDirectory(atPath: "/proc/x/y", withIntermediateDirectories: true)
        }
        let text = SystemFailure(error, doing: "make the folder /proc/x/y").description
        #expect(text == "Cannot make the folder /proc/x/y: no such file or directory.")
    }

    @Test func `output that finds a full disk is told as a sentence`() throws {
        let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        let error = try #require(throws: (any Error).self) { try full.write(contentsOf: Data("x".utf8)) }
        #expect(SystemFailure(error, doing: "write").description == "Cannot write: no space left on device.")
    }

    @Test func `nonsense in a file is no failure to write one`() throws {
        let error = try #require(throws: (any Error).self) {
            try JSONDecoder().decode([String].self, from: Data("{bad".utf8))
        }
        #expect(SystemFailure(error) == nil)
    }

    @Test func `a pipe is read, a folder is none, and settings are read from neither`() throws {
        let folder = try TemporaryFolder()
        #expect(try WholeFile.read("/dev/null").isEmpty)
        let error = #expect(throws: SystemFailure.self) { try WholeFile.read(folder.path) }
        #expect(error?.description == "Cannot read \(folder.path): it is a folder, not a file.")
        let reasons = ["/dev/null", folder.path, folder.path + "/none"].map { path in
            RawSettings.read(SettingsInputs(filePath: path)).problems.map(\.description).joined()
        }
        #expect(reasons[0].contains("cannot be read: it is a pipe or a device"), "\(reasons[0])")
        #expect(reasons[1].contains("cannot be read: it is a folder, not a file"), "\(reasons[1])")
        #expect(reasons[2].contains("cannot be read: no such file or directory"), "\(reasons[2])")
    }

    @Test func `what is not the system's is left to who knows it`() {
        #expect(SystemFailure(CommandError("x")) == nil)
    }
}
