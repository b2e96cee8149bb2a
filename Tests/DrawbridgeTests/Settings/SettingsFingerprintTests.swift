import Bridge
import Testing

@testable import drawbridge

@Suite struct SettingsFingerprintTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fingerprint(_ yaml: String) throws -> SettingsFingerprint {
        let file = try folder.file("drawbridge.yaml", "public_origin: https://www.example.com\n\(yaml)\n")
        return SettingsFingerprint(.read(SettingsInputs(filePath: file)))
    }

    @Test(arguments: [
        ("", "trusted_proxies: [192.0.2.7]", ["trusted_proxies"]),
        (
            "trusted_issuers: [{issuer: 'https://a.example'}]", "trusted_issuers: [{issuer: 'https://b.example'}]",
            ["trusted_issuers"]
        ),
        ("limits: {enabled: true}", "limits: {enabled: false}", ["limits"]),
        (
            "database: postgres://a:one@db.example/d", "database: postgres://a:two@db.example/d\nnode: b",
            ["database", "node"]
        ),
        (
            "session: {cache_size: 5}", "session: {cache_size: 6, idle: 5m}\nlimits: {enabled: false}",
            ["limits", "session"]
        ),
        ("trusted_proxies: [192.0.2.7]", "# The balancer.\ntrusted_proxies:\n  - 192.0.2.7", []),
        ("", "node: main", []),
    ])
    func `what a change of the file changes is named by its topmost keys`(
        before: String, after: String, names: [String]
    ) throws {
        let earlier = try fingerprint(before)
        #expect(try fingerprint(after).changes(since: earlier) == names)
    }

    @Test func `a reread tells of what it does not take in, without its value`() throws {
        let start = try fingerprint("")
        let file = try folder.file(
            "drawbridge.yaml",
            "public_origin: https://www.example.com\nnode: other\nclients: [{client_id: a, client_type: web}]\n"
                + "default_web_client: a\n")
        let reread = try SettingsInForce(.read(SettingsInputs(filePath: file)))
        let found = ConfiguredClients(reread, since: start)
        #expect(found.changedBesides == ["node"])
        #expect(found.clients.map(\.id.rawValue) == ["a"])
    }

    @Test(arguments: [
        ("{lifetime: 2h, idle: 10m}", []), ("{cache_size: 5}", ["session"]),
        ("{lifetime: 2h, idle: 10m, cache_size: 5}", ["session"]),
    ])
    func `a reread takes in how long sessions live, and of the session settings nothing else`(
        session: String, waiting: [String]
    ) throws {
        let start = try fingerprint("")
        let file = try folder.file(
            "drawbridge.yaml",
            "public_origin: https://www.example.com\nsession: \(session)\n"
                + "clients: [{client_id: a, client_type: web, session_lifetime: 3600}]\n")
        let found = ConfiguredClients(try SettingsInForce(.read(SettingsInputs(filePath: file))), since: start)
        #expect(found.changedBesides == waiting)
        #expect(found.clients.map(\.sessionIdle) == [session.contains("idle") ? .seconds(600) : .seconds(1800)])
    }
}
