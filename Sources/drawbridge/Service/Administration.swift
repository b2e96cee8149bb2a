import Bridge
import BridgeHTTP
import Foundation

/// Who may administer, as far as the start decides it.
struct Administration: Sendable {
    /// Off in the demo only (contract §8).
    var requiresSecondFactor = true

    /// What the routes of the administration call.
    func services(
        settings: DrawbridgeSettings, storage: any BridgeStorage, domain: DomainServices, keys: SigningKeys,
        clients: ClientReloader, readiness: Readiness, alerts: AlertBoard,
        auditTerms: @escaping @Sendable () -> AuditVerificationTerms, time: TimeSource
    ) throws -> AdminServices {
        let started = time.now()
        let administrators = StoredAdministrators(
            storage, enrols: domain.signIn.secondFactor != nil)
        let local = domain.provider.map {
            LocalAdminTokens(tokens: $0.accessTokens, clients: clients.directory, administrators: administrators)
        }
        let authenticator = AdminAuthenticators(
            [local].compactMap(\.self) + [UserTokensDoNotAdminister(domain.issuers)])
        return AdminServices(
            gate: AdminGate(
                authenticator: authenticator,
                adminSessions: AdminSessions(store: storage, authenticator: authenticator, time: time),
                webSessions: domain.sessions,
                administrators: administrators, requiresSecondFactor: requiresSecondFactor,
                publicOrigin: settings.origins.admin, proofs: domain.proofs, refusals: domain.refusals, time: time),
            storage: storage,
            clients: ClientRegister(
                store: storage, directory: clients.directory, fixed: clients.fixedIDs,
                reload: clients.reloadStored),
            users: UserRegister(
                storage: storage, endings: domain.endings, passwords: try PasswordDesk(cost: settings.passwordCost),
                onClaimsChanged: { domain.provider?.userClaims.forget($0) }, time: time),
            keys: keys,
            explainer: Explainer(
                codec: domain.codec, clients: clients.directory, subjects: storage, store: storage,
                parents: domain.parents, publicOrigin: settings.publicOrigin, time: time),
            node: NodeServices(
                auditTerms: auditTerms,
                health: {
                    let report = await readiness.report()
                    return NodeHealth(
                        node: settings.node, version: Version.text, startedAt: started, failed: report.failed.sorted(),
                        degraded: report.degraded)
                },
                settings: { SettingListing(settings).lines }, alerts: alerts))
    }
}
