import Bridge
import BridgeHTTP
import Federation
import Foundation
import Testing

@testable import drawbridge

@Suite struct AuditForwarderSettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(_ forwarders: String) throws -> DrawbridgeSettings {
        let file = try folder.file(
            "drawbridge.yaml", "public_origin: https://www.example.com\naudit_forwarders:\n" + forwarders)
        return try DrawbridgeSettings.load(SettingsInputs(filePath: file))
    }

    private func problems(_ forwarders: String) throws -> [String] {
        try SettingsRefused.problems(of: load(forwarders))
    }

    @Test(arguments: [
        "tls://siem.example.com", "tls://siem.example.com:6514", "tls://[2001:db8::1]:7000", "tcp://127.0.0.1:601",
        "tcp://[::1]:601", "https://siem.example.com/in?index=audit", "http://127.0.0.1:8088/in",
    ])
    func `a receiver may be named like this`(url: String) throws {
        let target = try #require(try load("  - {name: siem, url: '\(url)'}").auditForwarders.first)
        #expect(target.name == "siem")
        #expect(target.start == .beginning)
        #expect(target.enterprise == 32473)
    }

    @Test func `where it begins, whose number it shows and a token are taken from the entry`() throws {
        let token = try folder.file("token", "Bearer abc\n")
        let targets = try load(
            "  - {name: a, url: 'https://siem.example.com/in', authorization_file: \(token), start: now}\n"
                + "  - {name: b, url: 'tcp://siem:601', allow_plaintext: true, enterprise_number: 4711}\n"
        ).auditForwarders
        #expect(targets.map(\.start) == [.now, .beginning])
        #expect(targets[1].enterprise == 4711)
        guard case .jsonLines(_, let authorization, _) = targets[0].receiver else {
            Issue.record("not JSON Lines")
            return
        }
        #expect(authorization?.expose() == "Bearer abc")
    }

    @Test(arguments: [
        ("https://siem.example.com", "https://siem.example.com"),
        ("https://siem.example.com/inputs/SEKRET/tag/http", "https://siem.example.com/…"),
        ("https://siem.example.com?key=SEKRET", "https://siem.example.com/…"),
        ("https://siem.example.com:8088/in?key=SEKRET", "https://siem.example.com:8088/…"),
        ("tls://siem.example.com", "tls://siem.example.com:6514"),
    ])
    func `a receiver is listed without what opens it, by check-config and in the console`(
        url: String, shown: String
    ) throws {
        let file = try folder.file(
            "drawbridge.yaml", "public_origin: https://a.example\naudit_forwarders: [{name: siem, url: '\(url)'}]\n")
        let inForce = try SettingsInForce(RawSettings.read(SettingsInputs(filePath: file)))
        let report = SettingsReport(inForce).text
        #expect(report.split(separator: "\n").contains("audit_forwarders: siem, \(shown)"), "\(report)")
        #expect(!report.contains("SEKRET"))
        let lines = SettingListing(inForce.settings, defaultTarget: nil).lines
        #expect(lines.first { $0.name == "audit_forwarders" }?.value == "siem: \(shown)")
    }

    @Test(arguments: [
        ("{url: 'tls://siem'}", "name (settings file, line 3): is required"),
        ("{name: siem}", "url (settings file, line 3): is required"),
        ("{name: SIEM, url: 'tls://siem'}", "lower-case"), ("{name: siem, url: 'udp://siem:514'}", "must be tls://"),
        ("{name: siem, url: 'tcp://siem.example.com:601'}", "in the clear"),
        ("{name: siem, url: 'tcp://127.0.0.1'}", "must be tls://"),
        ("{name: siem, url: 'tls://siem:0'}", "tls://host"), ("{name: siem, url: 'tls://siem:99999'}", "tls://host"),
        ("{name: siem, url: 'tls://siem/x'}", "tls://host"), ("{name: siem, url: 'tls://u@siem:6514'}", "tls://host"),
        ("{name: siem, url: 'tls://[siem]:6514'}", "tls://host"), ("{name: siem, url: 'tls://'}", "tls://host"),
        ("{name: siem, url: 'http://siem.example.com/in'}", "must be https"),
        ("{name: siem, url: 'tls://siem', ca_file: missing.pem}", "cannot be read: no such file or directory"),
        ("{name: siem, url: 'tls://siem', certificate: a.pem}", "certificate, private_key"),
        ("{name: siem, url: 'tls://siem', private_key: a.pem}", "certificate, private_key"),
        ("{name: siem, url: 'tls://siem', authorization_file: token}", "for https only"),
        ("{name: siem, url: 'tls://siem', start: yesterday}", "beginning or now"),
        ("{name: siem, url: 'tls://siem', enterprise_number: 0}", "whole number"),
        ("{name: siem, url: 'tls://siem', allow_plaintext: perhaps}", "true or false"),
        ("{name: siem, url: 'tls://siem', colour: red}", "colour"),
        ("{name: siem, url: 'tls://a'}\n  - {name: siem, url: 'tls://b'}", "is taken"),
        ("{name: siem, url: 'tls://a', colour: red}\n  - {name: siem, url: 'udp://b'}", "is taken"),
    ])
    func `a receiver that could not be served is refused`(entry: String, expected: String) throws {
        _ = try folder.file("token", "Bearer abc\n")
        let found = try problems("  - \(entry)")
        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }

    @Test func `a TLS file that cannot be used is named under its own field, in words of our own`() throws {
        let junk = try folder.file("junk.pem", "junk\n")
        for (fields, field, path) in [
            ("ca_file: missing.pem", "ca_file", "missing.pem"), ("ca_file: junk.pem", "ca_file", junk),
            ("certificate: missing.pem, private_key: junk.pem", "certificate", "missing.pem"),
            ("certificate: junk.pem, private_key: junk.pem", "certificate", junk),
        ] {
            let found = try problems("  - {name: siem, url: 'tls://siem', \(fields)}")
            #expect(found.count == 1, "\(found)")
            let told = found.first ?? ""
            #expect(told.hasPrefix("audit_forwarders[0].\(field) = ") && told.contains(path), "\(told)")
            for word in ["noSuch", ".build", "Error", "NIO"] { #expect(!told.contains(word), "\(told)") }
        }
    }
}
