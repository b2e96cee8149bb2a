import Bridge
import Foundation
import RedisStorage

extension SettingsResolver {
    /// `nil` when no Redis is set.
    mutating func redis() -> SharedRedisSettings? {
        let topology = redisTopology()
        let credentials = redisCredentials()
        let outagePolicy = ReplayGuardOutagePolicy(rawValue: choice(.redisOnFailure)) ?? .refuse
        let prefix = redisPrefix()
        // A list for its commas only, which separate hosts.
        let text = list(.redisURL).joined(separator: ",")
        guard !text.isEmpty else { return nil }
        do {
            let url = try RedisURL(text)
            if url.credentials != nil {
                // A URL shows up in process lists, environments and this program's own reports.
                note(
                    SettingProblem(
                        .redisURL, at: source(of: .redisURL),
                        "must hold no password: use redis.user and redis.password_file"))
                return nil
            }
            var settings = RedisSettings(addresses: url.addresses)
            settings.database = url.database
            settings.topology = topology
            settings.credentials = credentials
            settings.tls = try redisTLS(isUsed: url.usesTLS)
            checkDatabase(of: settings)
            return SharedRedisSettings(connection: settings, prefix: prefix, outagePolicy: outagePolicy)
        } catch let error as RedisURL.Malformed {
            note(SettingProblem(.redisURL, at: source(of: .redisURL), "\(error)"))
        } catch {
            note(SettingProblem(.redisURL, at: source(of: .redisURL), "TLS cannot be set up: \(error)"))
        }
        return nil
    }

    private mutating func redisTopology() -> RedisSettings.Topology {
        let master = optionalText(.redisSentinelMaster)
        switch choice(.redisTopology) {
        case "sentinel":
            if master == nil {
                note(SettingProblem(.redisSentinelMaster, "is required when redis.topology is sentinel"))
            }
            return .sentinel(master: master ?? "")
        case "cluster": return .cluster
        default: return .standalone
        }
    }

    private mutating func redisCredentials() -> RedisCredentials? {
        let user = optionalText(.redisUser)
        guard let path = path(.redisPasswordFile) else {
            if user != nil { note(SettingProblem(.redisPasswordFile, "is required when redis.user is set")) }
            return nil
        }
        do {
            var bytes = try PrivateFile.read(path)
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            guard !bytes.isEmpty else {
                note(SettingProblem(.redisPasswordFile, value: path, at: source(of: .redisPasswordFile), "is empty"))
                return nil
            }
            return RedisCredentials(user: user, password: Secret(String(decoding: bytes, as: UTF8.self)))
        } catch {
            note(SettingProblem(.redisPasswordFile, value: path, at: source(of: .redisPasswordFile), "\(error)"))
            return nil
        }
    }

    private mutating func redisTLS(isUsed: Bool) throws -> RedisTLS? {
        let authority = path(.redisAuthority)
        let certificate = path(.redisCertificate)
        let privateKey = path(.redisPrivateKey)
        if (certificate == nil) != (privateKey == nil) {
            note(SettingProblem(.redisCertificate, "and redis.tls.private_key are set together or not at all"))
        }
        if let privateKey { requirePrivate(privateKey, key: .redisPrivateKey) }
        guard isUsed else {
            if [authority, certificate, privateKey].contains(where: { $0 != nil }) {
                note(SettingProblem(.redisURL, at: source(of: .redisURL), "must be rediss:// when redis.tls is set"))
            }
            return nil
        }
        return try RedisTLS(authorityPath: authority, certificatePath: certificate, keyPath: privateKey)
    }

    private mutating func redisPrefix() -> String {
        let prefix = requiredText(.redisPrefix)
        if !prefix.utf8.allSatisfy({ Self.isNameByte($0) || $0 == UInt8(ascii: ":") }) || prefix.utf8.count > 60 {
            note(
                SettingProblem(
                    .redisPrefix, value: prefix, at: source(of: .redisPrefix),
                    "must be 1 to 60 letters, digits, colons, dots, - or _"))
        }
        return prefix
    }

    private mutating func checkDatabase(of settings: RedisSettings) {
        guard settings.topology == .cluster, settings.database != 0 else { return }
        note(SettingProblem(.redisURL, at: source(of: .redisURL), "must name no database: a cluster has one only"))
    }
}
