import Bridge
import BridgeHTTP
import Federation
import Foundation
import Logging
import NIOCore
import SQLStorage

extension SettingsResolver {
    /// The settings in force, with what `check-config` says about them.
    struct Outcome {
        let settings: DrawbridgeSettings
        let raw: RawSettings
    }

    /// - Throws: ``SettingsRefused`` with every problem there is.
    static func resolve(_ raw: RawSettings) throws(SettingsRefused) -> Outcome {
        var resolver = SettingsResolver(raw)
        let settings = resolver.settings()
        guard let settings, resolver.problems.isEmpty else { throw SettingsRefused(problems: resolver.problems) }
        return Outcome(settings: settings, raw: raw)
    }

    private mutating func settings() -> DrawbridgeSettings? {
        let origin = publicOrigin()
        let issuerOrigin = optionalOrigin(.issuer)
        let adminOrigin = optionalOrigin(.adminOrigin)
        let isPlain = [origin, issuerOrigin, adminOrigin].contains { $0?.isSecure == false }
        let dataDirectory = absolute(requiredText(.dataDirectory))
        let listen = address(.listen)
        let managementListen = address(.managementListen)
        if listen == managementListen, listen.port != 0 {
            note(SettingProblem(.managementListen, value: "\(listen)", "must differ from listen"))
        }
        let database = database()
        let tls = tlsFiles()
        if tls == nil, isPlain, !listen.isLoopback {
            note(
                SettingProblem(
                    .listen, value: "\(listen)", at: source(of: .listen),
                    "would serve plain http to the network; listen on loopback, or set tls.certificate and an https "
                        + "public_origin"))
        }
        let clients = clients(areOriginsApart: issuerOrigin != nil || adminOrigin != nil)
        let defaultWebClient = optionalText(.defaultWebClient).map(ClientID.init(rawValue:))
        let providers = upstreamProviders()
        let isProvider = boolean(.providerEnabled)
        let issuers = trustedIssuers(
            beside: OwnIssuer(issuer: issuerOrigin ?? origin, isProvider: isProvider, upstreamProviders: providers))
        let limits = limits()
        let redis = redis()
        let alerts = alerts()
        let nativeSSO = nativeSSO()
        let requiresProofNonce = boolean(.dpopRequireNonce)
        let signInCompatibility = boolean(.signInCompatibility)
        let auditForwarders = auditForwarders()
        let paths = redemptionPaths()
        let proxies = elements(.trustedProxies, expecting: "a network such as 10.0.0.0/8 or fd00::/8") {
            NetworkPrefix($0)
        }
        let values = Plain(&self)
        // Asked last: by now every key is checked, so all problems are told at once.
        guard let origin else { return nil }
        return DrawbridgeSettings(
            publicOrigin: origin, listen: listen, managementListen: managementListen, dataDirectory: dataDirectory,
            database: database, node: values.node,
            signInURL: values.signInURL ?? Self.signInURL(clients, defaultWebClient),
            siteName: values.siteName, defaultWebClient: defaultWebClient,
            redemptionPaths: paths, trustedProxies: proxies, publicDirectory: values.publicDirectory, tls: tls,
            loginTokenKeysFile: path(.loginTokenKeysFile) ?? "\(dataDirectory)/login-token-keys.json",
            loginTokenLifetime: values.loginTokenLifetime, sessionCacheSize: values.sessionCacheSize,
            bearerCacheSize: values.bearerCacheSize,
            auditSigningKeyFile: path(.auditSigningKeyFile) ?? "\(dataDirectory)/audit-signing-key",
            passwordCost: values.passwordCost, limits: limits, trackedLimitKeys: values.trackedLimitKeys,
            auditedRefusalsPerSecond: values.auditedRefusalsPerSecond,
            appLinks: values.appLinks,
            connectionLimits: values.connectionLimits,
            logLevel: values.logLevel, purgeInterval: values.purgeInterval, shutdownGrace: values.shutdownGrace,
            trustedIssuers: issuers, clients: clients, issuerOrigin: issuerOrigin, adminOrigin: adminOrigin,
            redis: redis, auditRetention: values.auditRetention, alerts: alerts, upstreamProviders: providers,
            auditForwarders: auditForwarders,
            masterKeyFile: path(.masterKeyFile), nativeSSO: nativeSSO,
            webhookSecretsDirectory: path(.webhookSecretsDirectory), isProvider: isProvider,
            requiresProofNonce: requiresProofNonce,
            signInCompatibility: signInCompatibility)
    }

    /// Settings that depend on no other.
    private struct Plain {
        let node: String
        let signInURL: String?
        let siteName: String
        let connectionLimits: ServerLimits
        let publicDirectory: String?
        let loginTokenLifetime: Duration
        let sessionCacheSize: Int
        let bearerCacheSize: Int
        let trackedLimitKeys: Int
        let auditedRefusalsPerSecond: Int
        let passwordCost: PasswordCost
        let appLinks: AppLinkSettings
        let logLevel: Logger.Level
        let purgeInterval: Duration
        let shutdownGrace: Duration
        let auditRetention: Duration?

        init(_ resolver: inout SettingsResolver) {
            node = resolver.node()
            signInURL = resolver.signInURL()
            siteName = resolver.requiredText(.siteName)
            connectionLimits = ServerLimits(
                headerTimeout: TimeAmount(resolver.duration(.httpHeaderTimeout)),
                bodyTimeout: TimeAmount(resolver.duration(.httpBodyTimeout)),
                maximumHeaderSize: resolver.integer(.httpMaximumHeaderSize),
                maximumConnections: resolver.integer(.httpMaximumConnections))
            publicDirectory = resolver.folder(.publicDirectory)
            loginTokenLifetime = resolver.duration(.loginTokenLifetime)
            sessionCacheSize = resolver.integer(.sessionCacheSize)
            bearerCacheSize = resolver.integer(.bearerCacheSize)
            passwordCost = resolver.passwordCost()
            trackedLimitKeys = resolver.integer(.limitsTrackedKeys)
            auditedRefusalsPerSecond = resolver.integer(.auditedRefusalsPerSecond)
            appLinks = resolver.appLinks()
            logLevel = resolver.logLevel()
            purgeInterval = resolver.duration(.purgeInterval)
            shutdownGrace = resolver.duration(.shutdownGrace)
            auditRetention = resolver.optionalDuration(.auditRetention)
        }
    }

    private mutating func publicOrigin() -> WebOrigin? {
        requiredText(.publicOrigin).isEmpty ? nil : optionalOrigin(.publicOrigin)
    }

    private mutating func optionalOrigin(_ key: SettingKey) -> WebOrigin? {
        guard let text = optionalText(key) else { return nil }
        let place = source(of: key)
        guard let origin = WebOrigin(text) else {
            note(SettingProblem(key, value: text, at: place, "must be \(SettingKind.origin.expectation)"))
            return nil
        }
        if !origin.isSecure, !origin.isLoopback {
            note(
                SettingProblem(
                    key, value: text, at: place, "must be https: browsers would send tokens and cookies in the clear"))
        }
        return origin
    }

    private mutating func node() -> String {
        let name = requiredText(.node)
        if !name.utf8.allSatisfy(Self.isNameByte) || name.utf8.count > 60 || name.hasPrefix(".") {
            note(
                SettingProblem(
                    .node, value: name, at: source(of: .node), "must be 1 to 60 letters, digits, dots, - or _"))
        }
        return name
    }

    private mutating func database() -> PostgresAddress? {
        guard let text = optionalText(.database) else { return nil }
        do {
            return try PostgresAddress(text)
        } catch {
            note(SettingProblem(.database, at: source(of: .database), error.description))
            return nil
        }
    }

    private mutating func redemptionPaths() -> [String] {
        // Letters, digits and little else: routers give other characters a meaning of their own.
        let paths = elements(.redemptionPaths, expecting: "a path such as /login-with-token") { text -> String? in
            guard case .success(let path) = ReturnPath.parse(Array(text.utf8)), path.query == nil, path.path != "/",
                text.utf8.allSatisfy({ Self.isNameByte($0) || $0 == UInt8(ascii: "/") })
            else { return nil }
            return text
        }
        for path in paths where RouteTable.reserves(path) {
            note(
                SettingProblem(
                    .redemptionPaths, value: path, at: source(of: .redemptionPaths), "is used by the service itself"))
        }
        if Set(paths).count != paths.count {
            note(SettingProblem(.redemptionPaths, at: source(of: .redemptionPaths), "names a path twice"))
        }
        if list(.redemptionPaths).isEmpty {
            note(SettingProblem(.redemptionPaths, at: source(of: .redemptionPaths), "needs at least one path"))
        }
        return paths
    }

    private mutating func folder(_ key: SettingKey) -> String? {
        guard let path = path(key) else { return nil }
        var isDirectory: ObjCBool = false
        if !FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) || !isDirectory.boolValue {
            note(SettingProblem(key, value: path, at: source(of: key), "is not a folder"))
        }
        return path
    }
}
