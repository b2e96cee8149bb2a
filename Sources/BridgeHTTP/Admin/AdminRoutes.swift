import Bridge
import HTTPTypes

/// The routes of the administration (contract §8).
struct AdminRoutes {
    let services: AdminServices
    let random: RandomSource
    /// For explaining; `nil` where there is no token endpoint.
    var exchange: NativeSSOExchange?

    func add(to endpoints: Endpoints) {
        let gate = services.gate
        addAudit(to: endpoints)
        let clients = AdminClientController(gate: gate, clients: services.clients, random: random)
        endpoints.on("/api/admin/clients", [.get: clients.list, .post: clients.create])
        endpoints.on(
            "/api/admin/clients/{id}",
            [.get: clients.show, .put: clients.replace, .patch: clients.patch, .delete: clients.delete])
        endpoints.on("/api/admin/clients/{id}/secret", [.post: clients.renewSecret])
        let users = AdminUserController(gate: gate, users: services.users, random: random)
        endpoints.on("/api/admin/users", [.get: users.list, .post: users.create])
        endpoints.on("/api/admin/users/{id}", [.get: users.show, .patch: users.change])
        endpoints.on("/api/admin/users/{id}/sessions", [.get: users.sessions, .delete: users.endSessions])
        endpoints.on("/api/admin/sessions/{id}", [.delete: users.endSession])
        let keys = AdminKeyController(gate: gate, keys: services.keys)
        endpoints.on("/api/admin/keys", [.get: keys.list])
        endpoints.on("/api/admin/keys/rotate", [.post: keys.rotate])
        endpoints.on("/api/admin/keys/{kid}/retire", [.post: keys.retire])
        let explain = AdminExplainController(gate: gate, explainer: services.explainer, exchange: exchange)
        endpoints.on("/api/admin/explain", [.post: explain.explain])
    }

    private func addAudit(to endpoints: Endpoints) {
        let audit = AuditController(gate: services.gate, log: services.storage, terms: services.auditTerms)
        let stream = AuditStreamController(gate: services.gate, log: services.storage)
        endpoints.on("/api/admin/audit-events", [.get: audit.search])
        endpoints.on("/api/admin/audit-events.csv", [.get: audit.export(.csv)])
        endpoints.on("/api/admin/audit-events.jsonl", [.get: audit.export(.jsonLines)])
        endpoints.on("/api/admin/audit-events.ocsf.jsonl", [.get: audit.export(.ocsf)])
        endpoints.on("/api/admin/audit-events/stream", [.get: stream.stream])
        endpoints.on("/api/admin/audit-events/{id}", [.get: audit.show])
        endpoints.on("/api/admin/audit/verify", [.get: audit.verify])
    }
}
