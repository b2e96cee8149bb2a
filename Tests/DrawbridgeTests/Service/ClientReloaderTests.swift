import Bridge
import Foundation
import Logging
import Synchronization
import Testing

@testable import drawbridge

/// The settings file's clients and the database's, as one directory.
@Suite struct ClientReloaderTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func withStorage(
        clients: String, more: String = "", _ body: (DrawbridgeSettings, any BridgeStorage) async throws -> Void
    ) async throws {
        let file = try folder.file(
            "drawbridge.yaml",
            "public_origin: https://www.example.com\ndata_directory: \(folder.path)\nclients: \(clients)\n\(more)\n")
        let settings = try DrawbridgeSettings.load(SettingsInputs(filePath: file))
        let storage = try await ServerStorage.open(settings, watch: AuditWatch(), logger: Self.logger)
        try await body(settings, storage)
        try await storage.close()
    }

    private func save(_ yaml: String, in storage: any BridgeStorage) async throws {
        let client = try ClientSettingText.read(yaml: yaml)
        let event = AuditEvent(
            at: Timestamp(seconds: 1_795_356_000), type: .clientCreated, outcome: .success, clientID: client.id)
        #expect(try await storage.save(client, expecting: .absent, event: event))
    }

    private func name(_ id: String, in clients: ClientReloader) -> String? {
        clients.directory.current[ClientID(rawValue: id)]?.name
    }

    @Test func `of two clients with one id the settings file's stands`() async throws {
        try await withStorage(clients: "[{client_id: a, client_type: native, client_name: File}]") {
            settings, storage in
            try await save("{client_id: a, client_type: native, client_name: Database}", in: storage)
            try await save("{client_id: b, client_type: native, client_name: Database}", in: storage)
            let clients = try await ClientReloader(settings: settings, store: storage)
            #expect(name("a", in: clients) == "File")
            #expect(name("b", in: clients) == "Database")
            #expect(clients.fixedIDs() == [ClientID(rawValue: "a")])
        }
    }

    @Test func `a client that somebody adds to the database is there after a look`() async throws {
        try await withStorage(clients: "[{client_id: a, client_type: native, client_name: File}]") {
            settings, storage in
            let clients = try await ClientReloader(settings: settings, store: storage)
            try await clients.reloadStored()
            try await save("{client_id: b, client_type: native, client_name: Database}", in: storage)
            #expect(name("b", in: clients) == nil)
            try await clients.reloadStored()
            #expect(name("b", in: clients) == "Database")
            #expect(name("a", in: clients) == "File")
        }
    }

    @Test func `a reload takes the file's clients anew`() async throws {
        try await withStorage(clients: "[{client_id: a, client_type: native, client_name: File}]") {
            settings, storage in
            let fresh = [try ClientSettingText.read(yaml: "{client_id: c, client_type: native, client_name: Fresh}")]
            let clients = try await ClientReloader(
                settings: settings, store: storage,
                reread: { ConfiguredClients(clients: fresh, defaultTarget: nil) })
            #expect(name("a", in: clients) == "File")
            try await clients.reload()
            #expect(name("a", in: clients) == nil)
            #expect(name("c", in: clients) == "Fresh")
            #expect(clients.fixedIDs() == [ClientID(rawValue: "c")])
            #expect(clients.changedClients == ["a (deleted)", "c (created)"])
            try await clients.reload()
            #expect(clients.changedClients == [])
        }
    }

    @Test func `a client that is changed while both are read anew is there after the next look`() async throws {
        try await withStorage(clients: "[{client_id: a, client_type: native, client_name: File}]") {
            settings, storage in
            let late = LateClients(storage)
            let clients = try await ClientReloader(settings: settings, store: late)
            late.whileReading {
                try await self.save("{client_id: b, client_type: native, client_name: Database}", in: storage)
                try await clients.reloadStored()
            }
            try await clients.reload()
            #expect(name("b", in: clients) == nil)
            try await clients.reloadStored()
            #expect(name("b", in: clients) == "Database")
        }
    }

    @Test func `a file that cannot be read at a reload leaves all as it is`() async throws {
        try await withStorage(clients: "[{client_id: a, client_type: native, client_name: File}]") {
            settings, storage in
            let clients = try await ClientReloader(
                settings: settings, store: storage, reread: { throw SettingsRefused(problems: []) })
            await #expect(throws: SettingsRefused.self) { try await clients.reload() }
            #expect(name("a", in: clients) == "File")
            #expect(clients.fixedIDs() == [ClientID(rawValue: "a")])
        }
    }

    @Test func `a reload takes the default website with the clients, from the file or the database`() async throws {
        try await withStorage(clients: "[{client_id: a, client_type: web}]", more: "default_web_client: a") {
            settings, storage in
            let said = Mutex(ConfiguredClients(settings))
            let clients = try await ClientReloader(
                settings: settings, store: storage, reread: { said.withLock { $0 } })
            #expect(clients.directory.current.defaultTarget == "a")
            let file = [try ClientSettingText.read(yaml: "{client_id: c, client_type: web}")]
            said.withLock { $0 = ConfiguredClients(clients: file, defaultTarget: "c") }
            try await clients.reload()
            #expect(clients.directory.current.defaultTarget == "c")
            try await save("{client_id: b, client_type: web}", in: storage)
            said.withLock { $0 = ConfiguredClients(clients: [], defaultTarget: "b") }
            try await clients.reload()
            #expect(clients.directory.current.defaultTarget == "b")
        }
    }

    @Test func `a reload that no server would start with leaves all as it is`() async throws {
        try await withStorage(clients: "[{client_id: a, client_type: web}]", more: "default_web_client: a") {
            settings, storage in
            let clients = try await ClientReloader(
                settings: settings, store: storage,
                reread: { ConfiguredClients(clients: [], defaultTarget: "a") })
            let refused = await #expect(throws: SettingsRefused.self) { try await clients.reload() }
            #expect(
                refused?.problems.map(\.description) == [
                    "default_web_client = \"a\": is not a client of the file or the database"
                ])
            #expect(clients.fixedIDs() == [ClientID(rawValue: "a")])
            #expect(clients.directory.current.defaultTarget == "a")
            #expect(clients.directory.current["a"] != nil)
        }
    }
}

/// Clients that something happens to between their reading and its end, once.
private final class LateClients: ClientStore {
    private let store: any ClientStore
    private let next = Mutex<(@Sendable () async throws -> Void)?>(nil)

    init(_ store: any ClientStore) { self.store = store }

    func whileReading(_ event: @escaping @Sendable () async throws -> Void) { next.withLock { $0 = event } }

    func clients() async throws -> [Client] {
        let found = try await store.clients()
        try await next.withLock { $0.take() }?()
        return found
    }

    func save(_ client: Client, expecting expected: ClientExpectation, event: AuditEvent) async throws -> Bool {
        try await store.save(client, expecting: expected, event: event)
    }

    func deleteClient(_ id: ClientID, event: AuditEvent) async throws -> Bool {
        try await store.deleteClient(id, event: event)
    }

    func deleteClient(unchanged client: Client, event: AuditEvent) async throws -> Bool {
        try await store.deleteClient(unchanged: client, event: event)
    }

    func clientsVersion() async throws -> String { try await store.clientsVersion() }
}
