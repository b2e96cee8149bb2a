import Bridge
import BridgeHTTP
import Foundation
import Logging
import Testing

@testable import drawbridge

/// What a server is put together to, and what it refuses to start with.
@Suite struct CompositionTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts a server on settings, without its listeners.
    private func compose(
        _ more: String, prepare: (any BridgeStorage) async throws -> Void = { _ in },
        reread: (@Sendable () throws -> ConfiguredClients)? = nil, logger: Logger = CompositionTests.logger,
        then body: (Composition) async throws -> Void = { _ in }
    ) async throws {
        if !FileManager.default.fileExists(atPath: folder.path + "/master-key") {
            _ = try folder.file("master-key", MasterKeyFile.make())
        }
        _ = try folder.file("issuer-key", String(repeating: "k", count: 32))
        let file = try folder.file(
            "drawbridge.yaml", "public_origin: https://www.example.com\ndata_directory: \(folder.path)\n\(more)\n")
        let settings = try DrawbridgeSettings.load(SettingsInputs(filePath: file))
        let watch = AuditWatch()
        let storage = try await ServerStorage.open(settings, watch: watch, logger: Self.logger)
        do {
            try await prepare(storage)
            let composition = try await Composition(
                settings: settings, storage: storage, accessLog: AccessLog { _ in }, logger: logger, watch: watch,
                rereadClients: reread)
            try await body(composition)
        } catch {
            try await storage.close()
            throw error
        }
        try await storage.close()
    }

    @Test func `a server is an OAuth provider unless it is told not to be`() async throws {
        try await compose("", then: { #expect($0.wings.provider != nil) })
    }

    @Test func `beside another provider there is no token endpoint and no device secret`() async throws {
        try await compose(
            "provider: {enabled: false}",
            then: { composition in
                #expect(composition.wings.provider == nil)
                #expect(composition.services.provider == nil)
                #expect(composition.services.device == nil)
            })
    }

    @Test func `a default website that nobody knows stops the start`() async throws {
        let refused = await #expect(throws: SettingsRefused.self) { try await compose("default_web_client: nosuch") }
        #expect(
            refused?.problems.map(\.description) == [
                "default_web_client = \"nosuch\": is not a client of the file or the database"
            ])
    }

    @Test func `a default website may be in the database alone`() async throws {
        try await compose(
            "default_web_client: shop",
            prepare: { storage in
                let event = AuditEvent(at: Timestamp(seconds: 1), type: .clientCreated, outcome: .success)
                let shop = try ClientSettingText.read(yaml: "{client_id: shop, client_type: web}")
                #expect(try await storage.save(shop, expecting: .absent, event: event))
            })
    }

    private static let namesAnybody =
        "provider: {enabled: false}\ntrusted_issuers: [{issuer: 'https://a.example', audience: b, "
        + "hmac: {secret_file: issuer-key}}]"

    @Test func `an issuer that may name anybody is believed where there are no accounts`() async throws {
        try await compose(Self.namesAnybody)
    }

    @Test func `accounts in the database stop a start with an issuer that could name them`() async throws {
        let refused = await #expect(throws: SettingsRefused.self) {
            try await compose(Self.namesAnybody, prepare: { try await Account.addSample(to: $0) })
        }
        #expect(refused?.problems.contains { $0.key.hasPrefix("trusted_issuers[https://a.example].") } == true)
    }

    @Test(arguments: ["junk", #"{"keys":[]}"#])
    func `an issuer's file without keys stops a start as refused settings do`(text: String) async throws {
        let path = try folder.file("keys.json", text)
        let refused = await #expect(throws: SettingsRefused.self) {
            try await compose(
                "provider: {enabled: false}\ntrusted_issuers: [{issuer: 'https://a.example', audience: b, "
                    + "jwks_file: keys.json}]")
        }
        #expect(refused?.problems.map(\.key) == ["trusted_issuers[https://a.example].jwks_file"])
        #expect(refused?.description.contains("jwks_file: \(path): ") == true)
    }

    @Test func `limits that are lifted hold nobody back`() async throws {
        try await compose("limits: {enabled: false}", then: { #expect($0.ground.limiter is UnlimitedRateLimiter) })
        try await compose("", then: { #expect($0.ground.limiter is InProcessRateLimiter) })
    }

    @Test func `a server without Redis says nothing of it`() async throws {
        try await compose(
            "",
            then: { composition in
                #expect(composition.ground.shared.readinessCheck == nil)
                #expect(composition.ground.shared.revocations == nil)
                let report = await composition.readiness.report()
                #expect(report.failed == [])
            })
    }

    @Test func `a reload takes in the file's clients, and keeps the old ones when it fails`() async throws {
        let fresh = [try ClientSettingText.read(yaml: "{client_id: fresh, client_type: native}")]
        try await compose(
            "clients: [{client_id: old, client_type: native}]",
            reread: { ConfiguredClients(clients: fresh, defaultTarget: nil) },
            then: { composition in
                await composition.reload()
                let clients = composition.clients.directory.current
                #expect(clients[ClientID(rawValue: "fresh")] != nil)
                #expect(clients[ClientID(rawValue: "old")] == nil)
            })
        try await compose(
            "clients: [{client_id: old, client_type: native}]", reread: { throw SettingsRefused(problems: []) },
            then: { composition in
                await composition.reload()
                #expect(composition.clients.directory.current[ClientID(rawValue: "old")] != nil)
            })
    }

    @Test func `a reload rereads the secrets of upstream providers, and names the one whose file cannot be used`()
        async throws
    {
        _ = try folder.file("first", "secret")
        _ = try folder.file("second", "secret")
        let lines = JSONLogLines()
        try await compose(
            "upstream_providers:\n"
                + "  - {id: one, issuer: 'https://a.example', client_id: c, client_secret_file: first}\n"
                + "  - {id: two, issuer: 'https://b.example', client_id: c, client_secret_file: second}",
            logger: lines.logger,
            then: { composition in
                await composition.reload()
                #expect(lines.count(of: "issuers' key files, upstream provider one, upstream provider two") == 1)
                _ = try folder.file("first", "")
                await composition.reload()
                #expect(lines.count(of: "could not reload upstream provider one; what was in force stays") == 1)
                #expect(lines.count(of: "upstream_providers[one].client_secret_file") == 1)
                #expect(lines.count(of: "issuers' key files, upstream provider two") == 1)
            })
    }

    @Test func `a reload names the file's clients that changed, and writes the change into the audit log`()
        async throws
    {
        let fresh = [
            try ClientSettingText.read(
                yaml: "{client_id: shop, client_type: web, return_paths: [/x, '/y/*'], default_return_path: /x}"),
            try ClientSettingText.read(yaml: "{client_id: fresh, client_type: native}"),
        ]
        let lines = JSONLogLines()
        try await compose(
            """
            clients:
              - {client_id: old, client_type: native}
              - {client_id: shop, client_type: web, return_paths: [/x], default_return_path: /x}
            """,
            reread: { ConfiguredClients(clients: fresh, defaultTarget: nil) }, logger: lines.logger,
            then: { composition in
                await composition.recordSettingsClients()
                for _ in 1...2 { await composition.reload() }
                let changed = "clients of the settings file changed: "
                #expect(lines.count(of: changed + "fresh (created), old (deleted), shop (return_paths)") == 1)
                #expect(lines.count(of: changed) == 1)
                let found = try await composition.ground.storage.search(AuditFilter(), before: nil, limit: 20)
                let told = found.records.filter { $0.event.actor == SettingsClients.actor }.reversed()
                    .map { "\($0.event.type.rawValue) \($0.event.clientID?.rawValue ?? "")" }
                #expect(
                    told == [
                        "client.created old", "client.created shop", "client.created fresh", "client.deleted old",
                        "client.changed shop",
                    ])
            })
    }

    @Test func `a reload names the settings that count after a restart`() async throws {
        let lines = JSONLogLines()
        try await compose(
            "",
            reread: {
                ConfiguredClients(
                    clients: [], defaultTarget: nil, changedBesides: ["trusted_issuers", "trusted_proxies"])
            },
            logger: lines.logger,
            then: { composition in
                await composition.reload()
                let warning = "trusted_issuers, trusted_proxies changed; that counts after a restart"
                #expect(lines.count(of: warning) == 1)
                #expect(lines.count(of: "reloaded clients, signing keys, issuers' key files") == 1)
            })
    }
}
