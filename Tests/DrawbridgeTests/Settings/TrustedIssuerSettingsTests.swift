import Bridge
import Federation
import Foundation
import OAuth2
import Testing

@testable import drawbridge

@Suite struct TrustedIssuerSettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func problems(_ issuers: String, further: String = "") throws -> [String] {
        let file = try folder.file(
            "drawbridge.yaml", "public_origin: https://www.example.com\ntrusted_issuers:\n\(issuers)\n\(further)")
        return try SettingsRefused.problems(of: .load(SettingsInputs(filePath: file)))
    }

    @Test func `a shared secret comes from a file that only its owner can read`() throws {
        let good = try folder.file("good", String(repeating: "k", count: 32) + "\n")
        let open = try folder.file("open", String(repeating: "k", count: 32), mode: 0o644)
        let short = try folder.file("short", "abc")
        #expect(try problems("  - {issuer: a, audience: b, subject_prefix: 'a:', hmac: {secret_file: \(good)}}") == [])
        #expect(
            try problems("  - {issuer: a, audience: b, hmac: {secret_file: \(open)}}")
                .contains { $0.contains("can be read by others (mode 644)") })
        #expect(
            try problems("  - {issuer: a, audience: b, hmac: {secret_file: \(short)}}")
                .contains { $0.contains("hmac.secret_file (settings file, line 3): needs at least 32 bytes") })
    }

    @Test func `a secret for introspection is a text, of which the line ends around it are no part`() throws {
        _ = try folder.file("shown", "\nb\n\n")
        let file = try folder.file(
            "drawbridge.yaml",
            """
            public_origin: https://www.example.com
            trusted_issuers:
              - issuer: a
                audience: b
                subject_prefix: 'a:'
                introspection: {endpoint: 'https://a.example/i', client_id: c, client_secret_file: shown}
            """)
        let issuer = try DrawbridgeSettings.load(SettingsInputs(filePath: file)).trustedIssuers[0]
        guard case .introspection(_, _, let secret, let reread?) = issuer.verification else {
            Issue.record("no introspection with a file")
            return
        }
        #expect(secret.expose() == "b")
        #expect(try reread().expose() == "b")
    }

    @Test func `a secret for introspection is not empty, also at a reload`() throws {
        let empty = try folder.file("shown", "\n")
        let entry = "introspection: {endpoint: 'https://a.example/i', client_id: c, client_secret_file: shown}"
        let issuer = "  - {issuer: a, audience: b, subject_prefix: 'a:', \(entry)}"
        let told = "client_secret_file = \"\(empty)\" (settings file, line 3): is empty: write the secret into it"
        #expect(try problems(issuer) == ["trusted_issuers[0].introspection.\(told)"])
        _ = try folder.file("shown", "b\n")
        let settings = try DrawbridgeSettings.load(SettingsInputs(filePath: "\(folder.path)/drawbridge.yaml"))
        guard case .introspection(_, _, _, let reread?) = settings.trustedIssuers[0].verification else {
            Issue.record("no introspection with a file")
            return
        }
        _ = try folder.file("shown", "\n")
        let refused = #expect(throws: TrustedIssuerError.self) { try reread() }
        #expect(refused?.field == "introspection.client_secret_file")
        #expect(refused?.text == "is empty: write the secret into it")
    }

    @Test func `a secret that cannot be read hides nothing that is wrong among the issuers, contract §13`() throws {
        let open = try folder.file("open", String(repeating: "k", count: 32), mode: 0o644)
        let found = try problems(
            """
              - {issuer: a, audience: b, hmac: {secret_file: \(open)}}
              - {issuer: c, audience: b, subject_prefix: 'c:', jwks_uri: 'https://c.example/k'}
            """)
        for expected in [
            "can be read by others (mode 644)",
            "trusted_issuers[a].subject_prefix (settings file, line 3): is required where users sign in",
            "trusted_issuers[a].clients (settings file, line 3): is required as soon",
            "trusted_issuers[c].clients (settings file, line 4): is required as soon",
        ] {
            #expect(found.count(where: { $0.contains(expected) }) == 1, "\(expected) in \(found)")
        }
        #expect(found.count == 4, "\(found)")
    }

    @Test func `a prefix and clients that cannot be read are not said to be missing as well`() throws {
        let found = try problems(
            """
              - {issuer: a, audience: b, subject_prefix: [x], clients: {x: y}, jwks_uri: 'https://a.example/k'}
              - {issuer: c, audience: b, subject_prefix: 'c:', clients: [app], jwks_uri: 'https://c.example/k'}
            """)
        #expect(found.count == 2, "\(found)")
        for expected in ["subject_prefix (", "clients ("] {
            #expect(found.contains { $0.contains("trusted_issuers[0].\(expected)") }, "\(expected) in \(found)")
        }
    }

    @Test func `a secret is read again from its file as it was the first time`() throws {
        let (shared, shown) = (try folder.file("shared", Self.secret("a")), try folder.file("shown", "b\n"))
        let file = try folder.file(
            "drawbridge.yaml",
            """
            public_origin: https://www.example.com
            trusted_issuers:
              - {issuer: a, audience: b, subject_prefix: 'a:', clients: [app], hmac: {secret_file: shared}}
              - issuer: c
                audience: b
                subject_prefix: 'c:'
                clients: [app]
                introspection: {endpoint: 'https://c.example/i', client_id: c, client_secret_file: shown}
            """)
        let issuers = try DrawbridgeSettings.load(SettingsInputs(filePath: file)).trustedIssuers
        guard case .hmac(_, _, _, let rereadShared?) = issuers[0].verification,
            case .introspection(_, _, _, let rereadShown?) = issuers[1].verification
        else {
            Issue.record("no way to read the files again")
            return
        }
        _ = try folder.file("shared", Self.secret("c"))
        _ = try folder.file("shown", "d\n")
        #expect(try rereadShared().expose() == Array(Self.secret("c").utf8.dropLast()))
        #expect(try rereadShown().expose() == "d")
        for path in [shared, shown] { try FileManager.default.removeItem(atPath: path) }
        let missing = #expect(throws: TrustedIssuerError.self) { try rereadShared() }
        #expect(missing?.field == "hmac.secret_file")
        #expect(missing?.text.contains("/shared does not exist: ") == true)
        #expect(throws: TrustedIssuerError.self) { try rereadShown() }
    }

    @Test func `an upstream provider's secret is read again from its file as it was the first time`() throws {
        _ = try folder.file("shown", "b\n")
        let file = try folder.file(
            "drawbridge.yaml",
            """
            public_origin: https://www.example.com
            upstream_providers: [{id: o, issuer: 'https://o.example', client_id: c, client_secret_file: shown}]
            """)
        let provider = try DrawbridgeSettings.load(SettingsInputs(filePath: file)).upstreamProviders[0]
        let reread = try #require(provider.rereadSecret)
        #expect(provider.clientSecret.expose() == "b")
        _ = try folder.file("shown", "d\n")
        #expect(try reread().expose() == "d")
        let path = try folder.file("shown", "\n")
        let empty = #expect(throws: SettingError.self) { try reread() }
        let told = "client_secret_file = \"\(path)\": is empty: write the secret into it"
        #expect(empty?.description == "upstream_providers[o].\(told)")
    }

    @Test func `every field of an issuer is read from the settings file`() throws {
        // Where nobody signs in here, a prefix may stand beside shared subjects.
        let file = try folder.file(
            "drawbridge.yaml",
            """
            public_origin: https://www.example.com
            provider: {enabled: false}
            trusted_issuers:
              - issuer: c
                audience: [d]
                jwks_uri: https://c.example/k
                algorithms: [ES512]
                subject_claim: user
                client_claim: app
                fallback_client_claim: azp
                device_claim: phone
                groups_claim: roles
                subject_prefix: 'c:'
                shares_subjects_with_accounts: true
                clients: [phone-app]
                leeway: 7s
                max_token_lifetime: 2h
            """)
        let issuer = try DrawbridgeSettings.load(SettingsInputs(filePath: file)).trustedIssuers[0]
        let expected = TrustedIssuerSettings(
            issuer: "c", audiences: ["d"], verification: .jwksURL("https://c.example/k"), algorithms: [.es512],
            subjectClaim: "user", clientClaim: "app", fallbackClientClaim: "azp", deviceClaim: "phone",
            groupsClaim: "roles", subjectPrefix: "c:", sharesSubjectsWithAccounts: true, clients: ["phone-app"],
            leeway: .seconds(7), maximumTokenLifetime: .seconds(7200))
        #expect(Self.fields(of: issuer) == Self.fields(of: expected))
        let plain = TrustedIssuerSettings(issuer: "a", audiences: ["b"], verification: .discovery)
        for (field, fallback) in zip(Self.fields(of: issuer), Self.fields(of: plain)) {
            #expect(field != fallback, "each is set to what is not its default")
        }
    }

    /// Its fields and what they hold, as they are declared. Sets are told apart while they have one element each.
    private static func fields(of issuer: TrustedIssuerSettings) -> [String] {
        Mirror(reflecting: issuer).children.map { "\($0.label ?? "") = \($0.value)" }
    }

    @Test func `RFC 9864: EdDSA may be called Ed25519`() throws {
        let file = try folder.file(
            "drawbridge.yaml",
            """
            public_origin: https://www.example.com
            provider: {enabled: false}
            trusted_issuers: [{issuer: a, audience: b, jwks_uri: 'https://a.example/k', algorithms: [Ed25519, ES256]}]
            """)
        let issuer = try DrawbridgeSettings.load(SettingsInputs(filePath: file)).trustedIssuers[0]
        #expect(issuer.algorithms == [.edDSA, .es256])
    }

    private static func secret(_ letter: String) -> String { String(repeating: letter, count: 32) + "\n" }

    @Test func `a relative path starts at the settings file`() throws {
        _ = try folder.file("key", String(repeating: "k", count: 32))
        #expect(try problems("  - {issuer: a, audience: b, subject_prefix: 'a:', hmac: {secret_file: key}}") == [])
    }

    @Test func `one issuer alone needs a prefix unless nobody signs in here`() throws {
        let issuer = "  - {issuer: a, audience: b, jwks_uri: 'https://a.example/k'}"
        let secret = try folder.file("secret", "s")
        let upstream = "[{id: o, issuer: 'https://o.example', client_id: c, client_secret_file: \(secret)}]"
        let off = "provider: {enabled: false}\n"
        for further in ["", off + "upstream_providers: \(upstream)", off + "self_issued: {enabled: true}"] {
            let found = try problems(issuer, further: further)
            let missing = "subject_prefix (settings file, line 3): is required where users sign in"
            #expect(found.contains { $0.contains(missing) }, "\(found)")
        }
        #expect(try problems(issuer, further: "provider: {enabled: false}") == [])
    }

    @Test func `an upstream provider's secret file that is empty is none`() throws {
        for text in ["", "\n"] {
            let secret = try folder.file("secret", text)
            let upstream = "[{id: o, issuer: 'https://o.example', client_id: c, client_secret_file: \(secret)}]"
            let issuer = "  - {issuer: a, audience: b, subject_prefix: 'a:', jwks_uri: 'https://a.example/k'}"
            let found = try problems(issuer, further: "upstream_providers: \(upstream)")
            let told = "client_secret_file = \"\(secret)\" (settings file, line 4): is empty: write the secret into it"
            #expect(found == ["upstream_providers[0].\(told)"])
        }
    }

    @Test(arguments: [
        ("  - {issuer: a, audience: b}", "exactly one of"),
        ("  - {issuer: a, audience: b, jwks_uri: 'https://a.example/k', jwks_file: k}", "exactly one of"),
        ("  - {issuer: a, jwks_uri: 'https://a.example/k'}", "audience (settings file, line 3): is required"),
        ("  - {audience: a, jwks_uri: 'https://a.example/k'}", "issuer (settings file, line 3): is required"),
        ("  - {issuer: a, audience: b, jwks_uri: 'http://a.example/k'}", "must be an https URL"),
        ("  - {issuer: a, audience: b, jwks_uri: 'https://a.example@evil.example/k'}", "must be an https URL"),
        ("  - {issuer: a, audience: b, discovery: true}", "must be an https URL"),
        ("  - {issuer: a, audience: b, jwks_uri: 'https://a.example/k', colour: red}", "colour"),
        ("  - {issuer: a, audience: b, jwks_uri: 'https://a.example/k', algorithms: [none]}", "algorithms"),
        (
            "  - {issuer: a, audience: b, introspection: {endpoint: 'https://a.example/i'}}",
            "client_id (settings file, line 3): is required"
        ),
        (
            "  - {issuer: a, audience: b, jwks_uri: 'https://a.example/k'}\n"
                + "  - {issuer: c, audience: b, jwks_uri: 'https://a.example/k'}", "subject_prefix"
        ),
        (
            "  - {issuer: a, audience: b, jwks_uri: 'https://a.example/k'}\n"
                + "  - {issuer: a, audience: b, subject_prefix: 'x:', jwks_uri: 'https://a.example/k'}", "twice"
        ),
    ])
    func `an issuer that could not be trusted is refused`(_ issuers: String, _ expected: String) throws {
        let found = try problems(issuers)
        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }
}
