import Bridge
import BridgeHTTP
import Federation

/// The settings in force, for the console: no secret, no path of a secret.
struct SettingListing {
    private(set) var lines: [SettingLine] = []

    /// - Parameter defaultTarget: the default website, which a reload may have changed.
    init(_ settings: DrawbridgeSettings, defaultTarget: ClientID?) {
        add(OriginSettings.publicOrigin, settings.origins.website.description)
        add(OriginSettings.issuer, settings.origins.issuer.description)
        add(OriginSettings.admin, settings.origins.admin.description)
        add(ListenerSettings.listen, settings.listeners.main.description)
        add(ListenerSettings.managementListen, settings.listeners.management.description)
        add(StorageSettings.node, settings.storage.node)
        add(StorageSettings.database, settings.storage.database == nil ? "embedded SQLite" : "PostgreSQL")
        lines.append(SettingLine(name: "redis", value: settings.redis == nil ? "none" : "shared"))
        add(SiteSettings.defaultWebClient, defaultTarget?.rawValue ?? "none")
        add(SiteSettings.redemptionPaths, settings.site.redemptionPaths)
        add(LoginTokenSettings.lifetime, "\(settings.loginTokenLifetime.components.seconds) s")
        lines.append(SettingLine(name: "limits", value: settings.rateLimits.areEnforced ? "on" : "lifted"))
        add(TrustedIssuerSettings.list, "\(settings.trustedIssuers.count)")
        add(ListenerSettings.trustedProxies, settings.listeners.trustedProxies.map(\.description))
        add(AuditForwardTarget.list, settings.auditForwarders.map { "\($0.name): \($0.receiver)" })
        add(StorageSettings.purgeInterval, "\(settings.storage.purgeInterval.components.seconds) s")
    }

    private mutating func add<Value>(_ setting: Setting<Value>, _ values: [String]) {
        add(setting, values.isEmpty ? "none" : values.joined(separator: ", "))
    }

    private mutating func add<Value>(_ setting: Setting<Value>, _ value: String) {
        lines.append(SettingLine(name: setting.key.name, value: value))
    }
}
