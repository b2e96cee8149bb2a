import Bridge

/// Users and clients as an administrator changes them, on a database that is open for one command.
struct CommandRegisters {
    let storage: any BridgeStorage
    let users: UserRegister
    let clients: ClientRegister
}

extension StorageOptions {
    /// Opens the database as ``withStorage(making:_:)``, for a command that does what the console does.
    func withRegisters<Value>(
        making: Bool = false, _ body: (CommandRegisters) async throws -> Value
    ) async throws -> Value {
        let passwords = PasswordHasher(cost: try passwordCost())
        let configured = try configuredClients()
        let fixed = Set(configured.clients.map(\.id))
        return try await withStorage(making: making) { storage in
            let time = TimeSource.system
            let webSessions = WebSessions(store: storage, time: time)
            let endings = SessionEndings(
                store: storage, webSessions: webSessions,
                appSessions: AppSessions(store: storage, webSessions: webSessions, time: time), time: time)
            return try await body(
                CommandRegisters(
                    storage: storage,
                    users: UserRegister(storage: storage, endings: endings, passwords: passwords, time: time),
                    // Nothing answers from the directory here, and a document that this version cannot read must not
                    // keep another client from being removed: so the database's are not read into it.
                    clients: ClientRegister(
                        store: storage, directory: Reloadable(configured.directory(with: [])), fixed: { fixed },
                        reload: {})))
        }
    }
}
