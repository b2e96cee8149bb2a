import Bridge
import BridgeHTTP
import Federation
import Foundation
import Logging
import Metrics

/// Everything of one server, put together. The only place, with the commands, that names a back end.
struct Composition: Sendable {
    let settings: DrawbridgeSettings
    let storage: any BridgeStorage
    let shared: SharedState
    let services: BridgeServices
    let httpSettings: BridgeHTTPSettings
    let metrics: PrometheusMetrics
    let readiness: Readiness
    let keys: SigningKeys
    let clients: ClientReloader
    let issuers: TrustedIssuers
    let alerts: AlertBoard
    let forwarding: AuditForwarding
    let refusals: RefusalLog
    let auditWatch: AuditWatchService
    let webhooks: WebhookNotifier
    /// Rung when something ended that somebody outside wants to hear of.
    let notices = NoticeBell()
    let bearerCache: CachedBearerAuthenticator
    /// `nil` where Drawbridge stands beside another provider only.
    let provider: ProviderComposition?
    let logger: Logger
    let time: TimeSource

    /// - Parameters:
    ///   - watch: what the storage was opened with.
    ///   - rereadClients: the settings file's clients as they stand at a reload.
    /// - Throws: what an operator must mend before the server can start.
    init(
        settings: DrawbridgeSettings, storage: any BridgeStorage, accessLog: AccessLog, logger: Logger,
        time: TimeSource = .system, watch: AuditWatch = AuditWatch(),
        administration: Administration = Administration(),
        rereadClients: (@Sendable () throws -> [Client])? = nil
    ) async throws {
        self.settings = settings
        self.storage = storage
        self.logger = logger
        self.time = time
        clients = try await ClientReloader(settings: settings, store: storage, reread: rereadClients)
        if let target = settings.defaultWebClient, clients.directory.current[target] == nil {
            throw SettingsRefused(problems: [
                SettingProblem(.defaultWebClient, value: target.rawValue, "is no client of the file or the database")
            ])
        }
        if settings.limits == nil { logger.warning("rate limits are lifted") }
        issuers = try await TrustedIssuers(settings.trustedIssuers, beside: OwnIssuer(settings), logger: logger)
        // Accounts may have been added where no setting speaks of any.
        if try await storage.hasAccounts() {
            let own = OwnIssuer(name: settings.issuer.description, signsUsersIn: true)
            let problems = TrustedIssuerSettings.problems(in: settings.trustedIssuers, beside: own)
            guard problems.isEmpty else { throw SettingsRefused(problems: problems.map { SettingProblem($0) }) }
        }
        bearerCache = CachedBearerAuthenticator(
            issuers, cache: BearerCache(capacity: settings.bearerCacheSize, time: time))
        webhooks = WebhookNotifier(
            store: storage, clients: clients.directory,
            secrets: WebhookSecretFiles(folder: settings.webhookSecretsPath), delivery: WebhookPoster(), time: time,
            logger: logger)
        metrics = PrometheusMetrics()
        let alerts = AlertBoard(rules: settings.alerts.rules)
        self.alerts = alerts
        let shared = await SharedState(settings: settings, metrics: metrics, logger: logger, time: time)
        self.shared = shared
        let master = try MasterKeyFile.load(settings.masterKeyPath)
        let keys = try await ServiceKeys.start(
            settings: settings, store: storage, master: master,
            announce: { [revocations = shared.revocations] in
                // News that are lost are read from the store with the next poll.
                try? await revocations?.publishKeyChange()
            },
            time: time, logger: logger)
        self.keys = keys
        let checks = [
            Readiness.Check("storage") { try await storage.checkWritable() },
            Readiness.Check("login_token_key") { [ring = keys.loginTokens] in
                guard ring.current.signingKeyID(at: time.now()) != nil else {
                    throw StorageError.unavailable("no key may sign login tokens")
                }
            },
        ]
        forwarding = AuditForwarding(settings: settings, storage: storage, metrics: metrics, logger: logger, time: time)
        auditWatch = AuditWatchService(
            storage: storage, file: AuditNoteFile(besideSigningKey: settings.auditSigningKeyFile),
            keys: [try AuditSigningKey.load(path: settings.auditSigningKeyFile).verifierKey], watch: watch,
            retention: settings.auditRetention, metrics: metrics, time: time, logger: logger)
        readiness = Readiness(
            checks: checks + [shared.readinessCheck].compactMap(\.self) + forwarding.checks + watch.checks)
        httpSettings = BridgeHTTPSettings(settings)
        let files = try settings.publicDirectory.map { try PublicFiles(overriddenBy: $0) } ?? .embedded
        let domain = try await DomainServices(
            settings: settings, storage: storage, shared: shared, keys: keys, master: master,
            clients: clients.directory, bearers: bearerCache, notices: notices, logger: logger, time: time)
        provider = domain.provider
        refusals = domain.refusals
        services = BridgeServices(
            front: FrontServices(
                accessLog: accessLog, metrics: metrics, proofs: domain.proofs, keys: keys, time: time),
            browsers: BrowserServices(
                sessions: domain.sessions, endings: domain.endings, clients: clients.directory,
                formTokens: FormTokens(keys: keys.loginTokens, time: time),
                pages: try Pages(files: files, siteName: httpSettings.siteName, signInURL: httpSettings.signInURL),
                files: files),
            loginTokens: LoginTokenServices(
                issuer: domain.issuer, overview: LoginTokenOverview(store: storage, time: time),
                redeemer: domain.redeemer, bearers: domain.bearers),
            signIn: domain.signIn,
            admin: try administration.services(
                settings: settings, storage: storage, domain: domain, keys: keys, clients: clients,
                readiness: readiness, alerts: alerts, auditTerms: auditWatch.terms, time: time),
            provider: domain.provider?.services, device: domain.provider?.device.services)
    }

    /// Rereads keys, clients and issuers' key files. What cannot be read stays as it is, and the log says so.
    func reload() async {
        let outcomes = [
            await attempt("clients") { try await clients.reload() },
            await attempt("signing keys") { try await keys.reload() },
            await attempt("trusted issuers") { try await issuers.reload() },
        ]
        bearerCache.reload()
        await auditWatch.look()
        let reloaded = outcomes.compactMap(\.self)
        if !reloaded.isEmpty { logger.notice("reloaded \(reloaded.joined(separator: ", "))") }
    }

    /// - Returns: the name of what was reloaded; `nil` when it was not.
    private func attempt(_ what: String, _ action: () async throws -> Void) async -> String? {
        do {
            try await action()
            return what
        } catch {
            logger.error("could not reload \(what); the old ones stay", metadata: ["error": "\(error)"])
            return nil
        }
    }
}

extension BridgeHTTPSettings {
    fileprivate init(_ settings: DrawbridgeSettings) {
        self.init(
            origins: settings.origins, redemptionPaths: settings.redemptionPaths,
            signInURL: settings.absoluteSignInURL, siteName: settings.siteName, trustedProxies: settings.trustedProxies,
            appLinks: settings.appLinks)
    }
}
