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
        let now = time.now()
        let file = try LoginTokenKeyFile.read(path)
        let signing = file.signing(at: now)?.id
        return file.entries.sorted { $0.signsFrom < $1.signsFrom }.map { entry in
            let state: KeyOverview.State =
                if entry.isRetired(at: now) {
                    .retired
                } else if entry.id == signing {
                    .signing
                } else if entry.signsFrom > now {
                    .waiting
                } else {
                    .verifying
                }
            return KeyOverview(
                id: entry.id, use: "login_token", algorithm: "HS256", state: state, signsFrom: entry.signsFrom,
                retiresAt: entry.retiresAt)
        }
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
