import Bridge
import Synchronization

/// What the settings say of clients, read in one go: the default website may be one of theirs.
struct ConfiguredClients: Sendable {
    let clients: [Client]
    /// The website that apps open by default.
    let defaultTarget: ClientID?
    /// Names of other settings that were changed since the start: they count after a restart.
    var changedBesides: [String] = []
    /// How the clients differ from those of the reading before, for people: `shop (return_paths)`.
    var changedClients: [String] = []
}

extension ConfiguredClients {
    init(_ settings: DrawbridgeSettings) {
        self.init(clients: settings.clients, defaultTarget: settings.site.defaultWebClient)
    }

    /// - Parameter start: what the settings in force were read from.
    init(_ reread: SettingsInForce, since start: SettingsFingerprint) {
        self.init(reread.settings)
        let taken = [
            ClientSettings.clients.key, SiteSettings.defaultWebClient.key,
            // What holds for clients that do not say.
            SessionSettings.lifetime.key, SessionSettings.idle.key,
        ]
        changedBesides = SettingsFingerprint(reread.raw).changes(since: start, besides: Set(taken))
    }

    /// This reading, with what it changes in an earlier one.
    func noting(changesOf earlier: ConfiguredClients) throws -> ConfiguredClients {
        let (old, new) = (earlier.byID, byID)
        var noted = self
        noted.changedClients = try Set(old.keys).union(new.keys).sorted { $0.rawValue < $1.rawValue }.compactMap { id in
            guard let before = old[id] else { return "\(id) (created)" }
            guard let after = new[id] else { return "\(id) (deleted)" }
            let fields = try ClientDocument.fieldsChanged(from: before, to: after)
            return fields.isEmpty ? nil : "\(id) (\(fields.joined(separator: ", ")))"
        }
        return noted
    }

    private var byID: [ClientID: Client] {
        Dictionary(clients.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    /// Where two have the same id, the file's counts: what is under version control is not overridden from elsewhere.
    func directory(with stored: [Client]) -> ClientDirectory {
        ClientDirectory(stored + clients, defaultTarget: defaultTarget)
    }
}

extension ClientDirectory {
    /// - Throws: ``SettingsRefused`` when the website that apps open by default is not a client.
    func requireDefaultTarget() throws(SettingsRefused) {
        guard let target = defaultTarget, self[target] == nil else { return }
        throw SettingsRefused(problems: [
            SettingError(
                SiteSettings.defaultWebClient, value: target.rawValue, "is not a client of the file or the database")
        ])
    }
}

/// The clients of the settings file and of the database, as one directory that can be reloaded.
final class ClientReloader: Sendable {
    let directory: Reloadable<ClientDirectory>
    private let store: any ClientStore
    private let configured: Mutex<ConfiguredClients>
    /// The version of the database's clients that the directory holds.
    private let storedVersion = Mutex("")
    /// Reads the settings' clients again; `nil` when there is no file.
    private let reread: (@Sendable () throws -> ConfiguredClients)?

    /// - Throws: ``StorageError``.
    init(
        settings: DrawbridgeSettings, store: any ClientStore,
        reread: (@Sendable () throws -> ConfiguredClients)? = nil
    ) async throws {
        self.store = store
        self.reread = reread
        let first = ConfiguredClients(settings)
        configured = Mutex(first)
        directory = Reloadable(first.directory(with: try await store.clients()))
    }

    /// Names of settings that the last reload found changed and did not take in.
    var changedBesides: [String] { configured.withLock { $0.changedBesides } }

    /// How the last reload found the settings file's clients changed.
    var changedClients: [String] { configured.withLock { $0.changedClients } }

    /// The settings file's clients.
    var ofSettings: [Client] { configured.withLock { $0.clients } }

    /// The ids of the settings file.
    @Sendable func fixedIDs() -> Set<ClientID> { configured.withLock { Set($0.clients.map(\.id)) } }

    /// Reads the database's clients again.
    @Sendable func reloadStored() async throws {
        let version = try await store.clientsVersion()
        guard version != storedVersion.withLock({ $0 }) else { return }
        put(try await store.clients(), version: version)
    }

    /// Reads both again; when either cannot be read, or no server would start with them, all stays as it is.
    func reload() async throws {
        let before = configured.withLock { $0 }
        let fresh = try (reread?() ?? before).noting(changesOf: before)
        let version = try await store.clientsVersion()
        let stored = try await store.clients()
        try fresh.directory(with: stored).requireDefaultTarget()
        configured.withLock { $0 = fresh }
        put(stored, version: version)
    }

    /// Directory and version change together: one that was read before another is put back by the next look, however the
    /// two came in. The version is the older of what was read, so that nothing newer counts as known.
    private func put(_ stored: [Client], version: String) {
        storedVersion.withLock { known in
            directory.replace(with: configured.withLock { $0 }.directory(with: stored))
            known = version
        }
    }
}
