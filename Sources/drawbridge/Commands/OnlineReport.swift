import Bridge
import BridgeHTTP
import Federation
import Foundation
import Logging
import NIOPosix
import RedisStorage
import SQLStorage

/// What the settings lead to, asked once: files, stores, issuers and origins, a line each.
struct OnlineReport {
    private(set) var lines: [String] = []
    private(set) var isGood = true

    /// How far clocks may be apart: what tokens of others are given.
    private static let leeway = TrustedIssuerSettings.defaultLeeway

    static func make(_ settings: DrawbridgeSettings, time: TimeSource = .system) async -> OnlineReport {
        var report = OnlineReport()
        report.addDataFolder(settings.storage.directory)
        await report.addKeysAndDatabase(settings, time)
        if let redis = settings.redis { report.add("redis", await Self.redis(redis)) }
        for issuer in settings.trustedIssuers {
            report.add("trusted issuer \(issuer.issuer)", await OnlineCheck.keys(of: issuer))
        }
        for provider in settings.upstreamProviders {
            let callback = UpstreamSignIn.callback(of: provider.id, at: settings.origins.issuer)
            report.add("provider \(provider.issuer)", await OnlineCheck.provider(provider, redirectURI: callback))
        }
        if let receiver = OTLPReceiver(settings.telemetry, node: settings.storage.node) {
            report.add("collector of spans", await OnlineCheck.collector(receiver))
        }
        for origin in Set([settings.origins.website, settings.origins.issuer, settings.origins.admin]).sorted(
            by: { $0.description < $1.description })
        {
            let (finding, clock) = await OnlineCheck.origin(origin, at: time.now())
            report.add("origin \(origin)", finding)
            if let clock { report.add("clock of \(origin)", Self.judged(clock)) }
        }
        return report
    }

    private mutating func add(_ what: String, _ finding: OnlineCheck.Finding) {
        switch finding {
        case .good(let text): lines.append("ok    \(what): \(text)")
        case .note(let text): lines.append("note  \(what): \(text)")
        case .bad(let text):
            lines.append("FAIL  \(what): \(text)")
            isGood = false
        }
    }

    /// Nothing is said of a folder as it should be.
    private mutating func addDataFolder(_ path: String) {
        switch StorageFolder.weakness(of: path) {
        case .refused(let problem): return add("data folder", .bad(problem))
        case .warning(let problem): add("data folder", .note(problem))
        case nil: break
        }
        guard access(path, W_OK | X_OK) != 0, errno != ENOENT else { return }
        let failure = SystemFailure(code: errno, doing: "write to the folder \(path)", at: path)
        add("data folder", .bad(CommandFailure.words(failure)))
    }

    private mutating func addKeysAndDatabase(_ settings: DrawbridgeSettings, _ time: TimeSource) async {
        let database = await Self.database(settings, time)
        await addMasterKey(of: StorageLocation(settings), opening: database.keys, at: time.now())
        await addAuditSigningKey(settings)
        add("database", database.finding)
        if let lead = database.lead { add("clock of the database", Self.judged(lead: lead)) }
        let directory = ConfiguredClients(settings).directory(with: database.clients)
        if database.knowsClients { addDefaultTarget(of: directory) }
        // The database takes them over while it has no keys.
        if database.keys.isEmpty { addLoginTokenKeys(at: settings.storage.loginTokenKeysPath) }
        addWebhookSecrets(of: directory, settings)
    }

    /// Nothing is said of what is in order.
    private mutating func addDefaultTarget(of clients: ClientDirectory) {
        do {
            try clients.requireDefaultTarget()
        } catch {
            for problem in error.problems { add(problem.key, .bad("\(problem.value ?? "") \(problem.message)")) }
        }
    }

    private mutating func addLoginTokenKeys(at path: String) {
        do {
            _ = try LoginTokenKeyFile.read(path)
        } catch {
            add("login token keys", .bad(CommandFailure.words(error)))
        }
    }

    private mutating func addWebhookSecrets(of clients: ClientDirectory, _ settings: DrawbridgeSettings) {
        let files = WebhookSecretFiles(folder: settings.sessions.webhookSecretsPath)
        for client in clients.all {
            guard let name = client.webhook?.secretFile else { continue }
            do {
                _ = try files.secrets(named: name)
                add("webhook secret of \(client.id)", .good(files.path(of: name)))
            } catch {
                add("webhook secret of \(client.id)", .bad("\(error)"))
            }
        }
    }

    /// - Parameter keys: of the database that it is for; what one master key has sealed no other opens.
    private mutating func addMasterKey(
        of location: StorageLocation, opening keys: [SealedSigningKey], at now: Timestamp
    ) async {
        let path = location.masterKeyPath
        do {
            let master = try MasterKeyFile.load(path, opening: try location.inUse(keys, at: now))
            add("master key", .good(path))
            // No reason not to start: whom it concerns can be set up while the server runs.
            // Of a database that cannot be read, its own line says so.
            guard location.hasDatabase,
                let text = try? await UnopenedSecondFactors.look(at: location, with: master).text
            else { return }
            add("second factors", .note("\(path) \(text)"))
        } catch {
            add("master key", .bad(CommandFailure.words(error)))
        }
    }

    private mutating func addAuditSigningKey(_ settings: DrawbridgeSettings) async {
        let signing = settings.audit.signingKeyPath
        do {
            if let key = try AuditSigningKeyFile.read(signing) {
                add("audit signing key", await Self.comparison(of: key, at: StorageLocation(settings)))
            } else {
                add("audit signing key", await Self.missingSigningKey(of: StorageLocation(settings)))
            }
        } catch {
            add("audit signing key", .bad(CommandFailure.words(error)))
        }
    }

    private static func comparison(of key: AuditSigningKey, at location: StorageLocation) async -> OnlineCheck.Finding {
        // Of a database that does not answer nobody can say; its own line is a failure then.
        guard let others = try? await location.checkpoints(notSignedBy: key), let last = others.map(\.at).max() else {
            return .good(location.signingKeyPath)
        }
        return .note(
            "\(location.signingKeyPath) is not the key that other nodes sign the audit log with "
                + "(\(others.map(\.node).joined(separator: ", ")), last at \(last.rfc3339)): give all nodes the same one, "
                + "unless it was just replaced")
    }

    private static func missingSigningKey(of location: StorageLocation) async -> OnlineCheck.Finding {
        // Of a database that does not answer nobody can say; its own line is a failure then.
        if let isLost = try? await location.lacksSigningKey(), isLost {
            return .bad(SigningKeyLost(path: location.signingKeyPath).description)
        }
        return .note("\(location.signingKeyPath) is not there yet; the first start makes it")
    }

    /// What was found of the database, and what is in it.
    private struct FoundDatabase {
        var finding: OnlineCheck.Finding
        var keys: [SealedSigningKey] = []
        var clients: [Client] = []
        /// Whether those are all of them: of a database that cannot be read nobody can say.
        var knowsClients = false
        /// By how much our clock is ahead of its own, where it has one.
        var lead: Duration?
    }

    private static func database(_ settings: DrawbridgeSettings, _ time: TimeSource) async -> FoundDatabase {
        let location = StorageLocation(settings)
        guard location.hasDatabase else {
            let words = "\(location.databasePath) is not there yet; the first start makes it"
            return FoundDatabase(finding: .note(words), knowsClients: true)
        }
        var found = FoundDatabase(finding: .good(location.database == nil ? location.databasePath : "answers"))
        do {
            let hasAccounts = try await location.reading { storage in
                found.keys = try await storage.signingKeys().keys
                found.clients = try await storage.clients()
                found.knowsClients = true
                found.lead = try await time.lead { try await storage.databaseTime() }
                return try await storage.hasAccounts()
            }
            if hasAccounts, let problem = settings.problemsWithAccounts.first {
                found.finding = .bad("there are accounts in it, so a start is refused: \(problem)")
            }
            if location.database == nil, access(location.databasePath, W_OK) != 0 {
                throw SQLiteOpenError.notWritable(location.databasePath)
            }
            try requireWhole(location)
        } catch SQLiteOpenError.notMigrated, PostgresOpenError.notMigrated {
            found.finding = .note(notSetUp(location))
        } catch let error as StorageError {
            found.finding = .bad(DatabaseFailure(database: location.databaseName, error: error).description)
        } catch {
            found.finding = .bad(CommandFailure.words(error))
        }
        return found
    }

    /// Reads every page of an embedded database, as no start does.
    private static func requireWhole(_ location: StorageLocation) throws {
        guard location.database == nil else { return }
        do {
            try SQLiteBackup.check(location.databasePath)
        } catch SQLiteOpenError.notADatabase {
            throw StorageError.corrupt("a page is not as it should be", because: .damage)
        }
    }

    private static func notSetUp(_ location: StorageLocation) -> String {
        let place = location.database?.description ?? location.databasePath
        return "\(place) is not set up by this version yet; the first start, or drawbridge migrate, does it"
    }

    private static func redis(_ redis: SharedRedisSettings) async -> OnlineCheck.Finding {
        let silent = Logger(label: "drawbridge") { _ in SwiftLogNoOpLogHandler() }
        let client = RedisClient(
            settings: redis.connection, group: MultiThreadedEventLoopGroup.singleton, logger: silent)
        await client.waitForFirstAttempt()
        let place = redis.connection.addresses.map(\.description).joined(separator: ", ")
        let finding: OnlineCheck.Finding
        do {
            try await client.checkUsable(prefix: redis.prefix)
            finding = .good("answers, and takes what is written")
        } catch let error as StorageError {
            finding = .bad("\(place): \(error.text)")
        } catch {
            finding = .bad("\(place): does not answer")
        }
        await client.close()
        return finding
    }

    /// Nodes are compared with one database, and so with each other, which may be less apart than strangers (ADR-0010).
    private static func judged(lead: Duration) -> OnlineCheck.Finding {
        let finding = judged(.zero - lead)
        let (seconds, tolerance) = (abs(lead.components.seconds), TimeSource.nodeTolerance.components.seconds)
        guard case .good = finding, seconds > tolerance else { return finding }
        let theirs = "\(seconds) s \(lead < .zero ? "ahead of" : "behind") ours"
        return .note("\(theirs); the clocks of nodes are to be within \(tolerance) s of each other")
    }

    private static func judged(_ clock: Duration) -> OnlineCheck.Finding {
        let seconds = Int(clock / .seconds(1))
        return abs(seconds) <= Int(leeway / .seconds(1))
            ? .good("agrees with ours")
            : .bad("\(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") ours; let both follow a time server")
    }
}
