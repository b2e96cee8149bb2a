import Foundation
import Testing

@testable import drawbridge

/// What `check-config --online` says of what the first start makes, and of files that it only reads (docs/operations.md,
/// Start).
@Suite struct OnlineReportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ words: String..., more: String = "") async throws -> RanCommand {
        let settings = try folder.file(
            "drawbridge.yaml", "public_origin: http://127.0.0.1:1\ndata_directory: data\n\(more)\n")
        return await RanCommand(words + ["--config", settings])
    }

    private func online(_ more: String = "") async throws -> RanCommand {
        try await run("check-config", "--online", more: more)
    }

    @Test func `a database that is not set up is noted for the first start`() async throws {
        #expect(try await run("keys", "init").status == 0)
        _ = try folder.file("data/drawbridge.sqlite", "")
        let ran = try await online()
        let place = "\(folder.path)/data/drawbridge.sqlite"
        #expect(ran.lines.contains { $0.hasPrefix("note  database: \(place) is not set up by this version yet; ") })
        #expect(ran.status == 0, "\(ran.output)")
    }

    @Test(arguments: ["", "junk\n", "PRIVATE+KEY+n+00000000+AAAA\n"])
    func `an audit signing key that is none is told with its path`(text: String) async throws {
        #expect(try await run("keys", "init").status == 0)
        let path = try folder.file("data/audit-signing-key", text)
        let ran = try await online()
        #expect(ran.status == 1)
        #expect(ran.output.contains("FAIL  audit signing key: the audit signing key \(path) is malformed"))
    }

    @Test(
        arguments: [
            (nil, "cannot be read"), ("junk", "is not a JWK set"),
            (#"{"keys":[]}"#, "has no key for any of the allowed algorithms"),
        ] as [(String?, String)])
    func `an issuer's file without keys is told with its path`(text: String?, problem: String) async throws {
        #expect(try await run("keys", "init").status == 0)
        if let text { _ = try folder.file("keys.json", text) }
        let ran = try await online(
            "trusted_issuers: [{issuer: 'https://a.example', audience: here, jwks_file: keys.json, "
                + "subject_prefix: 'a:', clients: [a]}]")
        #expect(ran.status == 1)
        #expect(
            ran.output.contains("FAIL  trusted issuer https://a.example: \(folder.path)/keys.json: \(problem)"),
            "\(ran.output)\(ran.errors)")
    }

    @Test func `a default website that nobody knows is told, as it keeps every server from starting`() async throws {
        #expect(try await run("keys", "init").status == 0)
        let setting = "default_web_client: wwww"
        let line = "FAIL  default_web_client: wwww is not a client of the file or the database"
        let before = try await online(setting)
        #expect(before.lines.contains { $0 == line }, "\(before.output)")
        #expect(before.errors.contains("of the settings; no server starts unless the database has one."))
        #expect(try await run("migrate").status == 0)
        let after = try await online(setting)
        #expect(after.status == 1 && after.lines.contains { $0 == line }, "\(after.output)")
    }

    @Test(arguments: [
        ("texts", "en.json", "{bad"), ("templates", "confirm.mustache", "{{#open}}"),
    ])
    func `a page's file that keeps a server from starting is named`(
        section: String, name: String, content: String
    ) async throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/public/\(section)", withIntermediateDirectories: true)
        _ = try folder.file("public/\(section)/\(name)", content)
        let ran = try await run("check-config", more: "public_directory: public")
        #expect(ran.status == 1)
        let told = "  - public_directory = \"\(folder.path)/public\": \(section)/\(name) "
        #expect(ran.errors.contains(told), "\(ran.errors)")
    }

    @Test func `login token keys that the first start would take over are read`() async throws {
        #expect(try await run("keys", "init").status == 0)
        let path = try folder.file("data/login-token-keys.json", "{}")
        let ran = try await online()
        #expect(ran.status == 1)
        #expect(ran.output.contains("FAIL  login token keys: \(path) is not a key file"), "\(ran.output)")
        _ = try folder.file("data/login-token-keys.json", "{}", mode: 0o644)
        #expect(try await online().output.contains("FAIL  login token keys: \(path) can be read by others"))
    }

    @Test func `trusted proxies that may be anybody are warned of`() async throws {
        let ran = try await run("check-config", more: "trusted_proxies: [0.0.0.0/0]")
        #expect(ran.status == 0)
        #expect(ran.errors.contains("warning: trusted_proxies has 0.0.0.0/0: "))
    }
}
