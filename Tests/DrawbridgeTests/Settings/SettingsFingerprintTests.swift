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

    @Test(arguments: [
        ("redis: {password_file: file}", ["redis"]), ("redis: {sentinel_password_file: file}", ["redis"]),
        ("redis: {tls: {certificate: file}}", ["redis"]), ("alerts: {webhook_secret_file: file}", ["alerts"]),
        ("telemetry: {authorization_file: file}", ["telemetry"]),
        ("audit_forwarders: [{name: a}, {name: b, authorization_file: file}]", ["audit_forwarders"]),
        // What a reload reads again.
        ("trusted_issuers: [{issuer: a, hmac: {secret_file: file}}]", []),
        ("upstream_providers: [{id: a, client_secret_file: file}]", []), ("tls: {private_key: file}", []),
    ])
    func `a file that is read at the start alone is changed when its content is`(yaml: String, names: [String]) throws {
        // Tokens of one issuer begin alike.
        let beginning = String(repeating: "k", count: 200)
        _ = try folder.file("file", beginning + "a")
        let earlier = try fingerprint(yaml)
        _ = try folder.file("file", beginning + "a")
        #expect(try fingerprint(yaml).changes(since: earlier) == [])
        _ = try folder.file("file", beginning + "b")
        #expect(try fingerprint(yaml).changes(since: earlier) == names)
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
