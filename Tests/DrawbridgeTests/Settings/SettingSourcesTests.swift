import Foundation
import Testing

@testable import drawbridge

/// Which source answers for a setting, and what is said when it cannot.
@Suite struct SettingSourcesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(
        _ yaml: String = "", flags: [String] = [], environment: [String: String] = [:], secrets: [String: String] = [:]
    ) throws -> RawSettings {
        let file = try folder.file("drawbridge.yaml", yaml)
        let directory = folder.path + "/secrets"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (name, text) in secrets { _ = try folder.file("secrets/\(name)", text) }
        return RawSettings.read(
            SettingsInputs(flags: flags, environment: environment, secretsDirectory: directory, filePath: file))
    }

    @Test func `each source names itself`() throws {
        let raw = try read(
            "purge:\n  interval: 4m\n", flags: ["--node=a"], environment: ["DRAWBRIDGE_LISTEN": "127.0.0.1:1"],
            secrets: ["site_name": "Shop\n"])
        #expect(raw.values["purge.interval"]?.source == .file(line: 2))
        #expect(raw.values["node"]?.source == .commandLine(flag: "--node"))
        #expect(raw.values["listen"]?.source == .environment(name: "DRAWBRIDGE_LISTEN"))
        #expect(raw.values["site_name"]?.source == .secretFile(name: "site_name"))
        #expect(raw.values["site_name"]?.text == "Shop")
        #expect(raw.values["data_directory"] == nil)
        #expect(raw.problems == [])
    }

    @Test func `what a stronger source sets to nothing is not looked for in a weaker one`() throws {
        let raw = try read(
            "site_name: Shop\nredemption_paths: [/a]\n", flags: ["--site-name="],
            environment: ["DRAWBRIDGE_REDEMPTION_PATHS": ""])
        #expect(raw.values["site_name"]?.text == "")
        #expect(raw.values["redemption_paths"]?.texts == [])
    }

    @Test(arguments: [
        ("database", "postgres://db.example/x"), ("redis.url", "redis://r.example"),
        ("admin.origin", "https://admin.example"), ("master_key_file", "/keys/master"),
    ])
    func `a variable or a secret file that nobody filled in hides nothing`(name: String, text: String) throws {
        let key = try #require(SettingKey.byName[name])
        let yaml = "\(name): \(text)\n"
        for blank in ["", " ", "\n"] {
            for raw in [
                try read(yaml, environment: [key.environmentName: blank]),
                try read(yaml, secrets: [SecretFilesDirectory.fileName(of: key): blank]),
            ] {
                #expect(raw.values[name]?.text == text)
                #expect(raw.values[name]?.source == .file(line: 1))
                #expect(raw.problems == [])
            }
        }
        // Nor does an empty variable hide a secret file.
        let secret = try read(
            environment: [key.environmentName: ""], secrets: [SecretFilesDirectory.fileName(of: key): text])
        #expect(secret.values[name]?.text == text)
    }

    @Test func `an empty list of what is allowed allows nothing, whatever the file says`() throws {
        let raw = try read("trusted_proxies: [10.0.0.0/8]\n", environment: ["DRAWBRIDGE_TRUSTED_PROXIES": ""])
        #expect(raw.values["trusted_proxies"]?.texts == [])
    }

    @Test(arguments: ["", " "])
    func `a database that the command line names as nothing is refused`(text: String) throws {
        let yaml = "database: postgres://db.example/x\n"
        for flags in [["--database=\(text)"], ["--database", text]] {
            #expect(
                try read(yaml, flags: flags).problems.map(\.description)
                    == ["--database: needs a value: a postgres:// URL"])
        }
    }

    @Test func `commas separate a list's elements everywhere but in the file`() throws {
        #expect(
            try read(flags: ["--redemption-paths=/a, /b,", "--redemption-paths", "/c"])
                .values["redemption_paths"]?.texts == ["/a", "/b", "/c"])
        #expect(
            try read(environment: ["DRAWBRIDGE_REDEMPTION_PATHS": "/a, /b,"])
                .values["redemption_paths"]?.texts == ["/a", "/b"])
        #expect(
            try read(secrets: ["redemption_paths": "/a, /b\n"]).values["redemption_paths"]?.texts == ["/a", "/b"])
        try FileManager.default.removeItem(atPath: folder.path + "/secrets")
        #expect(
            try read("redemption_paths: ['/a,/b', /c]").values["redemption_paths"]?.texts == ["/a,/b", "/c"])
    }

    @Test func `a comma is part of a value that is no list, wherever it stands`() throws {
        let (name, hosts) = ("Bed, Bath", "postgres://h1,h2/db")
        for raw in [
            try read(flags: ["--site-name=\(name)", "--database", hosts]),
            try read(environment: ["DRAWBRIDGE_SITE_NAME": name, "DRAWBRIDGE_DATABASE": hosts]),
            try read(secrets: ["site_name": name, "database": hosts]),
        ] {
            #expect(raw.problems == [])
            #expect(raw.values["site_name"]?.texts == [name])
            #expect(raw.values["database"]?.texts == [hosts])
        }
    }

    @Test func `two values where one is expected are refused on the command line`() throws {
        let repeated = try read(flags: ["--node", "a", "--node", "b"])
        #expect(repeated.values["node"] == nil)
        #expect(repeated.problems.map(\.description).contains("--node: is given more than once"))
    }

    @Test func `in the file a list where one value is expected is one text`() throws {
        #expect(try read("site_name: [Bed, Bath]").values["site_name"]?.text == "Bed,Bath")
    }

    @Test(arguments: ["", " "])
    func `a variable that names no file and no folder is none`(blank: String) {
        let environment = [
            SettingsInputs.filePathVariable: blank, SettingsInputs.secretsDirectoryVariable: blank,
        ]
        let inputs = SettingsInputs.process(
            flags: [], filePath: nil, secretsDirectory: nil, environment: environment)
        #expect(inputs.filePath == nil && inputs.secretsDirectory == nil)
        let raw = RawSettings.read(inputs)
        #expect(raw.problems == [])
        #expect(raw.namesNoFile)
    }

    @Test func `a folder of secrets that is none is said`() {
        let raw = RawSettings.read(SettingsInputs(secretsDirectory: folder.path + "/nowhere"))
        #expect(raw.problems.map(\.message) == ["is not a folder"])
    }

    @Test func `a secret that is there and cannot be read is not taken for one that nobody set`() throws {
        let directory = folder.path + "/secrets"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for (name, target) in [("database", "nowhere"), ("site_name", "site_name"), ("..data", "nowhere")] {
            try FileManager.default.createSymbolicLink(atPath: "\(directory)/\(name)", withDestinationPath: target)
        }
        try FileManager.default.createDirectory(atPath: directory + "/node", withIntermediateDirectories: false)
        let problems = try read().problems.sorted { $0.key < $1.key }
        #expect(problems.map(\.key) == ["database", "node", "site_name"])
        #expect(problems.allSatisfy { $0.message.hasPrefix("cannot be read: ") })
        #expect(
            problems.first?.description
                == "database (secret file \(directory)/database): cannot be read: no such file or directory")
    }

    @Test func `a secret that is not text is said to be none`() throws {
        let directory = folder.path + "/secrets"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data([0xC3, 0x28]).write(to: URL(filePath: directory + "/site_name"))
        #expect(try read().problems.map(\.message) == ["cannot be read: it is not text in UTF-8"])
    }

    @Test func `a folder of secrets that may not be entered is said once`() throws {
        let directory = folder.path + "/locked"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o600])
        let raw = RawSettings.read(SettingsInputs(secretsDirectory: directory))
        let told = "secrets directory = \"\(directory)\": cannot be read: permission denied"
        // Root may enter every folder.
        #expect(raw.problems.map(\.description) == (geteuid() == 0 ? [] : [told]))
    }

    @Test func `a setting that the file has twice, dotted and nested, is told with both lines`() throws {
        let raw = try read("purge.interval: 4m\npurge:\n  interval: 5m\n")
        #expect(
            raw.problems.map(\.description) == [
                "purge.interval (settings file, line 3): is given twice, first in line 1"
            ])
        let list = try read("app_links:\n  apple: [a.b]\napp_links.apple: []\n")
        #expect(
            list.problems.map(\.description) == [
                "app_links.apple (settings file, line 3): is given twice, first in line 2"
            ])
    }

    @Test func `a key without a value is none of two`() throws {
        let raw = try read("purge.interval:\npurge:\n  interval: 5m\n")
        #expect(raw.problems == [])
        #expect(raw.values["purge.interval"]?.text == "5m")
    }

    @Test func `a flag without a value says what it expects`() throws {
        let raw = try read(flags: ["--listen", "--node", "a"])
        #expect(
            raw.problems.map(\.description) == [
                "--listen: needs a value: an address and a port, such as 127.0.0.1:8080 or [::1]:8080"
            ])
        #expect(raw.values["node"]?.text == "a")
    }
}
