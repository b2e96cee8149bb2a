package import Bridge

/// Everything that the administration calls.
package final class AdminServices: Sendable {
    /// What is looked at, by the API and in the console. What is changed has services of its own, but for the log.
    package typealias Storage = AuditLog & AuditUpkeep & UserStore & SessionStore & GrantStore & LinkedKeyStore
        & PasskeyStore

    let gate: AdminGate
    let storage: any Storage
    let clients: ClientRegister
    let users: UserRegister
    let keys: SigningKeys
    let explainer: Explainer
    let node: NodeServices

    package init(
        gate: AdminGate, storage: any Storage, clients: ClientRegister, users: UserRegister,
        keys: SigningKeys, explainer: Explainer, node: NodeServices
    ) {
        self.gate = gate
        self.storage = storage
        self.clients = clients
        self.users = users
        self.keys = keys
        self.explainer = explainer
        self.node = node
    }

    /// These services, with a gate that knows web views by their cookies.
    func recognizing(_ browsers: BrowserSessions) -> AdminServices {
        AdminServices(
            gate: gate.recognizing(browsers), storage: storage, clients: clients, users: users, keys: keys,
            explainer: explainer, node: node)
    }
}

/// What administrators are told of the node that they ask.
package struct NodeServices: Sendable {
    /// What the audit log is verified against: keys, and notes that lie outside of the database.
    let auditTerms: @Sendable () throws -> AuditVerificationTerms
    let health: @Sendable () async -> NodeHealth
    let settings: @Sendable () -> [SettingLine]
    let alerts: AlertBoard

    package init(
        auditTerms: @escaping @Sendable () throws -> AuditVerificationTerms,
        health: @escaping @Sendable () async -> NodeHealth, settings: @escaping @Sendable () -> [SettingLine],
        alerts: AlertBoard
    ) {
        self.auditTerms = auditTerms
        self.health = health
        self.settings = settings
        self.alerts = alerts
    }
}

/// What a node says about itself.
package struct NodeHealth: Sendable {
    package let node: String
    package let version: String
    package let startedAt: Timestamp
    package let failed: [String]
    package let degraded: [String]

    package init(node: String, version: String, startedAt: Timestamp, failed: [String], degraded: [String]) {
        self.node = node
        self.version = version
        self.startedAt = startedAt
        self.failed = failed
        self.degraded = degraded
    }
}

/// A setting as the console shows it: never a secret's value.
package struct SettingLine: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
