import Bridge
import BridgeHTTP
import Federation
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import UnixSignals

/// Runs a composition until a signal ends it.
struct Server: Sendable {
    let composition: Composition
    /// Whether `/` is the service's own, and not among the extra routes.
    var frontPage = true
    /// Pages whose paths are one of the service's own with a slash at its end.
    var beside: [String: Handler] = [:]
    var extraRoutes: @Sendable (Endpoints) -> Void = { _ in }
    /// Called once both listeners accept connections.
    var onReady: @Sendable () async -> Void = {}

    private var ground: Ground { composition.ground }

    /// Returns after a clean stop: requests in flight are answered, the audit log is closed by a checkpoint.
    func run() async throws {
        let settings = ground.settings
        let logger = ground.logger
        let certificate = settings.listeners.tls.map {
            TLSCertificate(certificatePath: $0.certificate, keyPath: $0.privateKey)
        }
        let tls = try certificate.map { Reloadable(try $0.load()) }
        let ready = ReadyLatch(expecting: 2) { await started() }
        func malformed(strictTransportSecurity: String?) -> MalformedRequests {
            MalformedRequests(
                front: composition.services.front, origins: composition.httpSettings.origins,
                strictTransportSecurity: strictTransportSecurity)
        }
        let publicApplication = buildApplication(
            router: buildRouter(
                services: composition.services, settings: composition.httpSettings, frontPage: frontPage,
                beside: beside, extraRoutes: extraRoutes),
            address: settings.listeners.main.bindAddress, limits: settings.listeners.connections, tls: tls,
            malformed: malformed(strictTransportSecurity: composition.httpSettings.strictTransportSecurityValue),
            logger: logger,
            onServerRunning: { _ in await ready.arrive() })
        let managementApplication = buildApplication(
            router: buildManagementRouter(
                readiness: composition.readiness, metrics: composition.metrics,
                issuer: composition.httpSettings.origins.issuer),
            address: settings.listeners.management.bindAddress, malformed: malformed(strictTransportSecurity: nil),
            logger: logger,
            onServerRunning: { _ in await ready.arrive() })

        await composition.auditWatch.begin()
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let reload = ReloadService(signals: signals) { [composition] in
            await composition.reload()
            Self.reload(certificate, into: tls, logger: logger)
        }
        // Stopped in reverse order: first the readiness, then the public listener, the rest after it.
        let services: [any Service] =
            // The last to stop: it sends what the last requests left.
            [composition.telemetry?.service].compactMap(\.self) + [
                PurgeService(
                    storage: ground.storage, auditRetention: settings.audit.retention,
                    watch: composition.auditWatch.watch, interval: settings.storage.purgeInterval,
                    time: ground.time,
                    logger: logger),
                SessionNewsService(sessions: composition.wings.sessions.webSessions, logger: logger),
                DisabledUserService(users: composition.wings.sessions.subjects.disabledUsers, logger: logger),
                KeyNewsService(keys: ground.keys, logger: logger),
                AlertService(
                    board: composition.alerts, tallies: ground.storage,
                    delivery: settings.alerts.webhook.map {
                        AlertWebhook(url: $0, secret: settings.alerts.webhookSecret)
                    },
                    node: settings.storage.node, time: ground.time, logger: logger),
                WebhookSubscription(notifier: composition.webhooks, logger: logger),
                NoticeService(worker: composition.webhooks, bell: composition.notices, logger: logger),
                ClientNewsService(clients: composition.clients, logger: logger), composition.auditWatch,
                AuditTallyService(
                    storage: ground.storage, metrics: composition.metrics, time: ground.time,
                    logger: logger),
                AuditSealService(storage: ground.storage, time: ground.time, logger: logger),
                suppressedEvents,
            ] + composition.forwarding.services + revocationServices + providerServices + [
                reload, managementApplication, publicApplication, StopGate { [composition] in composition.beginStop() },
            ]
        var configuration = ServiceGroupConfiguration(
            // By its type: else a service is named by all that it holds.
            services: services.map { .init(service: $0, serviceName: "\(type(of: $0))") },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.process.shutdownGrace
        do {
            try ListenError.check(settings)
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError {
            logger.warning("requests were still in flight after the grace period")
        } catch {
            await stopped()
            throw ListenError(error, settings) ?? error
        }
        await stopped()
    }

    private var suppressedEvents: SuppressedEventsService {
        SuppressedEventsService(
            refusals: ground.refusals, metrics: composition.metrics, time: ground.time,
            logger: ground.logger)
    }

    private var revocationServices: [any Service] {
        ground.shared.revocations.map { channel in
            [
                RevocationService(
                    channel: channel, sessions: composition.wings.sessions.webSessions, keys: ground.keys)
            ]
        } ?? []
    }

    private var providerServices: [any Service] {
        composition.wings.provider.map { provider in
            [NoticeService(worker: provider.notifier, bell: composition.notices, logger: ground.logger)]
        } ?? []
    }

    private func started() async {
        do {
            try await ground.storage.append([
                AuditEvent(at: ground.time.now(), type: .nodeStarted, outcome: .success)
            ])
        } catch {
            ground.logger.error("could not record the start", metadata: ["error": "\(error)"])
        }
        ground.logger.notice(
            "ready",
            metadata: [
                "version": "\(Version.text)", "public_origin": "\(ground.settings.origins.website)",
                "listen": "\(ground.settings.listeners.main)",
                "management_listen": "\(ground.settings.listeners.management)",
            ])
        await onReady()
    }

    private func stopped() async {
        let event = AuditEvent(at: ground.time.now(), type: .nodeStopped, outcome: .success)
        // A number that cannot be told must not keep the log from being closed.
        try? await suppressedEvents.write()
        // Left standing, other nodes would wait for this one with their next key, for seconds.
        try? await ground.keys.leave()
        do {
            try await ground.storage.append([event])
        } catch {
            ground.logger.error("could not record the stop", metadata: ["error": "\(error)"])
        }
        // Also then: else this node's lease stands until it runs out, and where its chain ends is noted nowhere.
        do {
            try await ground.storage.close()
        } catch {
            ground.logger.error("could not close the audit log", metadata: ["error": "\(error)"])
        }
        await ground.shared.close()
        composition.services.front.accessLog.flush()
        ground.logger.notice("stopped")
    }

    private static func reload(_ certificate: TLSCertificate?, into tls: Reloadable<NIOSSLContext>?, logger: Logger) {
        guard let certificate, let tls else { return }
        do {
            tls.replace(with: try certificate.load())
        } catch {
            logger.error("could not reload the certificate; the old one stays", metadata: ["error": "\(error)"])
        }
    }
}

extension ListenAddress {
    fileprivate var bindAddress: BindAddress { .hostname(host, port: port) }
}
