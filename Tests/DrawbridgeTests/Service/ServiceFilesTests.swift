import Bridge
import BridgeHTTP
import Foundation
import NIOCore
import Testing

@testable import drawbridge

@Suite struct ServiceFilesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func secrets(_ name: String) throws -> [String] {
        try WebhookSecretFiles(folder: folder.path).secrets(named: name)
            .map { String(decoding: $0.expose(), as: UTF8.self) }
    }

    @Test func `a webhook's secrets are the lines of its file, the youngest first, at most four`() throws {
        let lines = ["a", "b", "c", "d", "e"].map { String(repeating: $0, count: 32) }
        _ = try folder.file("shop", lines.joined(separator: "\r\n") + "\n")
        #expect(try secrets("shop") == Array(lines.prefix(4)))
    }

    @Test func `a short line is no secret`() throws {
        _ = try folder.file("shop", "short\n\(String(repeating: "k", count: 31))\n\(String(repeating: "l", count: 32))")
        #expect(try secrets("shop") == [String(repeating: "l", count: 32)])
    }

    @Test func `a file that others can read has no secrets, nor has one elsewhere`() throws {
        _ = try folder.file("open", String(repeating: "k", count: 32), mode: 0o644)
        for name in ["open", "nowhere"] {
            #expect(throws: PrivateFileError.self) { try secrets(name) }
        }
        #expect(throws: WebhookSecretError.noFileName) { try secrets("../etc/passwd") }
    }

    @Test func `a data folder that another account can change is refused, and a volume of root's warned of`() throws {
        let path = "\(folder.path)/data"
        try StorageFolder.create(path)
        #expect(StorageFolder.weakness(of: path) == nil)
        // Where tests run as root, the folder becomes somebody's.
        let owner = geteuid() == 0 ? 12_345 : geteuid()
        for mode: mode_t in [0o770, 0o707] {
            #expect(chmod(path, mode) == 0)
            if geteuid() == 0, case .warning(let problem) = StorageFolder.weakness(of: path) {
                #expect(problem.hasPrefix("Others may write to the folder \(path) (mode 0"))
            } else {
                #expect(geteuid() != 0)
            }
            #expect(chown(path, owner, gid_t.max) == 0)
            let refused = #expect(throws: StorageFolderError.self) { try StorageFolder.create(path) }
            #expect(refused?.description.hasSuffix("chmod go-w \(path)") == true)
            if geteuid() == 0 { #expect(chown(path, 0, gid_t.max) == 0) }
        }
        #expect(chmod(path, 0o755) == 0 && chown(path, owner, gid_t.max) == 0)
        #expect(StorageFolder.weakness(of: path, for: owner) == nil)
        guard case .refused(let problem) = StorageFolder.weakness(of: path, for: owner + 1) else {
            Issue.record("a folder of another account is taken")
            return
        }
        #expect(problem.hasPrefix("The folder \(path) belongs to another account (\(owner))"))
        #expect(StorageFolder.weakness(of: path, for: 0) == nil, "root runs commands for the service's account")
    }

    @Test func `root makes nothing in the folder of another account, unless it serves from there`() throws {
        let path = "\(folder.path)/data"
        try StorageFolder.create(path)
        // Where tests run as root, the folder becomes somebody's.
        let owner = geteuid() == 0 ? 12_345 : geteuid()
        #expect(chown(path, owner, gid_t.max) == 0)
        func refuse(for account: uid_t, in folder: String? = nil, key: String = "master-key") throws {
            try StorageFolder.refuseRoot(in: folder ?? path, masterKey: key, for: account)
        }
        let refused = #expect(throws: StorageFolderError.self) { try refuse(for: 0) }
        #expect(refused?.description.hasPrefix("The folder \(path) belongs to ") == true)
        #expect(refused?.description.hasSuffix("give it the folder (chown root \(path)).") == true)
        #expect(throws: Never.self) { try refuse(for: 0, key: "/etc/passwd") }
        #expect(throws: Never.self) { try refuse(for: 0, in: "/") }
        #expect(throws: StorageFolderError.self, "one that root would make there") {
            try refuse(for: 0, in: "\(path)/not/there")
        }
        for account in [owner, owner + 1] { #expect(throws: Never.self) { try refuse(for: account) } }
    }

    private func location(_ more: String) throws -> StorageLocation {
        let file = try folder.file("drawbridge.yaml", "public_origin: https://www.example.com:8443\n\(more)")
        return StorageLocation(try DrawbridgeSettings.load(SettingsInputs(filePath: file)))
    }

    @Test func `the data folder has what settings do not name`() throws {
        let location = try location("data_directory: /data\nnode: west\nmaster_key_file: keys/master")
        #expect(location.databasePath == "/data/drawbridge.sqlite")
        #expect(location.signingKeyPath == "/data/audit-signing-key")
        #expect(location.retiredKeysPath == "/data/retired-keys")
        #expect(location.loginTokenKeysPath == "/data/login-token-keys.json")
        #expect(location.masterKeyPath == folder.path + "/keys/master")
        #expect(location.keyName == "www.example.com:8443/drawbridge")
        #expect(location.node == "west")
        #expect(location.database == nil)
    }

    @Test func `without a provider only login tokens need keys`() throws {
        #expect(try location("").keyAlgorithms == KeyAlgorithm.allCases)
        #expect(try location("provider: {enabled: false}").keyAlgorithms == [.hs256])
    }

    @Test func `a listener that is taken is told by its address`() throws {
        let file = try folder.file("drawbridge.yaml", "public_origin: https://www.example.com\n")
        let settings = try DrawbridgeSettings.load(SettingsInputs(filePath: file))
        let failure = try #require(ListenError(IOError(errnoCode: EADDRINUSE, reason: "bind"), settings))
        #expect(failure.description.hasPrefix("Cannot listen on 127.0.0.1:8080 or 127.0.0.1:8081: "))
        #expect(ListenError(IOError(errnoCode: EIO, reason: "bind"), settings) == nil)
        #expect(ListenError(CancellationError(), settings) == nil)
    }

    @Test func `the latch opens once, when the last one has arrived`() async {
        let count = Counter()
        let latch = ReadyLatch(expecting: 2) { await count.increase() }
        await latch.arrive()
        #expect(await count.value == 0)
        await latch.arrive()
        #expect(await count.value == 1)
        await latch.arrive()
        #expect(await count.value == 1)
    }

    @Test func `everybody who listens hears the bell, also when it rang before they looked`() async {
        let bell = NoticeBell()
        let listeners = [bell.rings(), bell.rings()]
        bell.ring()
        bell.ring()
        for listener in listeners {
            var iterator = listener.makeAsyncIterator()
            #expect(await iterator.next() != nil)
        }
    }

    private actor Counter {
        var value = 0
        func increase() { value += 1 }
    }
}
