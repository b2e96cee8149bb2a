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
    let process: ServingProcess
    /// Whether `/` is the service's own, and not among the extra routes.
    var frontPage = true
    /// Pages whose paths are one of the service's own with a slash at its end.
    var beside: [String: Handler] = [:]
    var extraRoutes: @Sendable (Endpoints) -> Void = { _ in }
    /// Called once both listeners accept connections.
    var onReady: @Sendable () async -> Void = {}

    /// Rung when other servers say that they changed the keys.
    let keyNews = NoticeBell()

    private var ground: Ground { composition.ground }

    /// Returns after a clean stop: requests in flight are answered, the audit log is closed by a checkpoint.
    func run() async throws {
        do {
            try await serve()
        } catch is CancellationError {
            ground.logger.warning("requests were still in flight after the grace period")
        } catch {
            await stopped()
            throw ListenError(error, ground.settings) ?? error
        }
        await stopped()
    }

    private func serve() async throws {
        let settings = ground.settings
        let certificate = try settings.listeners.tls.map {
            try ServedCertificate($0.pair, metrics: composition.metrics, time: ground.time, logger: ground.logger)
        }
        certificate?.warn()
        if let warning = process.openFiles.warning(wanting: settings.listeners.connections.maximumConnections) {
            ground.logger.warning("\(warning)")
        }
        let ready = ReadyLatch(expecting: 2) { await started() }
        let main = publicApplication(tls: certificate?.context, ready: ready)
        let management = managementApplication(ready: ready)

        await composition.auditWatch.begin()
        let reload = process.hangUps.map { signals in
            ReloadService(signals: signals) { [self] in
                guard let certificate else { return await composition.reload() }
                await composition.reload { try certificate.reload() }
                certificate.warn()
            }
        }
        let optional: [(any Service)?] = [certificate, reload]
        // Stopped in reverse order: first the readiness, then the public listener, the rest after it.
        let configuration = groupConfiguration(
            of: backgroundServices + optional.compactMap(\.self) + [
                management, main, StopGate { [composition] in composition.beginStop() },
            ])
        try ListenError.check(settings)
        try await ServiceGroup(configuration: configuration).run()
    }

    private func publicApplication(
        tls: Reloadable<NIOSSLContext>?, ready: ReadyLatch
    ) -> some ApplicationProtocol {
        let listeners = ground.settings.listeners
        var limits = listeners.connections
        limits.maximumConnections = process.openFiles.connections(of: limits.maximumConnections)
        return buildApplication(
            router: buildRouter(
                services: composition.services, settings: composition.httpSettings, frontPage: frontPage,
                beside: beside, extraRoutes: extraRoutes),
            address: listeners.main.bindAddress, limits: limits, tls: tls,
            malformed: malformedRequests(
                strictTransportSecurity: composition.httpSettings.strictTransportSecurityValue),
            logger: ground.logger,
            onServerRunning: { _ in await ready.arrive() })
    }

    private func managementApplication(ready: ReadyLatch) -> some ApplicationProtocol {
        buildApplication(
            router: buildManagementRouter(
                readiness: composition.readiness, metrics: composition.metrics,
                issuer: composition.httpSettings.origins.issuer, time: ground.time,
                refreshMetrics: { [redis = ground.shared.refreshMetrics, tally = auditTally, composition] in
                    // Notes are kept, or cannot be, between two looks at the log.
                    composition.auditWatch.watch.record(to: composition.metrics)
                    async let readiness: Void = MetricsPatience.wait {
                        await composition.readiness.record(to: composition.metrics)
                    }
                    await redis()
                    await tally.countBriefly()
                    await readiness
                }),
            address: ground.settings.listeners.management.bindAddress,
            // Few connections: idle ones may not keep a probe waiting for longer than it waits.
            limits: ServerLimits(headerTimeout: .seconds(5), maximumConnections: OpenFiles.managementConnections),
            malformed: malformedRequests(strictTransportSecurity: nil), logger: ground.logger,
            onServerRunning: { _ in await ready.arrive() })
    }

    private func malformedRequests(strictTransportSecurity: String?) -> MalformedRequests {
        MalformedRequests(
            front: composition.services.front, origins: composition.httpSettings.origins,
            strictTransportSecurity: strictTransportSecurity)
    }

    private func groupConfiguration(of services: [any Service]) -> ServiceGroupConfiguration {
        var configuration = ServiceGroupConfiguration(
            // By its type: else a service is named by all that it holds.
            services: services.map { .init(service: $0, serviceName: "\(type(of: $0))") },
            gracefulShutdownSignals: process.stopSignals, logger: ground.logger)
        configuration.maximumGracefulShutdownDuration = ground.settings.process.shutdownGrace
        return configuration
    }

    /// What runs besides the listeners, in the order in which it starts.
    private var backgroundServices: [any Service] {
        let storage = ground.storage
        let time = ground.time
        let logger = ground.logger
        // The last to stop: it sends what the last requests left.
        return [composition.telemetry?.service].compactMap(\.self) + [
            purge, SessionNewsService(sessions: composition.wings.sessions.webSessions, logger: logger),
            DisabledUserService(users: composition.wings.sessions.subjects.disabledUsers, logger: logger),
            KeyNewsService(keys: ground.keys, bell: keyNews, logger: logger), alerts,
            NoticeSubscriptionService(workers: [composition.webhooks, composition.logouts], logger: logger),
            NoticeService(worker: composition.webhooks, bell: composition.notices, logger: logger),
            NoticeService(worker: composition.logouts, bell: composition.notices, logger: logger),
            ClientNewsService(clients: composition.clients, logger: logger), composition.auditWatch,
            auditTally,
            AuditSealService(storage: storage, time: time, logger: logger),
            AuditThinningService(storage: storage, clock: composition.databaseClock, logger: logger),
            suppressedEvents,
        ] + composition.forwarding.services + revocationServices
    }

    private var purge: PurgeService {
        PurgeService(
            storage: ground.storage, auditRetention: ground.settings.audit.retention,
            watch: composition.auditWatch.watch, databaseClock: composition.databaseClock,
            interval: ground.settings.storage.purgeInterval, metrics: composition.metrics, time: ground.time,
            logger: ground.logger)
    }

    private var alerts: AlertService {
        let settings = ground.settings
        return AlertService(
            board: composition.alerts, tallies: ground.storage,
            delivery: settings.alerts.webhook.map {
                AlertWebhook(url: $0, secret: settings.alerts.webhookSecret)
            },
            node: settings.storage.node, time: ground.time, logger: ground.logger)
    }

    private var auditTally: AuditTallyService {
        AuditTallyService(
            storage: ground.storage, metrics: composition.metrics, time: ground.time, logger: ground.logger)
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
                    channel: channel, sessions: composition.wings.sessions.webSessions, keyNews: keyNews)
            ]
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
        await composition.recordSettingsClients()
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
        await composition.services.front.accessLog.flush(within: .seconds(2))
        ground.logger.notice("stopped")
        await JSONLogHandler.flush(within: .seconds(2))
    }
}

extension ListenAddress {
    fileprivate var bindAddress: BindAddress { .hostname(host, port: port) }
}
