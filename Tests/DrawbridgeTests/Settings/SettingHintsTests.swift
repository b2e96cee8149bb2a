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
