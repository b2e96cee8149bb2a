import Testing

@testable import drawbridge

/// What `check-config` says besides errors.
@Suite struct SettingHintsTests {
    @Test(arguments: [
        ("public_orgin", "public_origin"), ("publc_origin", "public_origin"), ("isuer", "issuer"),
    ])
    func `a slip of the pen leads to the name that was meant`(_ typed: String, _ meant: String) {
        #expect(NearestName.of(typed, among: ["issuer", "public_origin", "redis"]) == meant)
    }

    @Test(
        arguments: [
            ("data_dir", "data_directory"), ("session.c", "session.cache_size"), ("session.", nil), ("dat", nil),
        ] as [(String, String?)])
    func `a beginning leads to the one name that goes on so`(_ typed: String, _ meant: String?) {
        let names = ["data_directory", "session.cache_size", "session.lifetime"]
        #expect(NearestName.of(typed, among: names) == meant)
    }

    @Test(arguments: ["colour", "zzzzzz", ""])
    func `what resembles no name is not guessed at`(_ typed: String) {
        #expect(NearestName.of(typed, among: ["issuer", "public_origin"]) == nil)
    }

    private func warnings(_ yaml: String) throws -> [String] {
        let folder = try TemporaryFolder()
        let file = try folder.file("drawbridge.yaml", "public_origin: https://www.example.com\n" + yaml)
        return OriginWarnings(in: try .load(SettingsInputs(filePath: file))).sentences
    }

    @Test(arguments: [
        ("0.0.0.0/0", true), ("128.0.0.0/1", true), ("10.0.0.0/8", false), ("192.0.2.7", false), ("::/0", true),
        ("2000::/3", true), ("2001::/16", false), ("fd00::/8", false),
    ])
    func `a network of proxies that may hold anybody is warned of`(network: String, isTold: Bool) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file(
            "drawbridge.yaml", "public_origin: https://www.example.com\ntrusted_proxies: ['\(network)']\n")
        let found = SettingsWarnings.sentences(about: try .load(SettingsInputs(filePath: file)))
        #expect(found.count == (isTold ? 1 : 0))
        #expect(found.allSatisfy { $0.hasPrefix("trusted_proxies has \(network): ") })
    }

    private let website = "{client_id: shop, client_type: web, return_paths: [/a], default_return_path: /a}"

    @Test func `a console and sign-in pages at a website's host are warned of, with the website's name`() throws {
        let found = try warnings(
            "clients: [\(website), {client_id: app, client_type: native, redirect_uris: ['com.example.app:/cb']}]")
        #expect(found.count == 2)
        #expect(found.allSatisfy { $0.contains("shop") })
        #expect(found.first?.hasPrefix("admin.origin:") == true)
        #expect(found.last?.hasPrefix("issuer:") == true)
    }

    @Test func `hosts of their own are not warned of`() throws {
        #expect(
            try warnings(
                "issuer: https://id.example.com\nadmin: {origin: https://admin.example.com}\nclients: [\(website)]"
            ).isEmpty)
    }
}
