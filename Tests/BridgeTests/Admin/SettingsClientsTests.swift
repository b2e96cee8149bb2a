import OAuth2
import Testing

@testable import Bridge

/// The settings file's clients in the audit log: what an administrator's change would be there, a change of the file is.
@Suite struct SettingsClientsTests {
    private func server(_ service: Service, store: (any SettingStore)? = nil) -> SettingsClients {
        SettingsClients(store: store ?? service.storage, time: service.clock.source)
    }

    private func shop(_ paths: String..., name: String = "Shop") throws -> Client {
        var shop = Client(id: "shop", name: name, kind: .web)
        if let first = paths.first { shop.returnPaths = try ReturnPathPolicy(entries: paths, defaultPath: first) }
        return shop
    }

    /// The oldest first, such as `changed shop client_name,return_paths`.
    private func told(_ service: Service) async throws -> [String] {
        let found = try await service.storage.search(AuditFilter(), before: nil, limit: 500).records.reversed()
        return found.map(\.event).map { event in
            #expect(event.actor == "settings")
            let detail = event.detail.flatMap { JSONValue.parse($0.utf8)?.object }
            let fields = detail?["fields"]?.strings?.joined(separator: ",")
            let verb = event.type.rawValue.split(separator: ".").last.map { String($0) }
            return [verb, event.clientID?.rawValue, fields].compactMap(\.self).joined(separator: " ")
        }
    }

    @Test func `a change of the file is an event with the names of the fields, and so are a new client and one less`()
        async throws
    {
        try await withService { service in
            let node = server(service)
            try await node.record([shop("/x")])
            try await node.record([shop("/x", "/evil/*", name: "Store")])
            try await node.record([shop("/x", "/evil/*", name: "Store"), Client(id: "app", name: "App", kind: .native)])
            try await node.record([Client(id: "app", name: "App", kind: .native)])
            #expect(
                try await told(service) == [
                    "created shop", "changed shop client_name,return_paths", "created app", "deleted shop",
                ])
        }
    }

    @Test func `a change that was made while no server ran is told at the next start`() async throws {
        try await withService { service in
            try await server(service).record([shop("/x")])
            try await server(service).record([shop("/x", "/evil/*")])
            #expect(try await told(service) == ["created shop", "changed shop return_paths"])
        }
    }

    @Test func `starts and reloads with a file that is as it was write nothing`() async throws {
        try await withService { service in
            for _ in 1...3 {
                let node = server(service)
                for _ in 1...3 { try await node.record([shop("/x")]) }
            }
            #expect(try await told(service) == ["created shop"])
            try await server(service).record([])
            try await server(service).record([])
            #expect(try await told(service) == ["created shop", "deleted shop"])
        }
    }

    @Test func `of several servers that read the same new file one writes it down`() async throws {
        try await withService { service in
            let nodes = (0..<10).map { _ in server(service) }
            for file in [try shop("/x"), try shop("/x", "/y")] {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for node in nodes { group.addTask { try await node.record([file]) } }
                    try await group.waitForAll()
                }
            }
            #expect(try await told(service) == ["created shop", "changed shop return_paths"])
        }
    }

    @Test func `servers with different files tell of it as they start, and not at each reload`() async throws {
        try await withService { service in
            let (first, second) = (server(service), server(service))
            try await first.record([shop("/x")])
            try await second.record([shop("/x", "/y")])
            let started = ["created shop", "changed shop return_paths"]
            #expect(try await told(service) == started)
            for _ in 1...5 {
                try await first.record([shop("/x")])
                try await second.record([shop("/x", "/y")])
            }
            #expect(try await told(service) == started)
            // What one changes is told, and nothing of what differs besides.
            let app = Client(id: "app", name: "App", kind: .native)
            try await first.record([shop("/x"), app])
            #expect(try await told(service) == started + ["created app"])
        }
    }

    @Test func `a file that is put back is told as well`() async throws {
        try await withService { service in
            let node = server(service)
            for paths in ["/x", "/evil/*", "/x"] { try await node.record([shop("/a", paths)]) }
            let changed = "changed shop return_paths"
            #expect(try await told(service) == ["created shop", changed, changed])
        }
    }

    @Test func `what could not be written down is at the next call`() async throws {
        try await withService { service in
            let store = InterruptedSettings(service.storage)
            let node = server(service, store: store)
            store.setAway(true)
            await #expect(throws: StorageError.self) { try await node.record([shop("/x")]) }
            store.setAway(false)
            try await node.record([shop("/x")])
            #expect(try await told(service) == ["created shop"])
        }
    }

    @Test func `what is kept holds no value, nor the digest of a secret as it is`() async throws {
        try await withService { service in
            var shop = try shop("/where/it/leads")
            shop.secretDigest = OpaqueSecret.make(.clientSecret, random: .system).digest
            try await server(service).record([shop])
            let kept = try #require(try await service.storage.setting("settings-clients"))
            let digest = try #require(shop.secretDigest)
            #expect(kept.contains("client_secret") && kept.contains("return_paths"))
            for value in ["where", "Shop", digest] { #expect(!kept.contains(value)) }
            shop.secretDigest = OpaqueSecret.make(.clientSecret, random: .system).digest
            try await server(service).record([shop])
            #expect(try await told(service) == ["created shop", "changed shop client_secret"])
        }
    }

    @Test(arguments: ["", "nonsense", "[]", #"{"shop":7}"#, #"{"shop":{"client_name":7}}"#])
    func `nonsense where it is kept keeps no server from telling`(kept: String) async throws {
        try await withService { service in
            _ = try await service.storage.saveSetting(
                "settings-clients", kept, seenAs: nil, at: noon, events: [])
            try await server(service).record([shop("/x")])
            #expect(try await told(service).count == 1)
            try await server(service).record([shop("/x")])
            #expect(try await told(service).count == 1)
        }
    }

    @Test(arguments: [Client.Kind.web, .native, .service])
    func `a field that a file does not set is not kept, so that a later version's changes no client`(
        kind: Client.Kind
    ) throws {
        let plain = Client(id: "plain", name: "plain", kind: kind)
        #expect(try ClientDocument.digests(of: plain).keys.sorted() == ["client_type"])
    }
}
