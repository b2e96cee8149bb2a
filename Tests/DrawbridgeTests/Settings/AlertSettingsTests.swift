import Bridge
import Foundation
import Testing

@testable import drawbridge

@Suite struct AlertSettingsTests {
    private static let key = String(repeating: "k", count: 32)
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [
        ("https://siem.example/alerts", true), ("https://siem.example:8443/?key=1", true),
        ("http://siem.example/alerts", false), ("https://siem.example/alerts#x", false),
        ("https://siem.example#x", false), ("ftp://siem.example/alerts", false), ("siem.example/alerts", false),
    ])
    func `alerts go to an https address alone`(address: String, isTaken: Bool) {
        let reader = SettingsReader(RawSettings(given: [AlertSettings.webhook.key: address]))
        _ = AlertSettings(reading: reader)
        let message = "must be an https URL without user, password or fragment"
        #expect(reader.problems.map(\.message) == (isTaken ? [] : [message]))
    }

    @Test func `each rule has the threshold of its own setting, and 0 turns it off`() throws {
        var given: [SettingKey: String] = [:]
        for (name, threshold) in [
            ("alerts.replays", 5), ("alerts.refusals", 700), ("alerts.exchange_failures", 80),
            ("alerts.sign_in_failures", 0), ("alerts.reported_sign_ins", 4),
        ] {
            let key = try #require(SettingKey.byName[name])
            given[key] = "\(threshold)"
        }
        let expected: [(AlertRule.Name, Int64)] = [
            (.replays, 5), (.refusals, 700), (.exchangeFailures, 80),
            // More than three are at least four.
            (.reportedSignIns, 3),
        ]
        let rules = AlertSettings(reading: SettingsReader(RawSettings(given: given))).rules
        #expect(rules == expected.map { AlertRule(name: $0.0, threshold: $0.1) })
    }

    private func read(secret text: String, mode: Int = 0o600) throws -> (secret: String?, problems: [SettingError]) {
        let path = try folder.file("alert-key", text, mode: mode)
        let reader = SettingsReader(RawSettings(given: [AlertSettings.webhookSecretFile.key: path]))
        let secret = AlertSettings(reading: reader).webhookSecret?.expose()
        return (secret.map { String(decoding: $0, as: UTF8.self) }, reader.problems)
    }

    @Test func `the secret is a key, of which one line end alone is no part`() throws {
        let (secret, problems) = try read(secret: "\n\(Self.key)\n\n")
        #expect(secret == "\n\(Self.key)\n")
        #expect(problems == [])
    }

    @Test(arguments: ["", "\n", String(repeating: "k", count: 31) + "\n"])
    func `a secret that is short or empty is refused`(text: String) throws {
        #expect(try read(secret: text).problems.map(\.message) == ["needs at least 32 bytes"])
    }

    @Test func `a secret that others can read, or that is not there, is refused once`() throws {
        let open = try read(secret: Self.key, mode: 0o644)
        #expect(open.secret == nil)
        #expect(open.problems.count == 1)
        let reader = SettingsReader(
            RawSettings(given: [AlertSettings.webhookSecretFile.key: folder.path + "/nowhere"]))
        #expect(AlertSettings(reading: reader).webhookSecret == nil)
        #expect(reader.problems.count == 1)
    }
}
