import Bridge
import Foundation
import Testing

@testable import drawbridge

@Suite struct SecretFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ content: String) throws -> SecretFile {
        SecretFile(path: try folder.file("secret", content))
    }

    private func file(_ content: [UInt8]) throws -> SecretFile {
        let path = "\(folder.path)/secret"
        try PrivateFile.replace(path, with: content)
        return SecretFile(path: path)
    }

    @Test(arguments: ["hunter2", "hunter2\n", "hunter2\r\n", "hunter2\r", "hunter2\n\n", "\r\n\nhunter2\n"])
    func `line ends around a text are no part of it`(content: String) throws {
        #expect(try file(content).text().expose() == "hunter2")
    }

    @Test(arguments: [" hunter2 ", "\thunter2", "hunter 2", "hunter\n2", "h\u{FC}ter"])
    func `what else is in a text's file is part of it`(text: String) throws {
        #expect(try file(text + "\n").text().expose() == text)
    }

    @Test(arguments: ["", "\n", "\r\n\r\n"])
    func `a text is not empty`(content: String) throws {
        let file = try file(content)
        #expect(throws: SecretFileError.empty) { try file.text() }
    }

    @Test func `a text that is not UTF-8 is refused, and not shown as something else`() throws {
        let file = try file([0x68, 0xFC, 0x0A])
        #expect(throws: SecretFileError.notText) { try file.text() }
    }

    @Test(arguments: [
        ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a\r", "a\r"), ("\na", "\na"), ("\r\n", ""),
        ("", ""),
    ])
    func `one line end behind a key is no part of it, and everything else is`(content: String, key: String) throws {
        #expect(try file(content).key().expose() == Array(key.utf8))
    }

    @Test func `a key may be any bytes`() throws {
        #expect(try file([0x0A, 0xFF, 0x00, 0x0A, 0x0A]).key().expose() == [0x0A, 0xFF, 0x00, 0x0A])
    }

    @Test func `a key's line end does not make it longer`() throws {
        #expect(try file("kk\n").key(atLeast: 2).expose().count == 2)
        let short = try file("k\n")
        let refused = #expect(throws: SecretFileError.self) { try short.key(atLeast: 2) }
        #expect(refused?.description == "needs at least 2 bytes")
    }

    @Test func `a header's value is taken without the empty lines around it`() throws {
        #expect(try file("\nBearer abc\r\n\n").authorization().expose() == "Bearer abc")
    }

    @Test(arguments: ["Bearer a\nBearer b", "Bearer \u{E4}", "Bearer a\tb"])
    func `a header's value is one line of ASCII`(content: String) throws {
        let file = try file(content)
        #expect(throws: SecretFileError.notOneLine) { try file.authorization() }
    }

    @Test func `a file that others can read is refused with the remedy`() throws {
        let path = try folder.file("open", "hunter2", mode: 0o640)
        let refused = #expect(throws: SecretFileError.self) { try SecretFile(path: path).text() }
        #expect(refused == .unreadable(.readableByOthers(path, mode: 0o640)))
        #expect(refused?.description.hasSuffix("run: chmod 600 \(path)") == true)
    }

    @Test func `a path that cannot be followed is told in words of our own`() throws {
        let path = try folder.file("secret", "hunter2") + "/below"
        let refused = #expect(throws: SecretFileError.self) { try SecretFile(path: path).key() }
        #expect(refused?.description == "\(path) cannot be read: what should be a folder in its path is a file")
    }

    @Test func `every setting that names a secret's file says alike that it is not there, and what to do`() throws {
        let settings = try folder.file(
            "drawbridge.yaml",
            """
            public_origin: https://www.example.com
            redis: {url: 'redis://host', topology: sentinel, sentinel_master: m, password_file: none,
                    sentinel_password_file: none}
            alerts: {webhook_secret_file: none}
            telemetry: {authorization_file: none}
            audit_forwarders: [{name: a, url: 'https://a.example/', authorization_file: none}]
            upstream_providers: [{id: o, issuer: 'https://o.example', client_id: c, client_secret_file: none}]
            trusted_issuers:
              - {issuer: a, audience: b, subject_prefix: 'a:', clients: [app], hmac: {secret_file: none}}
              - issuer: b
                audience: b
                subject_prefix: 'b:'
                clients: [app]
                introspection: {endpoint: 'https://b.example/i', client_id: c, client_secret_file: none}
            """)
        let refused = #expect(throws: SettingsRefused.self) {
            try DrawbridgeSettings.load(SettingsInputs(filePath: settings))
        }
        let problems = refused?.problems ?? []
        let path = "\(folder.path)/none"
        #expect(Set(problems.map(\.message)) == ["\(path) does not exist: write the secret there, mode 0600"])
        #expect(Set(problems.map(\.value)) == [path])
        #expect(
            Set(problems.map(\.key)) == [
                "redis.password_file", "redis.sentinel_password_file", "alerts.webhook_secret_file",
                "telemetry.authorization_file", "audit_forwarders[0].authorization_file",
                "upstream_providers[0].client_secret_file", "trusted_issuers[0].hmac.secret_file",
                "trusted_issuers[1].introspection.client_secret_file",
            ])
    }
}
