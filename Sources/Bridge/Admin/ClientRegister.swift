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

    /// - Throws: `conflict` for a client of the settings file, which no administrator changes here.
    package func requireChangeable(_ id: ClientID) throws {
        guard !isFixed(id) else {
            throw OAuthError(.conflict, "this client is defined in the settings file; change it there")
        }
    }

    /// - Returns: whether the id was free.
    package func add(_ client: Client, action: AdminAction) async throws -> Bool {
        guard !isFixed(client.id) else { return false }
        let event = action.event(.clientCreated, clientID: client.id)
        return try await reloading(try await store.save(client, expecting: .absent, event: event))
    }

    /// A change that changes nothing writes nothing and is not an event, as with settings (contract §13).
    /// - Returns: whether the client still was what the caller has seen.
    package func replace(_ seen: Client, with client: Client, action: AdminAction) async throws -> Bool {
        let fields = try ClientDocument.fieldsChanged(from: seen, to: client)
        guard !fields.isEmpty else { return try await self.client(seen.id) == seen }
        let event = action.event(.clientChanged, clientID: client.id, fields: fields)
        return try await reloading(try await store.save(client, expecting: .unchanged(seen), event: event))
    }

    /// Replaces the database's client of the same id, whoever changed it last: for callers that have seen none. A
    /// change that changes nothing is not an event here either.
    /// - Returns: whether there is one.
    /// - Throws: `conflict` where others change it all the time.
    package func overwrite(with client: Client, action: AdminAction) async throws -> Bool {
        // The event names what changes: where another changes the client meanwhile, it has to say so again.
        for _ in 0..<5 {
            guard let seen = try await store.clients().first(where: { $0.id == client.id }) else { return false }
            let fields = try ClientDocument.fieldsChanged(from: seen, to: client)
            guard !fields.isEmpty else { return true }
            let event = action.event(.clientChanged, clientID: client.id, fields: fields)
            let isSaved = try await store.save(client, expecting: .unchanged(seen), event: event)
            if try await reloading(isSaved) { return true }
        }
        throw OAuthError(.conflict, "somebody else changes the client all the time")
    }

    /// - Returns: whether the client still was what the caller has seen.
    /// - Throws: `conflict` for the website that apps open by default: no server would start without it.
    package func delete(_ seen: Client, action: AdminAction) async throws -> Bool {
        try requireNotDefault(seen.id)
        let event = action.event(.clientDeleted, clientID: seen.id)
        return try await reloading(try await store.deleteClient(unchanged: seen, event: event))
    }

    /// Deletes the database's client of this id, also one that this version cannot read: for callers that have seen
    /// none.
    /// - Returns: whether there was one.
    /// - Throws: `conflict`, as ``delete(_:action:)``.
    package func remove(_ id: ClientID, action: AdminAction) async throws -> Bool {
        try requireNotDefault(id)
        let event = action.event(.clientDeleted, clientID: id)
        return try await reloading(try await store.deleteClient(id, event: event))
    }

    private func requireNotDefault(_ id: ClientID) throws {
        guard directory.current.defaultTarget != id || isFixed(id) else {
            throw OAuthError(
                .conflict, "apps open this website by default; change default_web_client in the settings first")
        }
    }

    private func reloading(_ changed: Bool) async throws -> Bool {
        if changed { try await reload() }
        return changed
    }
}
