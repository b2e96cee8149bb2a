import Bridge
import BridgeHTTP
import Foundation
import Logging
import SQLStorage

/// A complete server with throwaway keys and the demo website, on embedded stores or on those that are named.
struct DemoInstance: Sendable {
    private let folder: DemoFolder
    private let settings: DrawbridgeSettings
    private let scheme: String
    let issuer: DemoIssuer
    let accounts: DemoAccounts
    private let clients: DemoClients

    /// What a server would be refused for, an issuer in plain http, is the point of a demo; as is a listener that a
    /// container opens to its network, and pages of that issuer's.
    private static let ofPlainHTTP: Set = [
        OriginSettings.publicOrigin.key.name, ListenerSettings.listen.key.name, SelfIssuedSettings.logoURL.key.name,
        SelfIssuedSettings.policyURL.key.name,
    ]

    init(
        folder: DemoFolder, listen: (public: ListenAddress, management: ListenAddress), issuer origin: WebOrigin?,
        hasLimits: Bool, database: PostgresAddress? = nil, redis: SharedRedisSettings? = nil,
        tls: (certificate: String, privateKey: String)? = nil, traces: (endpoint: String, share: String)? = nil
    ) async throws {
        self.folder = folder
        try await DemoMaterial.prepare(in: folder, sharedBy: database)
        issuer = try DemoIssuer(folder: folder)
        accounts = try DemoAccounts(folder: folder)
        clients = try DemoClients(folder: folder)
        scheme = tls == nil ? "http" : "https"
        guard let own = WebOrigin("\(scheme)://\(listen.public.reachable)") else {
            throw FreePortError(host: listen.public.host)
        }
        var given: [SettingKey: String] = [
            OriginSettings.publicOrigin.key: "\(origin ?? own)",
            ListenerSettings.listen.key: "\(listen.public)",
            ListenerSettings.managementListen.key: "\(listen.management)",
            StorageSettings.directory.key: folder.path,
            // Two demos of one machine never share a port, so they never share an audit chain.
            StorageSettings.node.key: database == nil ? "demo" : "demo-\(listen.public.port)",
            SiteSettings.signInURL.key: SignInPath.page,
            SiteSettings.defaultWebClient.key: DemoClients.web.rawValue,
            SiteSettings.redemptionPaths.key: "/login-with-token,/user/login-with-token.php",
            AuditSettings.signingKeyFile.key: folder.path(of: .auditSigningKey),
            RateLimitSettings.enabled.key: "\(hasLimits)",
            // The demo shows Native SSO between its apps.
            NativeSSOSettings.setting(of: .enabled).key: "true",
            NativeSSOSettings.setting(of: .allowCrossClientNativeSSO).key: "true",
            NativeSSOSettings.compatibility.key: "true",
            SelfIssuedSettings.enabled.key: "true",
            SelfIssuedSettings.linkingApps.key: DemoClients.app.rawValue,
            // Every member that the request file of 2012 has.
            SelfIssuedSettings.contacts.key: "demo@example.com",
            SelfIssuedSettings.logoURL.key: "\(origin ?? own)/assets/drawbridge.svg",
            SelfIssuedSettings.policyURL.key: "\(origin ?? own)\(DemoSite.policyPath)",
            CrossDeviceSettings.enabled.key: "true",
            TelemetrySettings.endpointURL.key: traces?.endpoint ?? "",
            TelemetrySettings.sample.key: traces?.share ?? "0",
        ]
        given[TLSFiles.certificate.key] = tls?.certificate
        given[TLSFiles.privateKey.key] = tls?.privateKey
        let reader = SettingsReader(RawSettings(given: given))
        let read = DrawbridgeSettings(reading: reader)
        let problems = reader.problems.filter { !Self.ofPlainHTTP.contains($0.key) }
        guard var settings = read, problems.isEmpty else {
            // Without an origin there are no settings, and what is wrong with it has to be told even here.
            throw SettingsRefused(problems: problems.isEmpty ? reader.problems : problems)
        }
        settings.storage.database = database
        settings.redis = redis
        settings.provider.passwordCost = .light
        settings.trustedIssuers = [issuer.settings]
        self.settings = settings
    }

    /// Runs until a signal ends it.
    /// - Parameters:
    ///   - process: that it runs in, which does nothing else.
    ///   - announce: called when both listeners accept connections.
    func run(
        in process: ServingProcess, _ announce: @escaping @Sendable (DemoFacts, DemoGuide) throws -> Void
    ) async throws {
        let logger = Logger(label: "drawbridge")
        let composition = try await compose(accessLog: .writing(to: .standardError), logger: logger)
        let site = DemoSite(composition: composition, issuer: issuer)
        let facts = try await facts(of: composition)
        let guide = DemoGuide(
            baseURL: facts.baseURL, managementURL: facts.managementURL,
            record: settings.storage.database == nil ? "--data \(folder.path)" : "--database URL",
            bearer: issuer.bearer(for: DemoPerson.all[0], at: composition.ground.time.now()),
            password: facts.passwords[DemoPerson.all[0].subject],
            adminPassword: DemoPerson.all.first { $0.role == "admin" }.flatMap { facts.passwords[$0.subject] },
            adminToken: facts.adminToken,
            certificate: settings.listeners.tls?.certificate)
        try await Server(
            composition: composition, process: process, frontPage: false, beside: site.besideService,
            extraRoutes: site.addRoutes
        ) {
            do {
                try announce(facts, guide)
            } catch {
                logger.error("could not announce the demo", metadata: ["error": "\(error)"])
            }
        }.run()
    }

    /// The server without its listeners.
    func compose(accessLog: AccessLog, logger: Logger) async throws -> Composition {
        let watch = AuditWatch()
        let storage = try await ServerStorage.open(settings, watch: watch, logger: logger)
        let now = TimeSource.system.now()
        do {
            try await accounts.prepare(in: storage, at: now)
            try await clients.prepare(in: storage, at: now)
            return try await Composition(
                settings: settings, storage: storage, accessLog: accessLog, logger: logger, watch: watch,
                administration: Administration(requiresSecondFactor: false))
        } catch {
            try? await storage.close()
            throw error
        }
    }

    /// What there is to know of it, of the accounts and clients as they are now.
    func facts(of composition: Composition) async throws -> DemoFacts {
        guard let admin = try clients.all().first(where: { $0.id == DemoClients.admin }),
            let provider = composition.wings.provider
        else { throw StorageError.corrupt("the demo has no administration client") }
        // As the database has it: a token of an earlier epoch administers nothing.
        let stored = composition.ground.clients.current[DemoClients.admin] ?? admin
        let token = try provider.tokens.ofSessions.answer(
            for: stored, scope: admin.scope, at: composition.ground.time.now()
        ).0
        return DemoFacts(
            baseURL: "\(scheme)://\(settings.listeners.main.reachable)",
            managementURL: "http://\(settings.listeners.management.reachable)",
            issuerURL: settings.origins.website.description, processID: getpid(), issuer: issuer,
            passwords: try await accounts.passwords(goodIn: composition.ground.storage),
            clients: try clients.all().compactMap { composition.ground.clients.current[$0.id] }, secrets: clients,
            adminToken: token.accessToken)
    }
}
