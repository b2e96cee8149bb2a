import Bridge
import Synchronization

/// The clients of the settings file and of the database, as one directory that can be read anew.
final class ClientReloader: Sendable {
    let directory: Reloadable<ClientDirectory>
    private let store: any ClientStore
    private let defaultTarget: ClientID?
    private let fromFile: Mutex<[Client]>
    /// Reads the settings file's clients again; `nil` when there is no file.
    private let reread: (@Sendable () throws -> [Client])?

    /// - Throws: ``StorageError``.
    init(settings: DrawbridgeSettings, store: any ClientStore, reread: (@Sendable () throws -> [Client])? = nil)
        async throws
    {
        self.store = store
        self.reread = reread
        defaultTarget = settings.defaultWebClient
        fromFile = Mutex(settings.clients)
        // Of two with one id the file's stands: what is under version control is not changed behind its back.
        directory = Reloadable(
            ClientDirectory(try await store.clients() + settings.clients, defaultTarget: settings.defaultWebClient))
    }

    /// Reads both again; when either cannot be read, all stays as it is.
    func reload() async throws {
        let fresh = try reread?() ?? fromFile.withLock { $0 }
        let stored = try await store.clients()
        fromFile.withLock { $0 = fresh }
        directory.replace(with: ClientDirectory(stored + fresh, defaultTarget: defaultTarget))
    }
}
