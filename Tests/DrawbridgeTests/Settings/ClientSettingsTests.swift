import Bridge
import Foundation
import Testing

@testable import drawbridge

/// What `check-config` and `serve` say about the clients of a settings file.
@Suite struct ClientSettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(_ clients: String) throws -> DrawbridgeSettings {
        let file = try folder.file("drawbridge.yaml", "public_origin: https://a.example\nclients: \(clients)\n")
        return try .load(SettingsInputs(filePath: file))
    }

    private func problems(_ clients: String) throws -> [String] { try SettingsRefused.problems(of: load(clients)) }

    @Test(arguments: ["/session/logout", "/oauth/authorize", "/account/devices", "/sign-in-help"])
    func `a link may land at a page of the service, as ever`(path: String) throws {
        let clients = "[{client_id: a, client_type: web, return_paths: ['\(path)', /home], default_return_path: /home}]"
        #expect(try problems(clients).isEmpty)
    }

    @Test func `every fault of every client is told at once`() throws {
        let found = try problems(
            """

              - {client_id: a, client_type: native, foo: 1, bar: 2, session_lifetime: 1}
              - client_id: b
                client_type: web
                redirect_uris: ["http://shop.example/a", "https://shop.example/#b"]
            """)
        #expect(
            found.map { $0.prefix { $0 != " " } } == [
                "clients[0].bar", "clients[0].foo", "clients[0].session_lifetime", "clients[1].redirect_uris",
                "clients[1].redirect_uris",
            ], "\(found)")
    }

    @Test func `what a client's fields mean here is told beside the faults of others`() throws {
        let found = try problems(
            """

              - {client_id: a, client_type: web, foo: 1, theme_logo: none.svg, cookie_profile: tokens}
              - {client_id: a, client_type: native, session_lifetime: 1}
              - {client_id: "b c", client_type: native}
              - {client_id: "b c", client_type: native}
            provider: {enabled: false}
            """)
        #expect(
            found.map { $0.prefix { $0 != " " } } == [
                "clients[0].foo", "clients[0].theme_logo", "clients[0].cookie_profile", "clients[1].session_lifetime",
                "clients[1].client_id", "clients[2].client_id", "clients[3].client_id",
            ], "\(found)")
    }

    @Test(arguments: ["tokens", "session"])
    func `cookies that hold access tokens are refused where nothing signs them`(profile: String) throws {
        let clients =
            "[{client_id: shop, client_type: web, return_paths: [/b], default_return_path: /b, "
            + "cookie_profile: \(profile)}]"
        #expect(try problems(clients).isEmpty)
        let found = try problems("\(clients)\nprovider: {enabled: false}")
        guard profile == "tokens" else { return #expect(found.isEmpty) }
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("clients[0].cookie_profile = \"tokens\" ") == true, "\(found)")
        #expect(found.first?.contains("needs provider.enabled") == true)
        #expect(found.first?.hasSuffix("cookies of shop") == true)
    }

    @Test func `what only an OAuth provider gives is warned of where there is none`() throws {
        let clients = """

              - {client_id: ops, client_type: service, scope: admin}
              - {client_id: backend, client_type: service, can_issue_login_tokens: true}
              - client_id: php
                client_type: web
                public_origin: https://php.example
                redemption_page: /login.php
                return_paths: [/members]
                default_return_path: /members
                backchannel_logout_uri: https://php.example/logout.php
            cross_device: {enabled: true}
            native_sso: {enabled: true}
            compatibility: {va_sign_in: true}
            """
        #expect(ProviderWarnings(in: try load(clients)).sentences == [])
        let found = ProviderWarnings(in: try load("\(clients)\nprovider: {enabled: false}")).sentences
        #expect(
            found.map { $0.prefix { $0 != " " } } == [
                "cross_device.enabled", "native_sso.enabled", "compatibility.va_sign_in", "clients[0].client_type:",
                "clients[2].redemption_page", "clients[2].backchannel_logout_uri",
            ], "\(found)")
        #expect(found.allSatisfy { $0.contains(" needs provider.enabled, which is false: ") })
    }

    @Test func `a client that can never prove itself is warned of with the remedy`() throws {
        let settings = try load("[{client_id: shop, client_type: web, redirect_uris: [https://shop.example/cb]}]")
        let found = ClientWarnings(in: settings).sentences
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("clients[0].client_secret_digest is missing, so that shop") == true)
        #expect(found.first?.contains("`drawbridge clients secret`") == true)
    }

    @Test func `the line that the command makes is the remedy`() throws {
        let secret = OpaqueSecret.make(.clientSecret, random: .system)
        let lines = ClientsCommand.SecretCommand.text(of: secret).split(separator: "\n")
        #expect(lines.first?.hasSuffix(" \(secret.expose())") == true)
        let line = try #require(lines.last)
        let settings = try load(
            "[{client_id: shop, client_type: web, redirect_uris: [https://shop.example/cb], \(line)}]")
        #expect(settings.clients.first?.secretDigest == secret.digest)
        #expect(ClientWarnings(in: settings).sentences == [])
    }

    @Test func `a website that is only opened with login tokens needs no secret`() throws {
        let settings = try load("[{client_id: a, client_type: web, return_paths: [/b], default_return_path: /b}]")
        #expect(ClientWarnings(in: settings).sentences == [])
    }

    @Test(
        arguments: [
            ("b, client_type: native", "which is not a website"),
            ("b, client_type: web", "which has neither return_paths"),
            ("b, client_type: web, return_paths: [/b], default_return_path: /b", nil),
        ] as [(String, String?)])
    func `a default website that no app can open is warned of`(_ client: String, _ expected: String?) throws {
        let warnings = ClientWarnings(in: try load("[{client_id: \(client)}]\ndefault_web_client: b")).sentences
        guard let expected else { return #expect(warnings == []) }
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("default_web_client names b, \(expected)") == true, "\(warnings)")
    }

    static let apart = "issuer: https://login.example\ndefault_web_client: b"

    @Test(
        arguments: [
            ("", apart, "set portal: true and may_reach with b for b."),
            ("may_reach: [b]", apart, "set portal: true and may_reach with b for b."),
            ("may_reach: [b], portal: true", apart, nil),
            ("", "issuer: https://login.example", "let default_web_client name a website with portal: true"),
            ("", "", nil),
            ("redirect_uris: [https://a.example/cb], require_pkce: true", "issuer: https://login.example", nil),
            ("", "issuer: https://login.example\ndefault_web_client: elsewhere", nil),
            ("cookie_profile: tokens, cookie_domain: .a.example", "issuer: https://login.a.example", nil),
            ("", "\(apart)\nsign_in_url: /login", nil),
            ("", "\(apart)\nsign_in_url: 'https://accounts.example/'", nil),
            ("", "\(apart)\nsign_in_url: /sign-in", "set portal: true and may_reach with b for b."),
            ("", "\(apart)\nsign_in_url: /session/sign-in", "set portal: true and may_reach with b for b."),
        ] as [(String, String, String?)])
    func `contract §4.6: a website that a sign-in at the issuer's origin never reaches is warned of`(
        _ fields: String, _ more: String, _ remedy: String?
    ) throws {
        let website = "client_id: b, client_type: web, return_paths: [/b], default_return_path: /b"
        let settings = try load("[{\(website)\(fields.isEmpty ? "" : ", ")\(fields)}]\n\(more)")
        let warnings = ClientWarnings(in: settings).sentences.filter { $0.contains("is not signed in at") }
        #expect(warnings.count == (remedy == nil ? 0 : 1), "\(warnings)")
        guard let remedy else { return }
        let facts = "who signs in at https://login.example is not signed in at https://a.example, the origin of b: "
        #expect(warnings.first?.hasPrefix("clients[0]: \(facts)\(remedy)") == true, "\(warnings)")
    }

    @Test(
        arguments: [
            ("", "issuer: https://login.example", "with landing: initiate_login it does."),
            ("landing: initiate_login, initiate_login_uri: https://a.example/in", "issuer: https://login.example", nil),
            ("public_origin: https://b.example", "issuer: https://login.example", nil),
            ("public_origin: https://b.example, redemption_page: /in", "issuer: https://login.example", nil),
            ("", "", nil),
            ("cookie_profile: tokens", "", "only sessions of cookie_profile: session do."),
        ] as [(String, String, String?)])
    func `contract §4.5: a relying party whose links do not answer its own sign-in is warned of`(
        _ fields: String, _ more: String, _ remedy: String?
    ) throws {
        let website =
            "client_id: b, client_type: web, return_paths: [/b], default_return_path: /b, "
            + "redirect_uris: [https://b.example/cb]"
        let settings = try load("[{\(website)\(fields.isEmpty ? "" : ", ")\(fields)}]\n\(more)")
        let warnings = ClientWarnings(in: settings).sentences.filter { $0.contains("does not answer its own sign-in") }
        #expect(warnings.count == (remedy == nil ? 0 : 1), "\(warnings)")
        guard let remedy else { return }
        #expect(warnings.first?.hasPrefix("clients[0]: what the login links of b open ") == true, "\(warnings)")
        #expect(warnings.first?.hasSuffix(remedy) == true, "\(warnings)")
    }

    @Test(
        arguments: [
            ("return_paths: [/b], default_return_path: /b", true),
            ("return_paths: [/b], default_return_path: /b, first_party: true", false),
            ("return_paths: [/b], default_return_path: /b, public_origin: https://b.example", false),
            ("", false),
            (
                "return_paths: [/b], default_return_path: /b, landing: initiate_login, "
                    + "initiate_login_uri: https://b.example/in", false
            ),
        ])
    func `contract §16.3: a relying party whose links land here and sign nobody in is warned of`(
        _ fields: String, _ isWarned: Bool
    ) throws {
        let website = "client_id: b, client_type: web, redirect_uris: [https://b.example/cb]"
        let settings = try load("[{\(website)\(fields.isEmpty ? "" : ", ")\(fields)}]")
        let warnings = ClientWarnings(in: settings).sentences.filter { $0.contains("signs nobody in") }
        let sentence =
            "clients[0]: the login links of b land at https://a.example, where what they open signs nobody in, because "
            + "its redirect_uris are elsewhere: set public_origin, or first_party: true for one of your own."
        #expect(warnings == (isWarned ? [sentence] : []))
    }

    @Test func `a client in the database may be named, with a warning`() throws {
        let settings = try load(
            "[{client_id: a, client_type: native, may_reach: [b, nosuch], share_with: [c]}, {client_id: b, client_type: native}]"
        )
        let warnings = ClientWarnings(in: settings).sentences
        #expect(warnings.count == 2)
        #expect(warnings.first?.hasPrefix("clients[0].may_reach names nosuch,") == true, "\(warnings)")
        #expect(warnings.last?.hasPrefix("clients[0].share_with names c,") == true)
    }

    @Test func `RFC 8252 §8.6: an app that may link keys, and that others can pass for, is warned about`() throws {
        let settings = try load(
            """
            [{client_id: own, client_type: native, redirect_uris: ['com.example.app:/cb']},
              {client_id: claimed, client_type: native, redirect_uris: ['https://app.example/cb']},
              {client_id: site, client_type: web, redirect_uris: ['https://b.example/cb'], require_pkce: true}]
            self_issued: {enabled: true, linking_apps: [own, claimed, site, nosuch]}
            """)
        let warnings = ClientWarnings(in: settings).sentences.filter { $0.hasPrefix("self_issued.linking_apps") }
        #expect(warnings.count == 3, "\(warnings)")
        #expect(warnings.contains { $0.contains("nosuch, which is not a client") })
        #expect(warnings.contains { $0.contains("own, which has a redirect address that any app") })
        #expect(warnings.contains { $0.contains("site, which is not an app") })
    }

    @Test(
        arguments: [
            ("/in.php, token_endpoint_auth_method: none", "token_endpoint_auth_method is none"),
            ("/in.php", "client_secret_digest is missing"),
            ("/login-with-token, token_endpoint_auth_method: none", nil), ("/login-with-token", nil),
        ] as [(String, String?)])
    func `contract §4.4: a page for login links whose server cannot redeem them is warned of`(
        _ page: String, _ lack: String?
    ) throws {
        let settings = try load(
            "[{client_id: a, client_type: web, public_origin: https://a.example, return_paths: [/b], "
                + "default_return_path: /b, redemption_page: \(page)}]")
        let warnings = ClientWarnings(in: settings).sentences
        guard let lack else { return #expect(warnings == []) }
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("clients[0].redemption_page leads the login links of a to /in.php") == true)
        #expect(warnings.first?.contains(lack) == true, "\(warnings)")
    }

    @Test(arguments: ["", "app_links: {apple: [ABCDE12345.com.example.app]}"])
    func `keys on phones without an app that claims our links are warned about`(links: String) throws {
        let settings = try load("[]\nself_issued: {enabled: true}\n\(links)")
        let warnings = ClientWarnings(in: settings).sentences.filter { $0.hasPrefix("self_issued.enabled without") }
        #expect(warnings.count == (links.isEmpty ? 1 : 0))
    }

    @Test(
        arguments: [
            ("[email, phone_number, birthdate]", "phone_number, birthdate"), ("[email, name, picture]", nil),
        ] as [(String, String?)])
    func `claims that phones are asked for and nothing becomes of are warned about`(
        _ claims: String, _ unused: String?
    ) throws {
        let settings = try load("[]\nself_issued: {enabled: true, claims: \(claims)}")
        let warnings = ClientWarnings(in: settings).sentences.filter { $0.hasPrefix("self_issued.claims has ") }
        #expect(warnings.count == (unused == nil ? 0 : 1), "\(warnings)")
        if let unused { #expect(warnings.first?.hasPrefix("self_issued.claims has \(unused): ") == true) }
    }

    @Test(
        arguments: [
            ("logo_url: 'https://elsewhere.example/l.png'", "self_issued.logo_url"),
            ("policy_url: 'https://a.example.evil.example/'", "self_issued.policy_url"),
            ("policy_url: 'https://a.example@evil.example/'", "self_issued.policy_url"),
            ("logo_url: 'https://a.example/l.png', policy_url: 'https://A.example:8443/p'", nil),
            ("policy_url: 'https://a.example'", nil),
        ] as [(String, String?)])
    func `a logo and a page that phones drop, since they are at another host, are warned about`(
        _ fields: String, _ named: String?
    ) throws {
        let settings = try load("[]\nself_issued: {enabled: true, \(fields)}")
        let warnings = ClientWarnings(in: settings).sentences.filter { $0.contains(" leads to another host than ") }
        #expect(warnings.count == (named == nil ? 0 : 1), "\(warnings)")
        if let named { #expect(warnings.first?.hasPrefix("\(named) leads to another host than a.example,") == true) }
    }
}
