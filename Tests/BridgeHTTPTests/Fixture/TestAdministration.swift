import Bridge
import BridgeHTTP
import Synchronization

/// The administration of a ``TestBridge``.
struct TestAdministration {
    let storage: any BridgeStorage
    let sessions: WebSessions
    let endings: SessionEndings
    let codec: LoginTokenCodec
    let clients: Reloadable<ClientDirectory>
    let parents: ParentSessions
    let refusals: RefusalLog
    let origin: WebOrigin
    let time: TimeSource

    var services: AdminServices {
        get throws {
            let fixed = clients.current.all
            return AdminServices(
                gate: AdminGate(
                    authenticator: TestAdminTokens(), adminSessions: AdminSessions(store: storage, time: time),
                    webSessions: sessions, administrators: StoredAdministrators(storage, enrols: true),
                    requiresSecondFactor: true,
                    publicOrigin: origin, refusals: refusals, time: time),
                storage: storage, webSessions: sessions,
                clients: StoredClients(
                    store: storage, directory: clients, fixed: { Set(fixed.map(\.id)) },
                    reload: { [storage, clients] in
                        let target = clients.current.defaultTarget
                        clients.replace(
                            with: ClientDirectory(try await storage.clients() + fixed, defaultTarget: target))
                    }),
                users: StoredUsers(
                    storage: storage, endings: endings, passwords: try PasswordDesk(cost: .light), time: time),
                keys: TestKeys(),
                explainer: Explainer(
                    codec: codec, clients: clients, subjects: storage, store: storage, parents: parents,
                    publicOrigin: origin, time: time),
                auditKeys: [],
                health: {
                    NodeHealth(
                        node: "test", version: "0", startedAt: Timestamp(seconds: 0), failed: [], degraded: [])
                },
                settings: { [SettingLine(name: "public_origin", value: "https://bridge.example")] })
        }
    }
}

/// `operator` administers, `expired` did once, and a user's bearer is known but may not.
struct TestAdminTokens: AdminAuthenticator {
    func administrator(
        presenting token: Secret<String>, provenKey: String?, at now: Timestamp
    ) async throws -> Administrator {
        switch token.expose() {
        case "operator": return Administrator(actor: .client("operator"))
        case "reader-scope": throw AdminRefusal.notAdministrator
        default:
            return try await UserTokensDoNotAdminister(TestBearers()).administrator(
                presenting: token, provenKey: provenKey, at: now)
        }
    }
}

final class TestKeys: KeyRegister {
    private let count = Mutex(1)

    func keys() -> [KeyOverview] {
        (1...count.withLock { $0 }).map { number in
            KeyOverview(
                id: "k\(number)", use: "login_token", algorithm: "HS256", state: .signing,
                signsFrom: Timestamp(seconds: 0), retiresAt: nil)
        }
    }

    func rotate(action: AdminAction) { count.withLock { $0 += 1 } }
}
