import Bridge
import Synchronization

/// The clients of the settings file and of the database, as one directory that can be reloaded.
final class ClientReloader: Sendable {
    let directory: Reloadable<ClientDirectory>
    private let store: any ClientStore
    private let defaultTarget: ClientID?
    private let fromFile: Mutex<[Client]>
    /// The version of the database's clients that the directory holds.
    private let storedVersion = Mutex("")
    /// Reads the settings file's clients again; `nil` when there is no file.
    private let reread: (@Sendable () throws -> [Client])?

    /// - Throws: ``StorageError``.
    init(settings: DrawbridgeSettings, store: any ClientStore, reread: (@Sendable () throws -> [Client])? = nil)
        async throws
    {
        self.store = store
        self.reread = reread
        defaultTarget = settings.site.defaultWebClient
        fromFile = Mutex(settings.clients)
        // Of two with one id the file's counts: what is under version control is not overridden from elsewhere.
        directory = Reloadable(
            ClientDirectory(try await store.clients() + settings.clients, defaultTarget: settings.site.defaultWebClient)
        )
    }

    /// The ids of the settings file.
    @Sendable func fixedIDs() -> Set<ClientID> { fromFile.withLock { Set($0.map(\.id)) } }

    /// Reads the database's clients again.
    @Sendable func reloadStored() async throws {
        let version = try await store.clientsVersion()
        guard version != storedVersion.withLock({ $0 }) else { return }
        put(try await store.clients(), version: version)
    }

    /// Reads both again; when either cannot be read, all stays as it is.
    func reload() async throws {
        let fresh = try reread?() ?? fromFile.withLock { $0 }
        let version = try await store.clientsVersion()
        let stored = try await store.clients()
        fromFile.withLock { $0 = fresh }
        put(stored, version: version)
    }

    /// Directory and version change together: one that was read before another is put back by the next look, however the
    /// two came in. The version is the older of what was read, so that nothing newer counts as known.
    private func put(_ stored: [Client], version: String) {
        storedVersion.withLock { known in
            directory.replace(with: ClientDirectory(stored + fromFile.withLock { $0 }, defaultTarget: defaultTarget))
            known = version
        }
    }
}
