import Bridge
import BridgeHTTP
import Federation
import Foundation
import Logging
import Metrics

/// Everything of one server, put together. The only place, with the commands, that names a back end.
struct Composition: Sendable {
    let ground: Ground
    let wings: Wings
    let services: BridgeServices
    let httpSettings: BridgeHTTPSettings
    let metrics: PrometheusMetrics
    let readiness: Readiness
    let clients: ClientReloader
    let settingsClients: SettingsClients
    let issuers: TrustedIssuers
    let alerts: AlertBoard
    let forwarding: AuditForwarding
    let auditWatch: AuditWatchService
    let databaseClock: DatabaseClock
    let webhooks: WebhookNotifier
    let logouts: LogoutNotifier
    /// `nil` where no request is traced.
    let telemetry: Telemetry?
    /// Rung when something ended that a website wants to hear of.
    let notices = NoticeBell()
    let bearerCache: CachedBearerAuthenticator

    /// - Parameters:
    ///   - watch: what the storage was opened with.
    ///   - rereadClients: the settings' clients as they are at a reload.
    /// - Throws: what an operator must fix before the server can start.
    init(
        settings: DrawbridgeSettings, storage: any BridgeStorage, accessLog: AccessLog, logger: Logger,
        time: TimeSource = .system, watch: AuditWatch,
        administration: Administration = Administration(),
        rereadClients: (@Sendable () throws -> ConfiguredClients)? = nil
    ) async throws {
        clients = try await Self.clients(settings, storage, rereadClients)
        settingsClients = SettingsClients(store: storage, time: time)
        if !settings.rateLimits.areEnforced { logger.warning("rate limits are lifted") }
        issuers = try await Self.issuers(settings, storage, logger)
        bearerCache = CachedBearerAuthenticator(
            issuers, cache: BearerCache(capacity: settings.provider.bearerCacheSize, time: time))
        webhooks = WebhookNotifier(
            store: storage, clients: clients.directory,
            secrets: WebhookSecretFiles(folder: settings.sessions.webhookSecretsPath), delivery: WebhookPoster(),
            time: time, logger: logger)
        // Before a listener opens: what ends without a subscriber is told to nobody.
        try await webhooks.subscribe()
        metrics = PrometheusMetrics()
        alerts = AlertBoard(rules: settings.alerts.rules)
        telemetry = Telemetry(
            settings.telemetry, node: settings.storage.node, metrics: metrics, time: time, logger: logger)
        let shared = await SharedState(
            settings: settings, storage: storage, metrics: metrics, logger: logger, time: time)
        let master = try MasterKeyFile.load(settings.storage.masterKeyPath)
        let keys = try await ServiceKeys.start(
            settings: settings, store: storage, master: master, announce: shared.announceKeyChange, time: time,
            logger: logger)
        forwarding = AuditForwarding(settings: settings, storage: storage, metrics: metrics, logger: logger, time: time)
        databaseClock = await Self.compareClocks(with: storage, metrics, time, logger)
        auditWatch = try AuditWatchService(
            settings, storage, watch, clock: databaseClock, metrics: metrics, time: time, logger: logger)
        Self.observe(storage, for: metrics)
        readiness = Readiness(
            checks: Self.checks(storage, keys, time) + [shared.readinessCheck].compactMap(\.self) + forwarding.checks
                + watch.checks + (settings.storage.database == nil ? [] : [databaseClock.check]),
            time: time)
        httpSettings = BridgeHTTPSettings(settings)
        let site = try SitePages(settings)
        let ground = Ground(
            settings: settings, storage: storage, shared: shared, keys: keys, master: master,
            clients: clients.directory, logger: logger, time: time, recorder: telemetry?.recorder)
        let wings = try Wings(
            ground, bearers: bearerCache, notices: notices, onRedemption: Self.countRedemptions(metrics))
        logouts = wings.provider?.notifier ?? LogoutNotifier(withoutProvider: ground)
        // As for webhooks.
        try await logouts.subscribe()
        self.ground = ground
        self.wings = wings
        services = BridgeServices(
            front: FrontServices(ground, wings, accessLog: accessLog, metrics: metrics),
            browsers: BrowserServices(ground, wings, site: site),
            loginTokens: LoginTokenServices(ground, wings), signIn: wings.signIn,
            admin: try administration.services(
                ground, wings, clients: clients, readiness: readiness, alerts: alerts, auditTerms: auditWatch.terms),
            provider: wings.provider?.services, device: wings.provider?.nativeSSO.services)
    }

    /// - Throws: ``SettingsRefused`` when the website that apps open by default is not a client.
    private static func clients(
        _ settings: DrawbridgeSettings, _ storage: any BridgeStorage,
        _ reread: (@Sendable () throws -> ConfiguredClients)?
    ) async throws -> ClientReloader {
        let clients = try await ClientReloader(settings: settings, store: storage, reread: reread)
        try clients.directory.current.requireDefaultTarget()
        return clients
    }

    /// - Throws: ``SettingsRefused`` when one of them could name our own users, or its file holds no keys.
    private static func issuers(
        _ settings: DrawbridgeSettings, _ storage: any BridgeStorage, _ logger: Logger
    ) async throws -> TrustedIssuers {
        let issuers: TrustedIssuers
        do throws(TrustedIssuerProblems) {
            issuers = try await TrustedIssuers(settings.trustedIssuers, beside: OwnIssuer(settings), logger: logger)
        } catch {
            throw SettingsRefused(problems: error.problems.map { SettingError($0) })
        }
        // There may be accounts in the database that no setting mentions.
        guard try await storage.hasAccounts() else { return issuers }
        let problems = settings.problemsWithAccounts
        guard problems.isEmpty else { throw SettingsRefused(problems: problems) }
        return issuers
    }

    /// Before anything is served or removed.
    private static func compareClocks(
        with storage: any BridgeStorage, _ metrics: PrometheusMetrics, _ time: TimeSource, _ logger: Logger
    ) async -> DatabaseClock {
        let clock = DatabaseClock(of: storage, metrics: metrics, time: time, logger: logger)
        // A database that is away now is asked again before something is removed.
        _ = try? await clock.removalTime()
        return clock
    }

    /// What the storage tells of this node and of its writer, for metrics.
    private static func observe(_ storage: any BridgeStorage, for metrics: PrometheusMetrics) {
        let leaseMetrics = NodeLeaseMetrics(metrics)
        storage.observeNode { leaseMetrics.record($0) }
        let writerMetrics = WriterMetrics(metrics)
        storage.observeWriter { writerMetrics.record($0, $1) }
        storage.observeQueue { writerMetrics.record(waiting: $0) }
    }

    /// What comes of login tokens, for metrics.
    private static func countRedemptions(_ metrics: PrometheusMetrics) -> @Sendable (RedemptionOutcome.Label) -> Void {
        let counters = OutcomeCounters<RedemptionOutcome.Label>(
            label: "drawbridge_redemptions_total", factory: metrics)
        return { counters.count($0) }
    }

    /// What a server cannot do without.
    private static func checks(
        _ storage: any BridgeStorage, _ keys: SigningKeys, _ time: TimeSource
    ) -> [Readiness.Check] {
        [
            Readiness.Check("storage") { try await storage.checkWritable() },
            // After the write, which takes a name back that is free again.
            Readiness.Check("node_lease") {
                guard storage.nodeStanding.isHeld else {
                    throw StorageError.unavailable("another process writes as this node")
                }
            },
            Readiness.Check("login_token_key") { [ring = keys.loginTokens] in
                guard ring.current.signingKeyID(at: time.now()) != nil else {
                    throw StorageError.unavailable("no key may sign login tokens")
                }
            },
        ]
    }

    /// `/readyz` says no, so that load balancers send nothing more, and pages that wait are sent to ask another node.
    func beginStop() {
        readiness.stop()
        services.signIn.phone?.signIns.stopWaiting()
    }

    /// Rereads keys, clients, and issuers' and upstream providers' files of keys and secrets. What cannot be read stays
    /// as it is, and the log says so; it also names the clients that changed, and the settings that were changed and
    /// wait for a restart.
    /// - Parameter certificate: takes in the listener's certificate, where it has one.
    func reload(certificate: (@Sendable () throws -> Void)? = nil) async {
        var outcomes = [
            await attempt("clients") { try await clients.reload() },
            await attempt("signing keys") { try await ground.keys.reload() },
            await attempt("issuers' key files") { try await issuers.reload() },
        ]
        for provider in services.signIn.upstream?.signIn.providers ?? [] {
            outcomes.append(await attempt("upstream provider \(provider.id)") { try provider.reload() })
        }
        // At once: what ends without a subscriber is told to nobody. Where it fails, the next round does it.
        try? await webhooks.subscribe()
        try? await logouts.subscribe()
        if let certificate { outcomes.append(await attempt("certificate") { try certificate() }) }
        bearerCache.reload()
        await auditWatch.look()
        let reloaded = outcomes.compactMap(\.self)
        if !reloaded.isEmpty { ground.logger.notice("reloaded \(reloaded.joined(separator: ", "))") }
        guard reloaded.contains("clients") else { return }
        let (changed, waiting) = (clients.changedClients, clients.changedBesides)
        if !changed.isEmpty {
            ground.logger.notice("clients of the settings file changed: \(changed.joined(separator: ", "))")
        }
        if !waiting.isEmpty {
            ground.logger.warning("\(waiting.joined(separator: ", ")) changed; that counts after a restart")
        }
        await recordSettingsClients()
    }

    /// Writes down how the settings file's clients changed. Where that fails, the next reload or start does it.
    func recordSettingsClients() async {
        do {
            try await settingsClients.record(clients.ofSettings)
        } catch {
            ground.logger.error(
                "could not record the clients of the settings file", metadata: ["error": "\(error)"])
        }
    }

    /// - Returns: the name of what was reloaded; `nil` when it was not.
    private func attempt(_ what: String, _ action: () async throws -> Void) async -> String? {
        do {
            try await action()
            return what
        } catch {
            ground.logger.error("could not reload \(what); what was in force stays", metadata: ["error": "\(error)"])
            return nil
        }
    }
}

extension AuditWatchService {
    fileprivate init(
        _ settings: DrawbridgeSettings, _ storage: any BridgeStorage, _ watch: AuditWatch, clock: DatabaseClock,
        metrics: PrometheusMetrics, time: TimeSource, logger: Logger
    ) throws {
        let keyPath = settings.audit.signingKeyPath
        self.init(
            storage: storage, file: AuditNoteFile(besideSigningKey: keyPath),
            keys: [try AuditSigningKeyFile.load(keyPath).verifierKey], watch: watch,
            retention: settings.audit.retention, clock: clock, metrics: metrics, time: time, logger: logger)
    }
}

extension LogoutNotifier {
    /// Without a provider there are no keys that a website could check a logout token with: this one gives up what is
    /// queued all the same, for a client in the database that would be told.
    fileprivate convenience init(withoutProvider ground: Ground) {
        self.init(
            store: ground.storage, clients: Reloadable(ClientDirectory([], defaultTarget: nil)),
            tokens: IDTokenCodec(issuer: ground.issuer, keys: ground.keys.ring), delivery: BackChannelLogout(),
            time: ground.time, logger: ground.logger)
    }
}

extension FrontServices {
    fileprivate convenience init(
        _ ground: Ground, _ wings: Wings, accessLog: AccessLog, metrics: PrometheusMetrics
    ) {
        self.init(
            accessLog: accessLog, metrics: metrics, proofs: wings.bearers.proofs, keys: ground.keys, time: ground.time,
            recorder: ground.recorder)
    }
}

extension BrowserServices {
    fileprivate convenience init(_ ground: Ground, _ wings: Wings, site: SitePages) {
        self.init(
            sessions: wings.sessions.webSessions, endings: wings.sessions.endings, clients: ground.clients,
            formTokens: FormTokens(keys: ground.keys.loginTokens, time: ground.time),
            pages: site.pages, files: site.files, refusals: ground.refusals)
    }
}

extension LoginTokenServices {
    fileprivate convenience init(_ ground: Ground, _ wings: Wings) {
        self.init(
            issuer: wings.loginTokens.issuer,
            overview: LoginTokenOverview(
                store: ground.storage, audit: ground.storage, subjects: wings.sessions.subjects,
                parents: wings.sessions.parents, time: ground.time),
            redeemer: wings.loginTokens.redeemer, handOffs: wings.loginTokens.handOffs, bearers: wings.gate)
    }
}

extension BridgeHTTPSettings {
    fileprivate init(_ settings: DrawbridgeSettings) {
        self.init(
            origins: settings.origins, redemptionPaths: settings.site.redemptionPaths,
            signInURL: settings.absoluteSignInURL, siteName: settings.site.name,
            trustedProxies: settings.listeners.trustedProxies,
            appLinks: settings.site.appLinks)
    }
}
