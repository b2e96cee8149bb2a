import Bridge
import Foundation
import RedisStorage
import Testing

@testable import drawbridge

@Suite struct SharedRedisSettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(_ flags: [String]) throws -> SharedRedisSettings? {
        let file = try folder.file("drawbridge.yaml", "public_origin: https://www.example.com\n")
        return try DrawbridgeSettings.load(SettingsInputs(flags: flags, filePath: file)).redis
    }

    @Test func `without a URL nothing is shared`() throws {
        #expect(try load([])?.prefix == nil)
    }

    @Test func `everything about Redis can be set`() throws {
        let password = try folder.file("redis-password", "hunter2\n")
        let redis = try #require(
            try load([
                "--redis-url=redis://one,two:26380/3", "--redis-topology=sentinel", "--redis-sentinel-master=bridge",
                "--redis-user=web", "--redis-password-file=\(password)", "--redis-prefix=shop:",
                "--redis-on-failure=refuse",
            ]))
        #expect(
            redis.connection.addresses == [
                RedisAddress(host: "one", port: 6379), RedisAddress(host: "two", port: 26_380),
            ])
        #expect(redis.connection.topology == .sentinel(master: "bridge"))
        #expect(redis.connection.database == 3)
        #expect(redis.connection.credentials?.user == "web")
        #expect(redis.connection.credentials?.password.expose() == "hunter2")
        #expect(redis.prefix == "shop:")
        #expect(redis.outagePolicy == .refuse)
    }

    @Test func `sentinels are told a password of their own, and never that of Redis`() throws {
        let password = try folder.file("redis-password", "hunter2\n")
        let plain = try #require(try load(Self.sentinel + ["--redis-password-file=\(password)"]))
        #expect(plain.connection.sentinelCredentials == nil)
        let asked = try folder.file("sentinel-password", "sesame\n")
        let redis = try #require(
            try load(
                Self.sentinel + [
                    "--redis-password-file=\(password)", "--redis-sentinel-user=watcher",
                    "--redis-sentinel-password-file=\(asked)",
                ]))
        #expect(redis.connection.sentinelCredentials?.user == "watcher")
        #expect(redis.connection.sentinelCredentials?.password.expose() == "sesame")
        #expect(redis.connection.credentials?.user == nil)
        #expect(redis.connection.credentials?.password.expose() == "hunter2")
    }

    @Test func `a password is a text, of which the line ends around it are no part`() throws {
        let password = try folder.file("redis-password", "\r\nhunter2\n\n")
        let redis = try #require(try load(["--redis-url=redis://host", "--redis-password-file=\(password)"]))
        #expect(redis.connection.credentials?.password.expose() == "hunter2")
    }

    @Test func `a password's file that is empty is none`() throws {
        let password = try folder.file("redis-password", "\n")
        let refused = #expect(throws: SettingsRefused.self) {
            try load(["--redis-url=redis://host", "--redis-password-file=\(password)"])
        }
        #expect(refused?.problems.map(\.message) == ["is empty: write the secret into it"])
    }

    private static let sentinel = [
        "--redis-url=redis://host", "--redis-topology=sentinel", "--redis-sentinel-master=bridge",
    ]

    @Test(arguments: [
        (["--redis-url=redis://:hunter2@host"], "redis.url"), (["--redis-url=hunter2"], "redis.url"),
        (["--redis-url=redis://host", "--redis-user=web"], "redis.password_file"),
        (["--redis-url=redis://host", "--redis-topology=sentinel"], "redis.sentinel_master"),
        (["--redis-url=redis://host", "--redis-sentinel-user=watcher"], "redis.sentinel_user"),
        (["--redis-url=redis://host", "--redis-sentinel-password-file=/nowhere"], "redis.sentinel_password_file"),
        (["--redis-url=redis://host/2", "--redis-topology=cluster"], "redis.url"),
        (["--redis-url=redis://host", "--redis-tls-ca-file=/a"], "redis.url"),
        (["--redis-url=rediss://host", "--redis-tls-certificate=/a"], "redis.tls.certificate"),
        (["--redis-url=redis://host", "--redis-prefix=a b"], "redis.prefix"),
        (["--redis-url=redis://host", "--redis-on-failure=allow"], "redis.on_failure"),
        (["--redis-url=redis://host", "--redis-password-file=/nowhere"], "redis.password_file"),
    ])
    func `what cannot be meant is refused, and no password shown`(flags: [String], key: String) throws {
        do {
            _ = try load(flags)
            Issue.record("accepted")
        } catch let refused as SettingsRefused {
            #expect(refused.problems.contains { $0.key == key })
            #expect(!refused.description.contains("hunter2"))
        }
    }

    @Test func `a TLS file that cannot be used is named under its own setting, in words of our own`() throws {
        let junk = try folder.file("junk.pem", "junk\n")
        let open = try folder.file("open.pem", "junk\n", mode: 0o644)
        for (flags, keys, path) in [
            (["--redis-tls-ca-file=/no/such.pem"], ["redis.tls.ca_file"], "/no/such.pem"),
            (["--redis-tls-ca-file=\(junk)"], ["redis.tls.ca_file"], junk),
            (
                ["--redis-tls-certificate=/no/such.pem", "--redis-tls-private-key=\(junk)"],
                ["redis.tls.certificate"], "/no/such.pem"
            ),
            (
                ["--redis-tls-certificate=\(junk)", "--redis-tls-private-key=\(junk)"], ["redis.tls.certificate"], junk
            ),
            (
                ["--redis-tls-certificate=\(junk)", "--redis-tls-private-key=\(open)"], ["redis.tls.private_key"], open
            ),
        ] {
            let refused = #expect(throws: SettingsRefused.self) { try load(["--redis-url=rediss://host"] + flags) }
            let told = refused?.description ?? ""
            #expect(refused?.problems.map(\.key) == keys, "\(told)")
            #expect(told.contains(path))
            for word in ["noSuch", ".build", "Error", "NIO"] { #expect(!told.contains(word), "\(told)") }
        }
    }

    @Test(arguments: ["--redis-sentinel-user=watcher", "--redis-sentinel-password-file=/nowhere"])
    func `sentinels' password is in a file that is there`(flag: String) throws {
        let refused = #expect(throws: SettingsRefused.self) { try load(Self.sentinel + [flag]) }
        #expect(refused?.problems.map(\.key) == ["redis.sentinel_password_file"])
    }

    @Test func `a password that others can read is refused`() throws {
        let password = try folder.file("redis-password", "hunter2\n", mode: 0o644)
        #expect(throws: SettingsRefused.self) {
            try load(["--redis-url=redis://host", "--redis-password-file=\(password)"])
        }
    }
}
