package import Bridge

/// Everything that the administration calls.
package struct AdminServices: Sendable {
    let gate: AdminGate
    let storage: any BridgeStorage
    let webSessions: WebSessions
    let clients: ClientRegister
    let users: UserRegister
    let keys: any KeyRegister
    let explainer: Explainer
    /// What the audit log is verified against: keys, and notes that lie outside of the database.
    let auditTerms: @Sendable () -> AuditVerificationTerms
    /// What the node says about itself.
    let health: @Sendable () async -> NodeHealth
    let settings: @Sendable () -> [SettingLine]
    let alerts: AlertBoard

    package init(
        gate: AdminGate, storage: any BridgeStorage, webSessions: WebSessions, clients: ClientRegister,
        users: UserRegister, keys: any KeyRegister, explainer: Explainer,
        auditTerms: @escaping @Sendable () -> AuditVerificationTerms,
        health: @escaping @Sendable () async -> NodeHealth, settings: @escaping @Sendable () -> [SettingLine],
        alerts: AlertBoard = AlertBoard(rules: [])
    ) {
        self.gate = gate
        self.storage = storage
        self.webSessions = webSessions
        self.clients = clients
        self.users = users
        self.keys = keys
        self.explainer = explainer
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
