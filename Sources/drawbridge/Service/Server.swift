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
    var extraRoutes: @Sendable (Endpoints) -> Void = { _ in }
    /// Called once both listeners accept connections.
    var onReady: @Sendable () async -> Void = {}

    /// Returns after a clean stop: requests in flight are answered, the audit log is closed by a checkpoint.
    func run() async throws {
        let settings = composition.settings
        let logger = composition.logger
        let certificate = settings.tls.map {
            TLSCertificate(certificatePath: $0.certificate, keyPath: $0.privateKey)
        }
        let tls = try certificate.map { Reloadable(try $0.load()) }
        let ready = ReadyLatch(expecting: 2) { await started() }
        let publicApplication = buildApplication(
            router: buildRouter(
                services: composition.services, settings: composition.httpSettings, extraRoutes: extraRoutes),
            address: settings.listen.bindAddress, limits: settings.connectionLimits, tls: tls,
            malformed: MalformedRequests(services: composition.services, settings: composition.httpSettings),
            logger: logger,
            onServerRunning: { _ in await ready.arrive() })
        let managementApplication = buildApplication(
            router: buildManagementRouter(readiness: composition.readiness, metrics: composition.metrics),
            address: settings.managementListen.bindAddress, logger: logger,
            onServerRunning: { _ in await ready.arrive() })

        await composition.auditWatch.begin()
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let reload = ReloadService(signals: signals) { [composition] in
            await composition.reload()
            Self.reload(certificate, into: tls, logger: logger)
        }
        // Stopped in reverse order: first the readiness, then the public listener, the rest after it.
        let services: [any Service] =
            [
                PurgeService(
                    storage: composition.storage, auditRetention: settings.auditRetention,
                    watch: composition.auditWatch.watch, interval: settings.purgeInterval, time: composition.time,
                    logger: logger),
                SessionNewsService(sessions: composition.services.browsers.sessions, logger: logger),
                KeyNewsService(keys: composition.keys, logger: logger),
                AlertService(
                    board: composition.alerts, tallies: composition.storage,
                    delivery: settings.alerts.webhook.map {
                        AlertWebhook(url: $0, secret: settings.alerts.webhookSecret)
                    },
                    node: settings.node, time: composition.time, logger: logger),
                WebhookSubscription(notifier: composition.webhooks, logger: logger),
                NoticeService(worker: composition.webhooks, bell: composition.notices, logger: logger),
                ClientNewsService(clients: composition.clients, logger: logger), composition.auditWatch,
                AuditTallyService(
                    storage: composition.storage, metrics: composition.metrics, time: composition.time, logger: logger),
                suppressedEvents,
            ] + composition.forwarding.services + revocationServices + providerServices + [
                reload, managementApplication, publicApplication, ReadinessGate(close: composition.readiness.stop),
            ]
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.shutdownGrace
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch is CancellationError {
            logger.warning("requests were still in flight after the grace period")
        } catch {
            await stopped()
            throw ListenFailure(error, settings) ?? error
        }
        await stopped()
    }

    private var suppressedEvents: SuppressedEventsService {
        SuppressedEventsService(
            refusals: composition.refusals, metrics: composition.metrics, time: composition.time,
            logger: composition.logger)
    }

    private var revocationServices: [any Service] {
        composition.shared.revocations.map { channel in
            [
                RevocationService(
                    channel: channel, sessions: composition.services.browsers.sessions, keys: composition.keys)
            ]
        } ?? []
    }

    private var providerServices: [any Service] {
        composition.provider.map { provider in
            [NoticeService(worker: provider.notifier, bell: composition.notices, logger: composition.logger)]
        } ?? []
    }

    private func started() async {
        do {
            try await composition.storage.append([
                AuditEvent(at: composition.time.now(), type: .nodeStarted, outcome: .success)
            ])
        } catch {
            composition.logger.error("could not record the start", metadata: ["error": "\(error)"])
        }
        composition.logger.notice(
            "ready",
            metadata: [
                "version": "\(Version.text)", "public_origin": "\(composition.settings.publicOrigin)",
                "listen": "\(composition.settings.listen)",
                "management_listen": "\(composition.settings.managementListen)",
            ])
        await onReady()
    }

    private func stopped() async {
        let event = AuditEvent(at: composition.time.now(), type: .nodeStopped, outcome: .success)
        // A number that cannot be told must not keep the log from being closed.
        try? await suppressedEvents.write()
        // Left standing, other nodes would wait for this one with their next key, for seconds.
        try? await composition.keys.leave()
        do {
            try await composition.storage.append([event])
            try await composition.storage.close()
        } catch {
            composition.logger.error("could not close the audit log", metadata: ["error": "\(error)"])
        }
        await composition.shared.close()
        composition.services.front.accessLog.flush()
        composition.logger.notice("stopped")
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
