import OAuth2

/// Registered clients as an administrator changes them: the database's, with those of the settings file in front.
package final class ClientRegister: Sendable {
    private let store: any ClientStore
    private let directory: Reloadable<ClientDirectory>
    private let fixed: @Sendable () -> Set<ClientID>
    private let reload: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - fixed: the ids of the settings file.
    ///   - reload: makes a change count on this node at once.
    package init(
        store: any ClientStore, directory: Reloadable<ClientDirectory>,
        fixed: @escaping @Sendable () -> Set<ClientID>, reload: @escaping @Sendable () async throws -> Void
    ) {
        self.store = store
        self.directory = directory
        self.fixed = fixed
        self.reload = reload
    }

    /// All of them, by id.
    package func clients() async throws -> [Client] {
        try await reload()
        return directory.current.all
    }

    package func client(_ id: ClientID) async throws -> Client? {
        try await reload()
        return directory.current[id]
    }

    /// Whether the client is in the settings file, where it is changed by changing the file.
    package func isFixed(_ id: ClientID) -> Bool { fixed().contains(id) }

    /// - Returns: whether the id was free.
    package func add(_ client: Client, action: AdminAction) async throws -> Bool {
        guard !isFixed(client.id) else { return false }
        let event = action.event(.clientCreated, clientID: client.id)
        return try await reloading(try await store.save(client, expecting: .absent, event: event))
    }

    /// A change of nothing writes nothing and is no event, as with settings (contract §13).
    /// - Returns: whether the client still was what the caller has seen.
    package func replace(_ seen: Client, with client: Client, action: AdminAction) async throws -> Bool {
        let fields = try ClientDocument.fieldsChanged(from: seen, to: client)
        guard !fields.isEmpty else { return try await self.client(seen.id) == seen }
        let event = action.event(.clientChanged, clientID: client.id, fields: fields)
        return try await reloading(try await store.save(client, expecting: .unchanged(seen), event: event))
    }

    /// - Returns: whether the client still was what the caller has seen.
    /// - Throws: `conflict` for the website that apps open by default: no server would start without it.
    package func delete(_ seen: Client, action: AdminAction) async throws -> Bool {
        guard directory.current.defaultTarget != seen.id || isFixed(seen.id) else {
            throw OAuthError(
                .conflict, "apps open this website by default; change default_web_client in the settings first")
        }
        let event = action.event(.clientDeleted, clientID: seen.id)
        return try await reloading(try await store.deleteClient(unchanged: seen, event: event))
    }

    private func reloading(_ changed: Bool) async throws -> Bool {
        if changed { try await reload() }
        return changed
    }
}
