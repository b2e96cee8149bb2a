import Bridge
import BridgeHTTP
import Federation

/// The settings in force, for the console: no secret, no path of a secret.
struct SettingListing {
    let lines: [SettingLine]

    init(_ settings: DrawbridgeSettings) {
        var lines: [SettingLine] = []
        func add(_ name: String, _ value: String) { lines.append(SettingLine(name: name, value: value)) }
        add("public_origin", settings.publicOrigin.description)
        add("issuer", settings.issuer.description)
        add("admin.origin", settings.origins.admin.description)
        add("listen", settings.listen.description)
        add("management_listen", settings.managementListen.description)
        add("node", settings.node)
        add("database", settings.database == nil ? "embedded SQLite" : "PostgreSQL")
        add("redis", settings.redis == nil ? "none" : "shared")
        add("default_web_client", settings.defaultWebClient?.rawValue ?? "none")
        add("redemption_paths", settings.redemptionPaths.joined(separator: ", "))
        add("login_token.lifetime", "\(settings.loginTokenLifetime.inMilliseconds / 1000) s")
        add("limits", settings.limits == nil ? "lifted" : "on")
        add("trusted_issuers", "\(settings.trustedIssuers.count)")
        add("trusted_proxies", settings.trustedProxies.map(\.description).joined(separator: ", "))
        let receivers = settings.auditForwarders.map { "\($0.name): \($0.receiver)" }
        add("audit_forwarders", receivers.isEmpty ? "none" : receivers.joined(separator: ", "))
        add("purge_interval", "\(settings.purgeInterval.inMilliseconds / 1000) s")
        self.lines = lines
    }
}
