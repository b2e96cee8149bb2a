@testable import DrawbridgeClient
import Foundation
import Testing

@Suite struct FileSecretStoreTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "drawbridge-store-\(UUID())")
    private let item = SecretItem(service: "com.example/../sso", account: "device_secret", accessGroup: "T.sso")

    private var store: FileSecretStore { FileSecretStore(folder: folder) }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func onlyFile() throws -> String {
        let names = try files()
        try #require(names.count == 1)
        return folder.appending(path: names[0]).path(percentEncoded: false)
    }

    private func removed(_ work: () async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try await work()
    }

    @Test func `nobody else can read a secret or enter its folder`() async throws {
        try await removed {
            try await store.write(Redacted("ds_1"), to: item)
            #expect(try mode(onlyFile()) == 0o600)
            #expect(try mode(folder.path(percentEncoded: false)) == 0o700)
        }
    }

    @Test func `of first writes at once none finds the folder open to others`() async throws {
        try await removed {
            for _ in 0..<100 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 { group.addTask { try await store.write(Redacted("ds_1"), to: item) } }
                    try await group.waitForAll()
                }
                try FileManager.default.removeItem(at: folder)
            }
        }
    }

    @Test func `a secret is read back, replaced and forgotten`() async throws {
        try await removed {
            #expect(try await store.read(item) == nil)
            try await store.write(Redacted("ds_1"), to: item)
            try await store.write(Redacted("ds_2"), to: item)
            #expect(try await store.read(item)?.expose() == "ds_2")
            #expect(try files().count == 1, "no draft is left")
            try await store.remove(item)
            try await store.remove(item)
            #expect(try await store.read(item) == nil)
        }
    }

    @Test func `what a process that was killed had written goes with the secret`() async throws {
        try await removed {
            let like = SecretItem(service: item.service, account: "\(item.account).1", accessGroup: item.accessGroup)
            try await store.write(Redacted("ds_1"), to: item)
            let file = try onlyFile()
            try await store.write(Redacted("of another name"), to: like)
            for _ in 0..<2 {
                try Data("ds_2".utf8).write(to: URL(filePath: "\(file)=4711.1"))
                try await store.remove(item)
                #expect(try files().count == 1)
            }
            #expect(try await store.read(like)?.expose() == "of another name")
        }
    }

    @Test func `a reader sees one secret or the other, never a part`() async throws {
        try await removed {
            let texts = (0..<2).map { String(repeating: "\($0)", count: 200_000) }
            try await store.write(Redacted(texts[0]), to: item)
            let store = store
            let item = item
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for turn in 0..<50 { try await store.write(Redacted(texts[turn % 2]), to: item) } }
                group.addTask {
                    for _ in 0..<50 {
                        let read = try await store.read(item)?.expose()
                        #expect(read == texts[0] || read == texts[1])
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a file that others may read is not believed`() async throws {
        try await removed {
            try await store.write(Redacted("ds_1"), to: item)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: onlyFile())
            await #expect(throws: ClientError.self) { try await store.read(item) }
        }
    }

    @Test(arguments: [0o755, 0o710, 0o701])
    func `a folder that others may enter is refused`(_ mode: Int) async throws {
        try await removed {
            let path = folder.path(percentEncoded: false)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
            let refusal = ClientError.secretStore(
                "\(path) is open to others (mode \(String(mode, radix: 8))); secrets need one of mode 700")
            await #expect(throws: refusal) { try await store.write(Redacted("ds_1"), to: item) }
            await #expect(throws: refusal) { try await store.read(item) }
            #expect(try files().isEmpty)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
            try await store.write(Redacted("ds_1"), to: item)
        }
    }

    @Test func `a link to elsewhere is not followed`() async throws {
        try await removed {
            try await store.write(Redacted("ds_1"), to: item)
            let file = try onlyFile()
            try FileManager.default.moveItem(atPath: file, toPath: "\(file).elsewhere")
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "\(file).elsewhere")
            await #expect(throws: ClientError.self) { try await store.read(item) }
        }
    }

    @Test func `names do not lead out of the folder, and no two are one`() async throws {
        try await removed {
            let items = [
                SecretItem(service: "a/b", account: "c"), SecretItem(service: "a", account: "b/c"),
                SecretItem(service: "a+b", account: "c"), SecretItem(service: "a", account: "b+c"),
                SecretItem(service: "..", account: "..", accessGroup: ".."), SecretItem(service: "s", account: "a"),
                SecretItem(service: "s", account: "a", accessGroup: ""),
                SecretItem(service: "s", account: "a", accessGroup: "g"),
            ]
            for (number, item) in items.enumerated() { try await store.write(Redacted("\(number)"), to: item) }
            for (number, item) in items.enumerated() { #expect(try await store.read(item)?.expose() == "\(number)") }
            #expect(try files().count == items.count)
        }
    }

    #if os(Linux)
        /// Whether another process, which does not wait, gets the lock of the one file that is there for it.
        private func isFree() throws -> Bool {
            let names = try files().filter { $0.hasPrefix("lock") }
            try #require(names.count == 1)
            let other = Process()
            other.executableURL = URL(filePath: "/usr/bin/flock")
            other.arguments = ["--nonblock", folder.appending(path: names[0]).path(percentEncoded: false), "true"]
            try other.run()
            other.waitUntilExit()
            return other.terminationStatus == 0
        }

        @Test func `a lock keeps other processes out until it is released, and secrets can be read meanwhile`()
            async throws
        {
            try await removed {
                try await store.write(Redacted("ds_1"), to: item)
                let held = try await store.lock(item)
                #expect(try !isFree())
                #expect(try await store.read(item)?.expose() == "ds_1")
                await held.release()
                #expect(try isFree())
                let lock = try #require(try files().first { $0.hasPrefix("lock") })
                #expect(try mode(folder.appending(path: lock).path(percentEncoded: false)) == 0o600)
            }
        }

        @Test func `work under a lock that fails lets the next one in`() async throws {
            try await removed {
                let store = store
                await #expect(throws: ClientError.notSignedIn) {
                    try await store.locked(item) { () async throws(ClientError) in throw .notSignedIn }
                }
                let free = try isFree()
                #expect(free)
            }
        }
    #endif

    @Test func `whoever comes while a lock is held waits for the release`() async throws {
        try await removed {
            let (store, item) = (store, item)
            for turn in 0..<50 {
                let order = Order()
                let held = try await store.lock(item)
                let second = Task {
                    let own = try await store.lock(item)
                    await order.note("second")
                    await own.release()
                }
                await order.note("first")
                await held.release()
                try await second.value
                #expect(await order.names == ["first", "second"], "\(turn)")
            }
        }
    }

    @Test func `a lock that is a link to elsewhere is not followed`() async throws {
        try await removed {
            await (try store.lock(item)).release()
            let lock = try onlyFile()
            try FileManager.default.moveItem(atPath: lock, toPath: "\(lock).elsewhere")
            try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: "\(lock).elsewhere")
            await #expect(throws: ClientError.self) { try await store.lock(item) }
        }
    }
}

private actor Order {
    private(set) var names: [String] = []

    func note(_ name: String) { names.append(name) }
}
