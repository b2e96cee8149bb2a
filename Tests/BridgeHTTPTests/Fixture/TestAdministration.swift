import Bridge
import BridgeHTTP

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

    /// Without RSA, whose keys take long to make.
    private func keys() throws -> SigningKeys {
        guard let master = MasterKey([UInt8](repeating: 5, count: 32)) else { throw FixtureProblem.badKey }
        return SigningKeys(store: storage, master: master, algorithms: [.hs256, .es256], time: time)
    }

    var services: AdminServices {
        get throws {
            let fixed = clients.current.all
            return AdminServices(
                gate: AdminGate(
                    authenticator: TestAdminTokens(),
                    adminSessions: AdminSessions(store: storage, authenticator: TestAdminTokens(), time: time),
                    webSessions: sessions, administrators: StoredAdministrators(storage),
                    requiresSecondFactor: true,
                    publicOrigin: origin, proofs: nil, refusals: refusals, time: time),
                storage: storage,
                clients: ClientRegister(
                    store: storage, directory: clients, fixed: { Set(fixed.map(\.id)) },
                    reload: { [storage, clients] in
                        let target = clients.current.defaultTarget
                        clients.replace(
                            with: ClientDirectory(try await storage.clients() + fixed, defaultTarget: target))
                    }),
                users: UserRegister(
                    storage: storage, endings: endings, passwords: PasswordHasher(cost: .light), time: time),
                keys: try keys(),
                explainer: Explainer(
                    codec: codec, clients: clients, subjects: storage, store: storage, parents: parents,
                    publicOrigin: origin, time: time),
                node: NodeServices(
                    auditTerms: { AuditVerificationTerms(trusting: []) },
                    health: {
                        NodeHealth(
                            node: "test", version: "0", startedAt: Timestamp(seconds: 0), failed: [], degraded: [])
                    },
                    settings: { [SettingLine(name: "public_origin", value: "https://bridge.example")] },
                    alerts: AlertBoard(rules: [])))
        }
    }
}

/// `operator` administers, `expired` did once, and a user's bearer is known but may not.
struct TestAdminTokens: AdminAuthenticator {
    func administrator(
        presenting token: Secret<String>, provenKey: String?, at now: Timestamp
    ) async throws -> Administrator {
        switch token.expose() {
        case "operator":
            return Administrator(
                actor: .client("operator"),
                credential: AdminCredential(tokenID: "jti", clientID: "operator", epoch: AdminCredential.firstEpoch),
                expiresAt: now + .seconds(86_400))
        // A person, who signed in so many seconds ago.
        case let text where text.hasPrefix("carol-"):
            return Administrator(
                actor: .account("carol"),
                credential: AdminCredential(
                    tokenID: "jti", clientID: "tool", sessionID: "sid",
                    signedInAt: Int(text.dropFirst(6)).map { now - .seconds($0) }, epoch: AdminCredential.firstEpoch),
                expiresAt: now + .seconds(86_400))
        case "reader-scope": throw AdminRefusal(.notAdministrator)
        default:
            return try await UserTokensDoNotAdminister(TestBearers()).administrator(
                presenting: token, provenKey: provenKey, at: now)
        }
    }

    func stillAdministers(_ administrator: Administrator, at now: Timestamp) -> Bool {
        administrator.actor == .client("operator")
    }
}
