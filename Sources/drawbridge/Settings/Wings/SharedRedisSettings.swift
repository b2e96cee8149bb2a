import Bridge
import Foundation
import RedisStorage

/// The Redis through which several servers share their replay guard, their limits and word of ended sessions, and
/// what holds while it is away.
struct SharedRedisSettings: Sendable {
    static let url = Setting.list(
        "redis.url", namesServers: true,
        "redis://host[:port][,host[:port]...][/database], or rediss:// for TLS. Empty: this process shares with nobody."
    )
    static let user = Setting.text("redis.user", "User of Redis's access list. Needs redis.password_file.")
    static let passwordFile = Setting.path(
        "redis.password_file", isReadOnce: true, "File with the password; only its owner may read it.")
    static let topology = Setting.choice(
        "redis.topology", among: Topology.allCases, default: .standalone,
        "What the addresses in redis.url are: servers, sentinels, or nodes of a cluster.")
    static let sentinelMaster = Setting.text(
        "redis.sentinel_master", "The name by which the sentinels know the master.")
    static let sentinelUser = Setting.text(
        "redis.sentinel_user", "User of the sentinels' own access list. Needs redis.sentinel_password_file.")
    static let sentinelPasswordFile = Setting.path(
        "redis.sentinel_password_file", isReadOnce: true,
        "File with the password that the sentinels ask for; only its owner may read it.")
    static let authority = Setting.path(
        "redis.tls.ca_file", isReadOnce: true, "PEM file of the authorities to trust instead of the system's.")
    static let certificate = Setting.path(
        "redis.tls.certificate", isReadOnce: true, "PEM file with our own certificate, for servers that ask for one.")
    static let privateKey = Setting.path(
        "redis.tls.private_key", isReadOnce: true, "PEM file with its private key; only its owner may read it.")
    static let prefix = Setting.text(
        "redis.prefix", default: RedisKeys.standardPrefix, "Stands in front of every key and channel.")
    static let onFailure = Setting.choice(
        "redis.on_failure", among: ReplayGuardOutagePolicy.allCases, default: .database,
        "What redemptions do while Redis is away: let the database alone decide, or be refused with 503.")

    enum Topology: String, CaseIterable, Sendable { case standalone, sentinel, cluster }

    let connection: RedisSettings
    let prefix: String
    let outagePolicy: ReplayGuardOutagePolicy

    /// Settings with every default.
    init(connection: RedisSettings) {
        let defaults = SettingsReader(RawSettings())
        self.connection = connection
        prefix = defaults[Self.prefix]
        outagePolicy = defaults[Self.onFailure]
    }

    /// - Returns: `nil` when no Redis is set, or not well, which is noted.
    init?(reading settings: SettingsReader) {
        // A list for its commas only, which separate hosts.
        let text = settings[Self.url].joined(separator: ",")
        let credentials = Login(user: Self.user, passwordFile: Self.passwordFile, reading: settings)
            .credentials(settings)
        let topology = Self.readTopology(settings)
        let sentinelCredentials = Self.readSentinelCredentials(settings, topology)
        let files = TLSPaths(reading: settings)
        prefix = Self.readPrefix(settings)
        outagePolicy = settings[Self.onFailure]
        guard !text.isEmpty, let url = Self.address(text, settings) else { return nil }
        if topology == .cluster, url.database != 0 {
            settings.note(Self.url, "must name no database: a cluster has one only")
        }
        var connection = RedisSettings(addresses: url.addresses)
        connection.database = url.database
        connection.topology = topology
        connection.credentials = credentials
        connection.sentinelCredentials = sentinelCredentials
        guard files.areSound(isUsed: url.usesTLS, settings) else { return nil }
        if url.usesTLS {
            guard let tls = files.tls(settings) else { return nil }
            connection.tls = tls
        }
        self.connection = connection
    }

    private static func address(_ text: String, _ settings: SettingsReader) -> RedisURL? {
        do {
            let parsed = try RedisURL(text)
            if parsed.credentials == nil { return parsed }
            // A URL shows up in process lists, environments and this program's own reports.
            settings.note(url, "must hold no password: use redis.user and redis.password_file")
        } catch {
            settings.note(url, "\(error)")
        }
        return nil
    }

    private static func readTopology(_ settings: SettingsReader) -> RedisSettings.Topology {
        let word = settings[Self.topology]
        let master = settings[Self.sentinelMaster]
        switch word {
        case .sentinel:
            if master == nil {
                settings.noteMissing(sentinelMaster, because: Self.topology, "is sentinel")
            }
            return .sentinel(master: master ?? "")
        case .cluster: return .cluster
        case .standalone: return .standalone
        }
    }

    /// Sentinels have users of their own: what the master is told they are not.
    private static func readSentinelCredentials(
        _ settings: SettingsReader, _ topology: RedisSettings.Topology
    ) -> RedisCredentials? {
        let login = Login(user: sentinelUser, passwordFile: sentinelPasswordFile, reading: settings)
        if case .sentinel = topology { return login.credentials(settings) }
        login.refuse("is for sentinels only: redis.topology must be sentinel", settings)
        return nil
    }

    private static func readPrefix(_ settings: SettingsReader) -> String {
        let text = settings[Self.prefix]
        if !text.isName(and: ":") || text.utf8.count > 60 {
            settings.note(prefix, value: text, "must be 1 to 60 letters, digits, colons, dots, - or _")
        }
        return text
    }

    /// Who we are to servers, as two settings say it.
    private struct Login {
        private let userSetting: Setting<String?>
        private let fileSetting: Setting<String?>
        private let user: String?
        private let path: String?

        init(user: Setting<String?>, passwordFile: Setting<String?>, reading settings: SettingsReader) {
            userSetting = user
            fileSetting = passwordFile
            self.user = settings[user]
            path = settings[passwordFile]
        }

        /// - Returns: `nil` when there are none, or none that can be used, which is noted.
        func credentials(_ settings: SettingsReader) -> RedisCredentials? {
            guard let path else {
                if user != nil {
                    settings.noteMissing(fileSetting, because: userSetting)
                }
                return nil
            }
            let password = settings.secret(fileSetting, at: path) { try $0.text() }
            return password.map { RedisCredentials(user: user, password: $0) }
        }

        /// Notes those that are set, where there is nobody to show them to.
        func refuse(_ problem: String, _ settings: SettingsReader) {
            if user != nil { settings.note(userSetting, problem) }
            if path != nil { settings.note(fileSetting, problem) }
        }
    }

    private struct TLSPaths {
        private let files: ClientTLSFiles

        init(reading settings: SettingsReader) {
            files = ClientTLSFiles(
                authority: settings[SharedRedisSettings.authority],
                certificate: settings[SharedRedisSettings.certificate],
                privateKey: settings[SharedRedisSettings.privateKey])
        }

        /// Notes everything that is wrong with the files, and those that nothing would be done with.
        func areSound(isUsed: Bool, _ settings: SettingsReader) -> Bool {
            let known = settings.problems.count
            if files.isHalf {
                settings.note(
                    SettingError(
                        SharedRedisSettings.certificate, "and redis.tls.private_key are set together or not at all"))
            }
            for problem in files.problems {
                settings.note(Self.setting(of: problem.file), value: problem.path, problem.text)
            }
            if !isUsed, [files.authority, files.certificate, files.privateKey].contains(where: { $0 != nil }) {
                settings.note(SharedRedisSettings.url, "must be rediss:// when redis.tls is set")
            }
            return settings.problems.count == known
        }

        /// - Returns: `nil` when the files cannot be used all the same, which is noted.
        func tls(_ settings: SettingsReader) -> RedisTLS? {
            do {
                return try RedisTLS(
                    authorityPath: files.authority, certificatePath: files.certificate, keyPath: files.privateKey)
            } catch {
                settings.note(SharedRedisSettings.authority, value: files.authority, "cannot be used for TLS")
                return nil
            }
        }

        private static func setting(of file: ClientTLSFiles.File) -> Setting<String?> {
            switch file {
            case .authority: SharedRedisSettings.authority
            case .certificate: SharedRedisSettings.certificate
            case .privateKey: SharedRedisSettings.privateKey
            }
        }
    }
}
