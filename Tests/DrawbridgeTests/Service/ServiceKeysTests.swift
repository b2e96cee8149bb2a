import Bridge
import Foundation
import Logging
import OAuth2
import SQLStorage
import Testing

@testable import drawbridge

/// The keys of a server as it starts: on a folder of the first version, with another master key, with an old backup.
@Suite struct ServiceKeysTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func settings(_ more: String = "") throws -> DrawbridgeSettings {
        let file = try folder.file(
            "drawbridge.yaml", "public_origin: https://www.example.com\ndata_directory: \(folder.path)\n\(more)")
        return try DrawbridgeSettings.load(SettingsInputs(filePath: file))
    }

    private func start<Value>(
        _ settings: DrawbridgeSettings, _ body: (SigningKeys, any BridgeStorage) async throws -> Value
    ) async throws -> Value {
        let storage = try await ServerStorage.open(settings, watch: AuditWatch(), logger: Self.logger)
        let outcome: Result<Value, any Error>
        do {
            let keys = try await ServiceKeys.start(
                settings: settings, store: storage, master: try MasterKeyFile.load(settings.storage.masterKeyPath),
                announce: {}, time: TimeSource { [now] in now }, logger: Self.logger)
            outcome = .success(try await body(keys, storage))
        } catch {
            outcome = .failure(error)
        }
        try await storage.close()
        return try outcome.get()
    }

    /// Three hours after the first version last ran.
    private let now = Timestamp(seconds: 1_795_356_000)

    private func signing(_ keys: SigningKeys) -> [String?] {
        [keys.loginTokens.current.signingKeyID(at: now)]
            + SigningAlgorithm.allCases.map { keys.ring.current.signing($0, at: now)?.id }
    }

    /// Puts the first version's keys and database into the folder.
    private func moveIn() throws {
        let old = TemporaryFolder.package.appending(path: "Tests/EndToEnd/first_version")
        for name in ["login-token-keys.json", "master-key", "audit-signing-key"] {
            _ = try folder.file(name, try String(contentsOf: old.appending(path: name), encoding: .utf8))
        }
        let dump = try String(contentsOf: old.appending(path: "drawbridge.sql"), encoding: .utf8)
        try SQLiteDump.restore(dump, to: "\(folder.path)/drawbridge.sqlite")
    }

    @Test func `the first version's folder starts: its file's key signs, its provider's keys stand`() async throws {
        try moveIn()
        let settings = try settings()
        let ids = try await start(settings) { keys, storage async throws in
            #expect(try await storage.signingKeys().keys.count == 7)
            return signing(keys)
        }
        #expect(
            ids == [
                "vDVidDWhQZ65", "w3KrJcQ62lh9FVQpXMPn0Jr3doYMbKonS5AHEpEXvyA",
                "mKAg62Thi7eukMfL405lXWuQstIIK_FiZHZPAUAF1sc", "hwRlZqUfe-Ooka2rY33xoDsNoQW1QSUg_YfpOZuvhFU",
            ])
        // The file may go now.
        try FileManager.default.removeItem(atPath: settings.storage.loginTokenKeysPath)
        try await start(settings) { keys, _ async throws in #expect(signing(keys) == ids) }
    }

    @Test func `a file that is left lying is not read again, whatever is in it`() async throws {
        try moveIn()
        let settings = try settings()
        try await start(settings) { _, _ in }
        _ = try folder.file("login-token-keys.json", "nonsense", mode: 0o644)
        try await start(settings) { keys, _ async throws in
            #expect(keys.loginTokens.current.signingKeyID(at: now) == "vDVidDWhQZ65")
        }
    }

    @Test func `a file that is not whole stops the first start, by name`() async throws {
        try moveIn()
        let path = try folder.file("login-token-keys.json", "nonsense")
        let settings = try settings()
        await #expect(throws: LoginTokenKeyFileError(path: path, problem: "is not a key file")) {
            try await start(settings) { _, _ in }
        }
    }

    @Test func `without a master key nothing starts, and the error says what to do`() async throws {
        let settings = try settings()
        let error = await #expect(throws: MasterKeyFileError.self) { try await start(settings) { _, _ in } }
        #expect(error?.problem == .missing)
        #expect(error?.description.contains("`drawbridge keys init`") == true)
        #expect(error?.description.contains(settings.storage.masterKeyPath) == true)
    }

    @Test func `another master key than the database's is named with the key that it does not open`() async throws {
        try moveIn()
        let settings = try settings()
        try await start(settings) { _, _ in }
        _ = try folder.file("master-key", MasterKeyFile.make())
        let error = await #expect(throws: MasterKeyFileError.self) { try await start(settings) { _, _ in } }
        guard case .mismatch(let keyID) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains(keyID) == true)
        #expect(error?.description.contains("keys retire --all --now") == true)
    }

    @Test func `a backup from before a retirement, restored with its first version's file, brings no key back`()
        async throws
    {
        try moveIn()
        let settings = try settings()
        try await start(settings) { keys, _ async throws in
            let action = AdminAction(actor: .login("root"), origin: nil, at: now)
            _ = try await keys.retire("vDVidDWhQZ65", action: action)
        }
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: settings.storage.databasePath + suffix)
        }
        try moveIn()
        try await start(settings) { keys, storage async throws in
            let ring = keys.loginTokens.current
            #expect(ring.signingKeyID(at: now) != nil)
            #expect(ring.signingKeyID(at: now) != "vDVidDWhQZ65")
            #expect(try await !storage.signingKeys().keys.contains { $0.id == "vDVidDWhQZ65" })
        }
    }

    @Test func `with provider.enabled off there are no keys of access and ID tokens`() async throws {
        _ = try folder.file("master-key", MasterKeyFile.make())
        try await start(try settings("provider: {enabled: false}")) { keys, storage async throws in
            #expect(try await storage.signingKeys().keys.map(\.algorithm) == [.hs256])
        }
    }
}
