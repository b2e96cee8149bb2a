import Bridge
import BridgeHTTP
import Foundation

/// Who may administer, as far as the start decides it.
struct Administration: Sendable {
    /// Off in the demo only (contract §8).
    var requiresSecondFactor = true

    /// What the routes of the administration call.
    func services(
        _ ground: Ground, _ wings: Wings, clients: ClientReloader, readiness: Readiness, alerts: AlertBoard,
        auditTerms: @escaping @Sendable () throws -> AuditVerificationTerms
    ) throws -> AdminServices {
        let settings = ground.settings
        let storage = ground.storage
        let time = ground.time
        let started = time.now()
        return AdminServices(
            gate: gate(ground, wings), storage: storage,
            clients: ClientRegister(
                store: storage, directory: ground.clients, fixed: clients.fixedIDs,
                reload: clients.reloadStored),
            users: UserRegister(
                storage: storage, endings: wings.sessions.endings,
                passwords: ground.passwords,
                takesAccounts: settings.problemsWithAccounts.isEmpty,
                onChange: wings.sessions.subjects.forget, time: time),
            keys: ground.keys,
            explainer: Explainer(
                codec: wings.loginTokens.codec, clients: ground.clients, subjects: storage, store: storage,
                parents: wings.sessions.parents, publicOrigin: settings.origins.website, time: time),
            node: NodeServices(
                auditTerms: auditTerms,
                health: {
                    let report = await readiness.report()
                    return NodeHealth(
                        node: settings.storage.node, version: Version.text, startedAt: started,
                        failed: report.failed.sorted(), degraded: report.degraded)
                },
                settings: {
                    SettingListing(settings, defaultTarget: ground.clients.current.defaultTarget).lines
                }, alerts: alerts))
    }

    private func gate(_ ground: Ground, _ wings: Wings) -> AdminGate {
        let administrators = StoredAdministrators(ground.storage)
        let local = wings.provider.map {
            LocalAdminTokens(
                tokens: $0.tokens.accessTokens, clients: ground.clients, administrators: administrators,
                requiresSecondFactor: requiresSecondFactor)
        }
        let authenticator = AdminAuthenticators(
            [local].compactMap(\.self) + [UserTokensDoNotAdminister(wings.bearers.issuers)])
        return AdminGate(
            authenticator: authenticator,
            adminSessions: AdminSessions(
                store: ground.storage, authenticator: authenticator, time: ground.time, logger: ground.logger),
            webSessions: wings.sessions.webSessions,
            administrators: administrators, requiresSecondFactor: requiresSecondFactor,
            publicOrigin: ground.settings.origins.admin, proofs: wings.bearers.proofs, refusals: ground.refusals,
            time: ground.time)
    }
}
