import OAuth2
import Testing

@testable import Bridge

@Suite struct StoredClientsTests {
    private func withClients(_ body: (ClientRegister, Service) async throws -> Void) async throws {
        try await withService { service async throws in
            let fixed = service.clients.current.all
            let clients = ClientRegister(
                store: service.storage, directory: service.clients, fixed: { Set(fixed.map(\.id)) },
                reload: {
                    service.clients.replace(
                        with: ClientDirectory(try await service.storage.clients() + fixed, defaultTarget: website))
                })
            try await body(clients, service)
        }
    }

    private let action = AdminAction(actor: .client("operator"), origin: origin(), at: noon)

    private func shop(_ name: String = "Shop") -> Client { Client(id: "shop", name: name, kind: .web) }

    @Test func `a client that is added counts at once, and is listed with those of the settings file`() async throws {
        try await withClients { clients, service async throws in
            #expect(try await clients.add(shop(), action: action))
            #expect(service.clients.current["shop"]?.name == "Shop")
            #expect(try await clients.clients().map(\.id).contains("shop"))
            #expect(try await clients.client("shop")?.name == "Shop")
            #expect(try await clients.client("unheard-of") == nil)
            #expect(try await service.events() == ["client.created administrator"])
        }
    }

    @Test func `an id that is taken, here or in the settings file, is not added`() async throws {
        try await withClients { clients, service async throws in
            #expect(try await clients.add(shop(), action: action))
            #expect(try await !clients.add(shop("Another"), action: action))
            #expect(clients.isFixed(app))
            #expect(try await !clients.add(Client(id: app, name: "Another", kind: .web), action: action))
            #expect(try await service.storage.clients().map(\.name) == ["Shop"])
        }
    }

    @Test func `a client of the settings file is changed there, one of the database here`() async throws {
        try await withClients { clients, _ async throws in
            let refused = #expect(throws: OAuthError.self) { try clients.requireChangeable(app) }
            #expect(refused?.code == .conflict)
            try clients.requireChangeable("shop")
        }
    }

    @Test func `a change counts only on what the administrator has seen`() async throws {
        try await withClients { clients, service in
            _ = try await clients.add(shop(), action: action)
            #expect(try await clients.replace(shop(), with: shop("Shop 2"), action: action))
            #expect(try await !clients.replace(shop(), with: shop("Shop 3"), action: action))
            #expect(service.clients.current["shop"]?.name == "Shop 2")
            #expect(try await !clients.delete(shop(), action: action))
            #expect(try await clients.delete(shop("Shop 2"), action: action))
            #expect(service.clients.current["shop"] == nil)
            #expect(
                try await service.events() == [
                    "client.created administrator", "client.changed administrator", "client.deleted administrator",
                ])
        }
    }

    @Test func `contract §13: a change of nothing is no event, and counts only on what was seen`() async throws {
        try await withClients { clients, service in
            _ = try await clients.add(shop(), action: action)
            #expect(try await clients.replace(shop(), with: shop(), action: action))
            #expect(try await !clients.replace(shop("Shop 2"), with: shop("Shop 2"), action: action))
            #expect(try await service.events() == ["client.created administrator"])
        }
    }

    @Test func `who has seen no client replaces and removes what is there, whoever changed it last`() async throws {
        try await withClients { clients, service in
            #expect(try await !clients.overwrite(with: shop(), action: action))
            #expect(try await !clients.remove("shop", action: action))
            _ = try await clients.add(shop(), action: action)
            #expect(try await clients.overwrite(with: shop("Shop 2"), action: action))
            #expect(service.clients.current["shop"]?.name == "Shop 2")
            #expect(try await clients.remove("shop", action: action))
            #expect(service.clients.current["shop"] == nil)
            #expect(
                try await service.events() == [
                    "client.created administrator", "client.changed administrator", "client.deleted administrator",
                ])
        }
    }

    @Test func `contract §13: what is there replaced by the same is no event`() async throws {
        try await withClients { clients, service in
            _ = try await clients.add(shop(), action: action)
            #expect(try await clients.overwrite(with: shop(), action: action))
            #expect(try await service.events() == ["client.created administrator"])
        }
    }

    @Test func `a change names the fields that differ, and never a value`() async throws {
        try await withClients { clients, service in
            _ = try await clients.add(shop(), action: action)
            #expect(try await clients.replace(shop(), with: shop("Shop 2"), action: action))
            let filter = AuditFilter(type: .clientChanged)
            let events = try await service.storage.search(filter, before: nil, limit: 5).records.map(\.event)
            #expect(events.map(\.detail) == [#"{"actor":"client:operator","fields":["client_name"]}"#])
        }
        var changed = shop()
        changed.secretDigest = "digest"
        #expect(try ClientDocument.fieldsChanged(from: shop(), to: changed) == ["client_secret"])
        #expect(try ClientDocument.fieldsChanged(from: changed, to: changed) == [])
    }

    @Test func `the website that apps open by default stays, unless the settings file has it`() async throws {
        try await withService { service async throws in
            func register(_ fixed: Set<ClientID>) -> ClientRegister {
                ClientRegister(
                    store: service.storage, directory: service.clients, fixed: { fixed },
                    reload: {
                        service.clients.replace(
                            with: ClientDirectory(try await service.storage.clients(), defaultTarget: "shop"))
                    })
            }
            #expect(try await register([]).add(shop(), action: action))
            let refused = await #expect(throws: OAuthError.self) {
                try await register([]).delete(shop(), action: action)
            }
            #expect(refused?.code == .conflict)
            let kept = await #expect(throws: OAuthError.self) {
                try await register([]).remove("shop", action: action)
            }
            #expect(kept?.code == .conflict)
            #expect(try await service.storage.clients().map(\.id) == ["shop"])
            #expect(try await service.events() == ["client.created administrator"])
            #expect(try await register(["shop"]).delete(shop(), action: action))
        }
    }
}
