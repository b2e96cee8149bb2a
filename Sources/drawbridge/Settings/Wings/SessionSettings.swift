import Bridge

/// Web sessions, and who is told of their end.
struct SessionSettings: Sendable {
    static let lifetime = Setting.duration(
        "session.lifetime", .seconds(60)...(.seconds(90 * 86_400)),
        default: DurationText.describe(Client.defaultSessionLifetime),
        "A web session's absolute life, unless its client says otherwise.")
    static let idle = Setting.duration(
        "session.idle", .seconds(60)...(.seconds(90 * 86_400)),
        default: DurationText.describe(Client.defaultSessionIdle),
        "How long a web session may stay unused, unless its client says otherwise.")
    static let cacheSize = Setting.integer(
        "session.cache_size", 0...10_000_000, default: 20_000, "How many sessions are kept in memory.")
    static let webhookSecretsDirectory = Setting.path(
        "webhooks.secrets_directory",
        "Folder of the files that clients' webhook_secret_file names, each readable by its owner only. Default: "
            + "webhook-secrets in data_directory.")

    /// What holds for clients that do not say.
    let defaults: ClientSettingText.Defaults
    let cacheSize: Int
    /// The folder of the files that clients' `webhook_secret_file` names.
    let webhookSecretsPath: String

    init(reading settings: SettingsReader, in dataDirectory: String) {
        let lifetime = settings[Self.lifetime]
        let idle = settings[Self.idle]
        if idle > lifetime {
            settings.note(
                Self.idle, value: DurationText.describe(idle), "must not be longer than \(Self.lifetime.key.name)")
        }
        defaults = ClientSettingText.Defaults(lifetime: lifetime, idle: idle)
        cacheSize = settings[Self.cacheSize]
        webhookSecretsPath = settings.path(Self.webhookSecretsDirectory, or: "\(dataDirectory)/webhook-secrets")
    }
}

extension LoginTokenSettings {
    static let lifetime = Setting.duration(
        "login_token.lifetime", .seconds(1)...maximumLifetime, default: "60s",
        "How long a login token lives when the app does not ask for less.")
}
