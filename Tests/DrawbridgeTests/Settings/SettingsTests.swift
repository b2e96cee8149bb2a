import Bridge
import BridgeHTTP
import Federation
import Foundation
import Testing

@testable import drawbridge

@Suite struct SettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(
        _ yaml: String, flags: [String] = [], environment: [String: String] = [:], secrets: String? = nil
    ) throws -> DrawbridgeSettings {
        let file = try folder.file("drawbridge.yaml", yaml)
        return try .load(
            SettingsInputs(flags: flags, environment: environment, secretsDirectory: secrets, filePath: file))
    }

    private func problems(
        _ yaml: String, flags: [String] = [], environment: [String: String] = [:]
    ) throws -> [String] {
        try SettingsRefused.problems(of: load(yaml, flags: flags, environment: environment))
    }

    private let origin = "public_origin: https://www.example.com\n"

    @Test(arguments: [
        ("", "/sign-in"), ("clients: [{client_id: rp, client_type: web}]", "/sign-in"),
        ("default_web_client: www\nclients: [{client_id: www, client_type: web}]", "/"),
        ("clients: [{client_id: a, client_type: native, may_reach: [www]}, {client_id: www, client_type: web}]", "/"),
        ("sign_in_url: https://login.example.com/", "https://login.example.com/"),
    ])
    func `people are sent to sign in where they can`(more: String, url: String) throws {
        #expect(try load(origin + more).signInURL == url)
    }

    @Test func `the example file is accepted as it is`() throws {
        let file = TemporaryFolder.package.appending(path: "Config/drawbridge.example.yaml")
        let settings = try DrawbridgeSettings.load(SettingsInputs(filePath: file.path(percentEncoded: false)))
        #expect(settings.clients.map(\.id) == ["phone-app", "www"])
        #expect(settings.trustedIssuers.map(\.issuer) == ["https://login.example.com"])
    }

    @Test(arguments: SettingKey.all)
    func `the example file shows the key`(_ key: SettingKey) throws {
        let url = TemporaryFolder.package.appending(path: "Config/drawbridge.example.yaml")
        let file = SettingsFile(yaml: try String(contentsOf: url, encoding: .utf8))
        #expect(file.names.contains(key.name), "\(key.name) is missing in the example")
    }

    @Test(arguments: SettingKey.all.filter { $0.fallback != nil && $0.kind != .list && !$0.isRequired })
    func `the example file shows the default`(_ key: SettingKey) throws {
        let url = TemporaryFolder.package.appending(path: "Config/drawbridge.example.yaml")
        let file = SettingsFile(yaml: try String(contentsOf: url, encoding: .utf8))
        #expect(file.entries[key.name]?.texts == key.fallback.map { [$0] })
    }

    @Test func `every problem is told at once, with its place`() throws {
        let found = try problems(
            """
            public_origin: https://www.example.com/shop
            login_token:
              lifetime: 30O
              lifetme: 30s
            session: {lifetime: 5m, idle: 10m}
            clients:
              - client_id: www
                client_type: web
                colour: red
            """, flags: ["--shutdown-grase", "5s"], environment: ["DRAWBRIDGE_LISTN": "x"])
        #expect(found.count == 7)
        for expected in [
            "--shutdown-grase: is not a known option, did you mean --shutdown-grace?",
            "DRAWBRIDGE_LISTN: is an environment variable that no setting reads, did you mean DRAWBRIDGE_LISTEN?",
            "login_token.lifetme (settings file, line 4): is not a known key, did you mean login_token.lifetime?",
            "public_origin = \"https://www.example.com/shop\" (settings file, line 1): must be an origin such as "
                + "https://www.example.com, without a path or a trailing slash",
            "login_token.lifetime = \"30O\" (settings file, line 3): must be a duration from 1s to 1m, such as 250ms, "
                + "60s, 30m, 12h or 7d",
            "session.idle = \"10m\" (settings file, line 5): must not be longer than session.lifetime",
            "clients[0].colour (settings file, line 9): is not a field of a client",
        ] {
            #expect(found.contains(expected), "\(found)")
        }
    }

    @Test(arguments: ["public_origin", "issuer", "admin.origin"])
    func `what is wrong with an origin that browsers spell in another way is told`(_ key: String) throws {
        for (text, told) in [
            ("https://b.example.com:443", "without the default port :443, as browsers send it: https://b.example.com"),
            ("http://localhost:80", "without the default port :80, as browsers send it: http://localhost"),
            ("HTTPS://WWW.example.com", "in lower case, as browsers send it: https://www.example.com"),
            (
                "https://WWW.example.com:443",
                "in lower case and without the default port :443, as browsers send it: https://www.example.com"
            ),
        ] {
            let website = key == "public_origin" ? "" : "public_origin: https://a.example.com\n"
            let found = try problems("\(website)\(key): \(text)\n")
            #expect(found.count == 1 && found.first?.hasPrefix(key) == true, "\(found)")
            #expect(found.first?.hasSuffix(": must be written \(told)") == true, "\(found)")
        }
        let found = try problems("public_origin: https://A.example.com:443/\n")
        #expect(found.first?.hasSuffix("without a path or a trailing slash") == true, "\(found)")
    }

    @Test func `contract §4: further paths redeem beside the one that every client knows`() throws {
        for (paths, expected) in [
            ("[/open]", ["/open", "/login-with-token"]),
            ("[/login-with-token, /open]", ["/login-with-token", "/open"]),
            ("[/open, /login-with-token]", ["/open", "/login-with-token"]),
        ] {
            #expect(try load(origin + "redemption_paths: \(paths)\n").site.redemptionPaths == expected)
        }
        #expect(try load(origin).site.redemptionPaths == ["/login-with-token"])
    }

    @Test(arguments: [
        ("return_path: /login-with-token", "self_issued.return_path = \"/login-with-token\""),
        ("return_path: /login-with-token/", "self_issued.return_path = \"/login-with-token/\""),
        ("request_path: /login-with-token", "self_issued.request_path = \"/login-with-token\""),
        ("return_path: /open", "self_issued.return_path = \"/open\""),
        ("request_path: /open/", "self_issued.request_path = \"/open/\""),
        ("request_path: /q, return_path: /q", "self_issued.return_path = \"/q\""),
        ("request_path: /q, return_path: /q/", "self_issued.return_path = \"/q/\""),
    ])
    func `a path that two settings name is refused, with a slash at its end too`(
        _ fields: String, _ place: String
    ) throws {
        let found = try problems(origin + "redemption_paths: [/open]\nself_issued: {enabled: true, \(fields)}\n")
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix(place) == true && found.first?.contains("is used twice: ") == true, "\(found)")
    }

    @Test func `paths that only begin alike are told apart`() throws {
        let fields = "request_path: /open/file, return_path: /open/answers"
        #expect(try problems(origin + "redemption_paths: [/open]\nself_issued: {enabled: true, \(fields)}\n") == [])
    }

    // RFC 8252 §7.3: `demo --listen [::1]:8080` has such an origin.
    @Test func `a phone is told an origin whose host is an IPv6 address`() throws {
        #expect(try problems("public_origin: 'http://[::1]:8080'\nself_issued: {enabled: true}\n") == [])
    }

    @Test(arguments: ["/%71", "/{x}", "/:x", "/*", "/**", "/q/../x", "/q//x", "/"])
    func `a path for phones has one spelling, and no meaning of its own to a router`(path: String) throws {
        let found = try problems(origin + "self_issued: {enabled: true, return_path: '\(path)'}\n")
        #expect(found.contains { $0.contains("must be a path such as /self-issued/callback") }, "\(found)")
    }

    @Test func `a flag beats the environment, which beats a secret file, which beats the file`() throws {
        let secrets = folder.path + "/secrets"
        try FileManager.default.createDirectory(atPath: secrets, withIntermediateDirectories: false)
        try Data("3s\n".utf8).write(to: URL(filePath: secrets + "/shutdown_grace"))
        let yaml = origin + "shutdown_grace: 4s\n"
        let environment = ["DRAWBRIDGE_SHUTDOWN_GRACE": "2s", "PATH": "/bin"]
        let flags = ["--shutdown-grace", "1s"]
        #expect(
            try load(yaml, flags: flags, environment: environment, secrets: secrets).process.shutdownGrace
                == .seconds(1))
        #expect(try load(yaml, environment: environment, secrets: secrets).process.shutdownGrace == .seconds(2))
        #expect(try load(yaml, secrets: secrets).process.shutdownGrace == .seconds(3))
        #expect(try load(yaml).process.shutdownGrace == .seconds(4))
        #expect(try load(origin).process.shutdownGrace == .seconds(10))
    }

    @Test(arguments: [
        ("public_origin: http://www.example.com", "must be https"),
        ("public_origin: http://localhost:8080\nlisten: 0.0.0.0:80", "would serve plain http to the network"),
        ("public_origin: https://a.example\nlisten: 127.0.0.1:80\nmanagement_listen: 127.0.0.1:80", "must differ"),
        ("public_origin: https://a.example\ntls: {certificate: /etc/hostname}", "tls.private_key: is required"),
        ("public_origin: https://a.example\nlogin_token: {lifetime: 61s}", "from 1s to 1m"),
        ("public_origin: https://a.example\nlogin_token: {lifetime: 60}", "from 1s to 1m"),
        ("public_origin: https://a.example\naudit: {retention: 1h}", "must be off, or a duration from 1d"),
        ("public_origin: https://a.example\nlimits: {issue: {user_burst: 180}}", "must be more than"),
        ("public_origin: https://a.example\nlimits: {issue: {client_burst: 5}}", "set together or not at all"),
        ("public_origin: https://a.example\nredemption_paths: [login]", "must be a path"),
        ("public_origin: https://a.example\nredemption_paths: ['/a?b']", "must be a path"),
        ("public_origin: https://a.example\nredemption_paths: ['/a/*']", "must be a path"),
        ("public_origin: https://a.example\nredemption_paths: ['/:a']", "must be a path"),
        ("public_origin: https://a.example\nredemption_paths: [/open/]", "must not end in a slash; write /open"),
        ("public_origin: https://a.example\nredemption_paths: [/login-with-token/]", "must not end in a slash"),
        ("public_origin: https://a.example\nredemption_paths: [/session]", "is used by the service itself"),
        ("public_origin: https://a.example\nredemption_paths: [/auth/check]", "is used by the service itself"),
        ("public_origin: https://a.example\nredemption_paths: [/account/devices]", "is used by the service itself"),
        ("public_origin: https://a.example\nredemption_paths: [/admin/keys]", "is used by the service itself"),
        ("public_origin: https://a.example\nredemption_paths: [/v0/sign_in/token]", "is used by the service itself"),
        ("public_origin: https://a.example\nredemption_paths: [/openapi.json]", "is used by the service itself"),
        ("public_origin: https://a.example\nredemption_paths: [/a, /a]", "names a path twice"),
        ("public_origin: https://a.example\ntrusted_proxies: [10.0.0.0/33]", "must be a network"),
        ("public_origin: https://a.example\nsign_in_url: //evil.example", "must be a path or an https URL"),
        ("public_origin: https://a.example\nnode: a b", "must be 1 to 60"),
        ("public_origin: https://a.example\nlog: {level: loud}", "must be one of"),
        ("public_origin: https://a.example\nlisten: [1, 2]", "must be an address"),
        ("public_origin: https://a.example\nlisten: 127.0.0.1:65536", "must be an address"),
        ("public_origin: https://a.example\npublic_directory: /nowhere", "is not a folder"),
        ("public_origin: https://a.example\ntrusted_isuers: {}", "is not a known key, did you mean trusted_issuers?"),
        ("public_origin: https://a.example\nlog: {levels: {}}", "is not a known key, did you mean log.level?"),
        ("public_origin: https://a.example\npublic_origin: https://b.example", "key given twice"),
        ("public_origin: [", "is not YAML"), ("just text", "must be a mapping"), ("", "is required"),
        ("public_origin: https://a.example\napp_links: {apple: [x]}", "must be an app id"),
        ("public_origin: https://a.example\napp_links: {apple_sign_in: [x]}", "must be an app id"),
        ("public_origin: https://a.example\napp_links: {android: ['a=00']}", "32 hex pairs"),
        ("public_origin: https://a.example\nclients: {a: b}", "must be a list of objects"),
        ("public_origin: https://a.example\nclients: [a]", "must be an object"),
        (
            "public_origin: https://a.example\nclients: [{client_id: a, client_type: native}, {client_id: a, client_type: native}]",
            "is taken"
        ),
    ])
    func `insecure or malformed settings are refused`(_ yaml: String, _ expected: String) throws {
        let found = try problems(yaml)
        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }

    @Test(arguments: [
        (
            "public_origin: https://a.example\nlisten: a\npublic_origin: https://b.example\nnode: a b",
            "key given twice: public_origin; first in line 1, again in line 3",
            ["listen = \"a\" (settings file, line 2)", "node = \"a b\" (settings file, line 4)"]
        ),
        (
            "public_origin: https://a.example\nlog:\n  level: info\n  \"level\" : loud\nlisten: a",
            "key given twice: level; first in line 3, again in line 4", ["listen = \"a\" (settings file, line 5)"]
        ),
        (
            "trusted_proxies: []\npublic_origin: https://a.example\ntrusted_proxies:\n- 10.0.0.0/33\n# a note\n"
                + "- 10.0.0.0/34\nlisten: a",
            "key given twice: trusted_proxies; first in line 1, again in line 3",
            ["listen = \"a\" (settings file, line 7)"]
        ),
        (
            "public_origin: https://a.example\nclients:\n  - client_id: a\n    client_type: native\n    client_id: c\n"
                + "  - client_id: d\n    client_type: native\nlisten: a",
            "key given twice: client_id; first in line 3, again in line 5",
            ["listen = \"a\" (settings file, line 8)"]
        ),
        (
            "public_origin: https://a.example\nlog:\n  level: info\nlog:\n  level: info\n  level: loud\nlisten: a",
            "key given twice: level; first in line 5, again in line 6",
            ["settings file: is not YAML: key given twice: log; first in line 2, again in line 4", "listen = "]
        ),
    ])
    func `beside a key that is there twice the file is told everything else that is wrong with it, contract §13`(
        _ yaml: String, _ expected: String, _ others: [String]
    ) throws {
        let found = try problems(yaml)
        #expect(found.count == 1 + others.count && found[0] == "settings file: is not YAML: \(expected)", "\(found)")
        for other in others {
            #expect(found.contains { $0.hasPrefix(other) }, "\(other): \(found)")
        }
    }

    @Test(arguments: [
        (
            "public_origin: https://a.example\nlimits: {issue: {user_burst: 7, user_burst: 8}}",
            "key given twice: user_burst; first in line 2"
        ),
        ("public_origin: https://a.example\nlisten: [", "line "),
    ])
    func `a file that is no YAML is the one problem, and nothing is said to be missing from it`(
        _ yaml: String, _ expected: String
    ) throws {
        let found = try problems(yaml)
        #expect(found.count == 1 && found[0].hasPrefix("settings file: is not YAML: \(expected)"), "\(found)")
    }

    @Test(arguments: [
        (
            "listen: 127.0.0.1:80\npublic_origin: https://a.example\nmanagement_listen: 127.0.0.1:80",
            "management_listen = \"127.0.0.1:80\" (settings file, line 3): must differ from listen (settings file, "
                + "line 1)"
        ),
        (
            "public_origin: https://a.example\nlisten: 127.0.0.1:8081",
            "management_listen = \"127.0.0.1:8081\" (default): must differ from listen (settings file, line 2)"
        ),
        (
            "public_origin: https://a.example\nredis: {url: 'redis://a', topology: sentinel}",
            "redis.sentinel_master: is required when redis.topology is sentinel (settings file, line 2)"
        ),
        (
            "public_origin: https://a.example\nredis: {url: 'redis://a', user: b}",
            "redis.password_file: is required when redis.user is set (settings file, line 2)"
        ),
    ])
    func `what contradicts another setting is told with the place of both`(_ yaml: String, _ expected: String) throws {
        let found = try problems(yaml)
        #expect(found.contains { $0.hasPrefix(expected) }, "\(found)")
    }

    @Test func `who named no settings file is told how to, and nobody else`() throws {
        let hint = "no settings file is named: give --config FILE, or set DRAWBRIDGE_CONFIG"
        let refused = #expect(throws: SettingsRefused.self) { try DrawbridgeSettings.load(SettingsInputs()) }
        #expect(refused?.problems.map(\.description).contains { $0.hasSuffix(hint) } == true, "\(refused as Any)")
        #expect(try problems("listen: 127.0.0.1:80").contains { $0.contains("no settings file") } == false)
        let given = try DrawbridgeSettings.load(
            SettingsInputs(environment: ["DRAWBRIDGE_PUBLIC_ORIGIN": "https://a.example"]))
        #expect(given.origins.website.description == "https://a.example")
    }

    @Test func `check-config shows the sign-in page that holds without a setting`() throws {
        let website = "default_web_client: www\nclients: [{client_id: www, client_type: web}]"
        for (more, expected) in [("", "/sign-in"), (website, "/")] {
            let file = try folder.file("drawbridge.yaml", origin + more)
            let report = SettingsReport(try SettingsInForce(RawSettings.read(SettingsInputs(filePath: file)))).text
            #expect(report.contains("sign_in_url: \(expected)  # default\n"), "\(report)")
        }
    }

    @Test func `what stands in the environment is told apart from what a file says`() throws {
        let found = try problems(origin, environment: ["DRAWBRIDGE_PURGE_INTERVAL": "often"])
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("purge.interval = \"often\" (environment DRAWBRIDGE_PURGE_INTERVAL)") == true)
    }

    @Test func `a list of objects cannot come from the environment or a flag`() throws {
        let found = try problems(origin, flags: ["--clients", "x"], environment: ["DRAWBRIDGE_CLIENTS": "x"])
        #expect(found.map { $0.contains("can only be set in the settings file") } == [true, true])
    }

    @Test func `a client without lifetimes takes those of the settings`() throws {
        let settings = try load(
            origin + "session: {lifetime: 2h, idle: 10m}\nclients: [{client_id: a, client_type: native}, "
                + "{client_id: b, client_type: native, session_lifetime: 300}]")
        #expect(settings.clients.map(\.sessionLifetime) == [.seconds(7200), .seconds(300)])
        #expect(settings.clients.map(\.sessionIdle) == [.seconds(600), .seconds(300)])
    }

    @Test func `no two keys share a flag, a variable or a secret file`() {
        #expect(Set(SettingKey.all.map(\.flag)).count == SettingKey.all.count)
        #expect(Set(SettingKey.all.map(\.environmentName)).count == SettingKey.all.count)
        #expect(Set(SettingKey.all.map(SecretFilesDirectory.fileName)).count == SettingKey.all.count)
    }

    @Test(arguments: SettingKey.all.filter { $0.fallback != nil })
    func `a default is a value that would be accepted`(_ key: SettingKey) throws {
        let fallback = try #require(key.fallback)
        #expect(try problems(origin, flags: key.kind == .list ? [] : ["\(key.flag)=\(fallback)"]) == [])
    }
}
