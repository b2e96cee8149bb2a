import Bridge
import BridgeHTTP
import Foundation
import Testing

@testable import drawbridge

/// Every declaration of a setting, walked: what it says of itself holds.
@Suite struct SettingDeclarationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let origin = OriginSettings.publicOrigin.key

    /// A setting, set beside the least that must be set.
    private static func given(_ key: SettingKey, _ text: String) -> [SettingKey: String] {
        // Some numbers have to be more than others, so those are set too.
        var given = [origin: "https://www.example.com"]
        given[key] = text
        for (least, most) in ordered where key == least { given[most] = "10000000" }
        for (least, most) in ordered where key == most { given[least] = "1" }
        for (least, most) in together where key == least && text != "0" { given[most] = "100000000" }
        for (least, most) in together where key == most && text != "0" { given[least] = "1" }
        if key == SessionSettings.idle.key { given[SessionSettings.lifetime.key] = "90d" }
        if key == SessionSettings.lifetime.key { given[SessionSettings.idle.key] = "60s" }
        return given
    }

    /// What is said of a setting, set beside the least that must be set.
    private func problems(setting key: SettingKey, to text: String) -> [SettingError] {
        let reader = SettingsReader(RawSettings(given: Self.given(key, text)))
        _ = DrawbridgeSettings(reading: reader)
        return reader.problems.filter { $0.key == key.name }
    }

    private static func pairs(_ names: [(String, String)]) -> [(SettingKey, SettingKey)] {
        names.compactMap { first, second in
            SettingKey.byName[first].flatMap { least in SettingKey.byName[second].map { (least, $0) } }
        }
    }

    private static let ordered = pairs([
        ("limits.issue.device_burst", "limits.issue.device_per_hour"),
        ("limits.issue.user_burst", "limits.issue.user_per_hour"),
        ("limits.issue.network_burst", "limits.issue.network_per_hour"),
        ("limits.authorize.user_burst", "limits.authorize.user_per_hour"),
        ("limits.refresh.user_burst", "limits.refresh.user_per_hour"),
    ])
    private static let together = pairs([("limits.issue.client_burst", "limits.issue.client_per_hour")])

    @Test func `no setting is declared twice, and every pair of these tests is one`() {
        let names = SettingKey.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count > 80)
        #expect(Self.ordered.count == 5)
        #expect(Self.together.count == 1)
    }

    @Test(arguments: SettingKey.all)
    func `a setting says what it is for, in a sentence`(_ key: SettingKey) {
        #expect(key.summary.hasSuffix("."))
        #expect(key.summary.count > 10)
    }

    @Test(arguments: SettingKey.all.filter { $0.fallback != nil })
    func `a default parses`(_ key: SettingKey) throws {
        #expect(problems(setting: key, to: try #require(key.fallback)) == [])
    }

    @Test(arguments: SettingKey.all)
    func `the ends of a range are accepted, and one beyond is refused`(_ key: SettingKey) {
        let (good, bad) = Self.edges(of: key.kind)
        for text in good {
            // The least of what must exceed another number is that number and one.
            let isExceeding = Self.ordered.contains { $0.1 == key } || Self.together.contains { $0.1 == key }
            let accepted = problems(setting: key, to: text)
            #expect(isExceeding || accepted == [], "\(key.name) = \(text): \(accepted)")
        }
        for text in bad {
            let expectation = "must be \(key.kind.expectation)"
            #expect(problems(setting: key, to: text).first?.message == expectation, "\(key.name) = \(text)")
        }
    }

    @Test func `an hour's count is more than what passes at once`() {
        for (burst, perHour) in Self.ordered + Self.together {
            for (count, isTaken) in [("9", false), ("10", false), ("11", true)] {
                let given = [Self.origin: "https://www.example.com", burst: "10", perHour: count]
                let reader = SettingsReader(RawSettings(given: given))
                _ = DrawbridgeSettings(reading: reader)
                let message = "must be more than \(burst.name), which is 10"
                let said = reader.problems.filter { $0.key == perHour.name }.map(\.message)
                #expect(said == (isTaken ? [] : [message]), "\(perHour.name) = \(count)")
            }
        }
    }

    /// Texts at the edges of what a kind accepts, and just beyond.
    private static func edges(of kind: SettingKind) -> (good: [String], bad: [String]) {
        switch kind {
        case .integer(let range):
            (
                ["\(range.lowerBound)", "\(range.upperBound)"],
                ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "01", "1.0", "+1", "", "one"]
            )
        case .fraction: (["0", "1", "0.01", "1.0"], ["-0.1", "1.01", "1%", ".5", "0.", "1e-2", "half", ""])
        case .duration(let range): edges(of: range)
        case .optionalDuration(let range):
            (edges(of: range).good + ["off"], edges(of: range).bad + ["on", "never"])
        case .boolean: (["true", "false"], ["yes", "1", "TRUE", ""])
        case .choice(let words): (words, words.map { $0 + "x" } + ["", words.joined(separator: ",")])
        case .address:
            (["127.0.0.1:1", "[::1]:65535", "localhost:1"], ["127.0.0.1:65536", "127.0.0.1", "::1:80", "host:80", ""])
        case .text, .path, .database, .origin, .list, .objects: ([], [])
        }
    }

    private static func edges(of range: ClosedRange<Duration>) -> (good: [String], bad: [String]) {
        let below = range.lowerBound - .milliseconds(1)
        return (
            [DurationText.describe(range.lowerBound), DurationText.describe(range.upperBound)],
            (below >= .zero ? [DurationText.describe(below)] : ["-1s"])
                + [DurationText.describe(range.upperBound + .milliseconds(1)), "60", "", "1 h"]
        )
    }

    @Test(arguments: SettingKey.all.filter { $0.kind != .objects })
    func `check-config lists the setting with its default`(_ key: SettingKey) throws {
        let inForce = try SettingsInForce(RawSettings(given: [Self.origin: "https://www.example.com"]))
        let lines = SettingsReport(inForce).text.split(separator: "\n").filter { $0.hasPrefix("\(key.name): ") }
        #expect(lines.count == 1)
        guard key != Self.origin else { return }
        #expect(lines.first?.hasSuffix("  # default") == true)
        if let fallback = key.fallback, !fallback.isEmpty {
            #expect(lines.first.map(String.init) == "\(key.name): \(fallback)  # default")
        }
    }

    /// A text that a kind accepts, not the default where that is easy.
    private static func text(of kind: SettingKind) -> String {
        switch kind {
        case .text: "/x"
        case .path: "/etc"
        case .database: "postgres://db.example/x"
        case .origin: "https://a.example"
        case .address: "127.0.0.1:7"
        case .boolean: "false"
        case .duration(let range), .optionalDuration(let range): DurationText.describe(range.upperBound)
        case .integer(let range): "\(range.upperBound)"
        case .fraction: "0.01"
        case .choice(let words): words.last ?? ""
        case .list, .objects: "one"
        }
    }

    /// Texts of settings that do not accept every text of their kind.
    private static let texts: [String: String] = [
        "trusted_proxies": "10.0.0.0/8", "node": "n1", "redemption_paths": "/enter",
        "app_links.android": "com.example.app=" + Array(repeating: "AA", count: 32).joined(separator: ":"),
        "app_links.apple": "ABCDE12345.com.example.app", "app_links.apple_sign_in": "ABCDE12345.com.example.app",
        "alerts.webhook": "https://a.example/x", "telemetry.endpoint": "https://a.example",
        "redis.url": "redis://cache.example", "redis.prefix": "x:", "self_issued.forms": "core7",
        "self_issued.logo_url": "https://a.example/x", "self_issued.policy_url": "https://a.example/x",
        "self_issued.app_urls": "https://a.example/x",
    ]
    /// What is listed in place of a text that may hold a secret.
    private static let shown = ["database": "db.example/x", "alerts.webhook": "https://a.example/…"]
    /// What is refused without another setting, or without a file that only its owner can read.
    private static let refusedAlone: Set = [
        "tls.certificate", "tls.private_key", "redis.user", "redis.password_file", "redis.sentinel_user",
        "redis.sentinel_password_file", "alerts.webhook_secret_file", "telemetry.authorization_file",
    ]

    @Test(arguments: SettingKey.all.filter { $0.kind != .objects })
    func `what the command line sets is listed as it was given`(_ key: SettingKey) throws {
        let text = Self.texts[key.name] ?? Self.text(of: key.kind)
        let raw = RawSettings(given: Self.given(key, text))
        guard !Self.refusedAlone.contains(key.name) else {
            #expect(throws: SettingsRefused.self) { try SettingsInForce(raw) }
            return
        }
        let lines = SettingsReport(try SettingsInForce(raw)).text.split(separator: "\n")
        #expect(lines.contains("\(key.name): \(Self.shown[key.name] ?? text)  # command line \(key.flag)"))
    }

    @Test func `a database's password is not listed`() throws {
        let raw = RawSettings(given: [
            Self.origin: "https://www.example.com", StorageSettings.database.key: "postgres://u:hunter2@db.example/x",
        ])
        let report = SettingsReport(try SettingsInForce(raw)).text
        #expect(report.contains("db.example"))
        #expect(!report.contains("hunter2"))
    }

    @Test func `the limits that the settings declare are those that hold without settings`() throws {
        let settings = try SettingsInForce(RawSettings(given: [Self.origin: "https://www.example.com"])).settings
        func buckets(_ limits: LimitSettings) -> [TokenBucket?] {
            [
                limits.issuePerDevice, limits.issuePerSubject, limits.issuePerNetwork, limits.issuePerClient,
                limits.authorizationPerSubject, limits.refreshPerSubject, limits.failedRedemptionPerNetwork,
                limits.refusedBearerPerNetwork, limits.failedSignIn, limits.wrongPasswordPerDay, limits.wrongCodePerDay,
                limits.rightPasswordPerAccount, limits.pushedRequestPerClient, limits.pushedRequestPerNetwork,
                limits.deviceAuthorizationPerClient, limits.deviceAuthorizationPerNetwork,
                limits.clientCredentialsPerClient, limits.phonePagesPerNetwork,
            ]
        }
        #expect(buckets(settings.rateLimits.limits) == buckets(LimitSettings()))
        #expect(settings.rateLimits.limits.webSessionsPerDevice == LimitSettings().webSessionsPerDevice)
        #expect(settings.listeners.connections == ServerLimits())
        #expect(settings.provider.passwordCost == .standard)
    }
}
