import Bridge
import BridgeHTTP
import CoreMetrics
import Federation
import Logging
import SQLStorage

/// The receivers of audit events: a service for each, and what `/readyz` says of it.
struct AuditForwarding: Sendable {
    let services: [AuditForwardService]
    /// Optional checks: a receiver that is down must not take the server out of service.
    let checks: [Readiness.Check]

    init(
        settings: DrawbridgeSettings, storage: any BridgeStorage, metrics: any MetricsFactory, logger: Logger,
        time: TimeSource
    ) {
        // Commands on this host write a chain of their own, which nobody else would forward.
        let nodes = [settings.storage.node, NodeName.ofCommand(beside: settings.storage.node)]
        services = settings.auditForwarders.map { target in
            let status = AuditForwardStatus(target: target.name)
            return AuditForwardService(
                transport: target.transport,
                forwarder: AuditForwarder(
                    nodes: nodes, start: target.start, log: storage, cursors: storage, status: status, time: time),
                status: status, metrics: AuditForwardMetrics(target: target.name, factory: metrics), logger: logger)
        }
        checks = services.map(\.status).map { status in
            Readiness.Check("audit_forwarder_\(status.target)", isOptional: true) {
                if let problem = status.current.problem { throw StorageError.unavailable(problem) }
            }
        }
    }
}
