import Bridge
import Synchronization

/// Lists and rotates the login token keys of a file, for administrators of a running server.
final class LoginTokenKeyRegister: KeyRegister {
    private let path: String
    private let reloader: KeyReloader
    private let audit: any AuditLog
    private let time: TimeSource
    private let random: RandomSource
    /// One rotation at a time: each reads the file, adds to it and writes it.
    private let file = Mutex(())

    init(
        path: String, reloader: KeyReloader, audit: any AuditLog, time: TimeSource, random: RandomSource = .system
    ) {
        self.path = path
        self.reloader = reloader
        self.audit = audit
        self.time = time
        self.random = random
    }

    func keys() throws -> [KeyOverview] {
        KeyOverview.all(in: try LoginTokenKeyFile.read(path), at: time.now())
    }

    func rotate(action: AdminAction) async throws {
        let added = try file.withLock { _ in
            var file = try LoginTokenKeyFile.read(path)
            let added = file.rotate(
                at: action.at, activation: action.at, tokenLifetime: LoginTokenSettings.maximumLifetime,
                random: random
            ).added
            try file.write(path)
            return added
        }
        try reloader.reload()
        try await audit.append([
            action.event(.keyRotated, facts: ["kid": added.id, "signs_from": added.signsFrom.rfc3339])
        ])
    }
}
