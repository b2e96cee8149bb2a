import Foundation
import Testing

@testable import drawbridge

/// Commands that root runs in the data folder of the service's account.
@Suite(.enabled(if: geteuid() == 0, "somebody else's folder takes root to make"))
struct RootInForeignFolderTests: CommandLineFixture {
    private static let nobody: uid_t = 65_534
    let folder: TemporaryFolder
    let config: String

    private var data: String { folder.path + "/data" }

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.commandSettings()
    }

    private func give(to owner: uid_t) throws {
        for path in [data] + (try names()).map({ "\(data)/\($0)" }) { try #require(chown(path, owner, gid_t.max) == 0) }
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: data).sorted() }

    @Test(arguments: [
        ["keys", "init"], ["keys", "rotate"], ["keys", "retire", "--all"], ["migrate"], ["users", "disable", "zoe"],
        ["audit", "accept", "--reason", "tried"], ["restore", "--in-place"],
    ])
    func `a command that would make files there is refused with the line that does it`(words: [String]) async throws {
        for words in [["keys", "init"], ["keys", "rotate"]] {
            try await prepare(words)
        }
        try give(to: Self.nobody)
        let before = try names()
        let ran = await run(words)
        #expect(ran.status == 1)
        #expect(
            ran.reason.hasPrefix(
                "The folder \(data) belongs to nobody, and this runs as root, whose files the server could not use: "
                    + "run it as nobody (runuser -u nobody -- drawbridge …)."), "\(ran.reason)")
        #expect(try names() == before)
    }

    @Test func `a first key is not made there, and one for other machines is`() async throws {
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try give(to: Self.nobody)
        #expect(await run("keys", "init").status == 1)
        #expect(try names() == [])
        #expect(await run("keys", "init", "--into", data).status == 0)
    }

    @Test(arguments: [["keys", "init"], ["migrate"], ["users", "add", "zoe"]])
    func `a data folder is not made in the folder of another account`(words: [String]) async throws {
        try #require(chown(folder.path, Self.nobody, gid_t.max) == 0)
        let ran = await run(words, input: "correct horse battery\n")
        #expect(ran.status == 1)
        #expect(
            ran.reason
                == "The folder \(folder.path) belongs to nobody, and this runs as root, whose files the server could "
                + "not use: run it as nobody (runuser -u nobody -- drawbridge …). If the server itself runs as root, "
                + "make its folder first (install -d -m 700 \(data)).", "\(ran.reason)")
        #expect(!FileManager.default.fileExists(atPath: data))
    }

    @Test func `a link of another account is not followed, whatever it leads to`() async throws {
        let elsewhere = try TemporaryFolder()
        try #require(chmod(elsewhere.path, 0o700) == 0)
        let key = try elsewhere.file("master-key", "")
        try #require(symlink(elsewhere.path, data) == 0)
        try #require(lchown(data, Self.nobody, gid_t.max) == 0)
        for place in [data, data + "/"] {
            #expect(throws: StorageFolderError.self) { try StorageFolder.refuseRoot(in: place, masterKey: key) }
        }
        try FileManager.default.removeItem(atPath: key)
        let ran = await run("keys", "init")
        #expect(ran.status == 1)
        #expect(
            ran.reason.hasPrefix(
                "\(data) is a link of nobody, who can have it lead anywhere, and this runs as root: run it as nobody"),
            "\(ran.reason)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == [])
    }

    @Test func `root's key proves nothing in a folder of that account, and does where it is mounted`() throws {
        let key = try folder.file("master-key", "")
        try FileManager.default.createDirectory(atPath: data + "/keys", withIntermediateDirectories: true)
        let left = "\(data)/master-key"
        let inside = "\(data)/keys/master-key"
        for path in [left, inside] { try #require(link(key, path) == 0) }
        try #require(symlink(folder.path, data + "/elsewhere") == 0)
        try #require(chown(data, Self.nobody, gid_t.max) == 0)
        for path in [left, inside, "\(data)/elsewhere/master-key", "\(folder.path)/none", "master-key"] {
            #expect(throws: StorageFolderError.self, "\(path)") {
                try StorageFolder.refuseRoot(in: data, masterKey: path)
            }
        }
        #expect(throws: Never.self) { try StorageFolder.refuseRoot(in: data, masterKey: key) }
        // As Kubernetes mounts a secret: the folder may be written to by all, but is sticky.
        try #require(chmod(folder.path, 0o1777) == 0)
        try #require(symlink(key, "\(folder.path)/linked") == 0)
        #expect(throws: Never.self) { try StorageFolder.refuseRoot(in: data, masterKey: "\(folder.path)/linked") }
        try #require(chmod(folder.path, 0o777) == 0)
        #expect(throws: StorageFolderError.self) { try StorageFolder.refuseRoot(in: data, masterKey: key) }
    }

    @Test func `a link of root's own is followed`() async throws {
        let elsewhere = try TemporaryFolder()
        try #require(chmod(elsewhere.path, 0o700) == 0)
        try #require(symlink(elsewhere.path, data) == 0)
        #expect(await run("keys", "init").status == 0)
        #expect(FileManager.default.fileExists(atPath: "\(elsewhere.path)/master-key"))
    }

    @Test func `a copy of somebody else's database is refused too`() async throws {
        for words in [["keys", "init"], ["keys", "rotate"]] {
            try await prepare(words)
        }
        try give(to: Self.nobody)
        let before = try names()
        let ran = await RanCommand([
            "copy", "--from", "sqlite:\(data)/drawbridge.sqlite", "--to", "postgres://drawbridge@127.0.0.1:1/d",
        ])
        #expect(ran.status == 1)
        #expect(ran.reason.hasPrefix("The folder \(data) belongs to nobody, and this runs as root"), "\(ran.reason)")
        #expect(try names() == before)
    }

    @Test func `a command that only looks may be root's`() async throws {
        for words in [["keys", "init"], ["keys", "rotate"]] {
            try await prepare(words)
        }
        try give(to: Self.nobody)
        #expect(await run("keys", "list").status == 0)
    }
}
