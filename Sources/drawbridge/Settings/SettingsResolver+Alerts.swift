import Bridge

/// The rules of alerts and where they are posted.
struct AlertSettings: Sendable {
    var rules: [AlertRule] = []
    var webhook: String?
    var webhookSecret: Secret<[UInt8]>?

    /// The defaults of the settings.
    static let standard = AlertSettings(rules: [
        AlertRule(name: .replays, threshold: 3), AlertRule(name: .refusals, threshold: 1000),
        AlertRule(name: .exchangeFailures, threshold: 100), AlertRule(name: .signInFailures, threshold: 100),
    ])
}

extension SettingsResolver {
    mutating func alerts() -> AlertSettings {
        let thresholds: [(AlertRule.Name, SettingKey)] = [
            (.replays, .alertReplays), (.refusals, .alertRefusals), (.exchangeFailures, .alertExchangeFailures),
            (.signInFailures, .alertSignInFailures),
        ]
        var settings = AlertSettings()
        for (name, key) in thresholds {
            let threshold = integer(key)
            if threshold > 0 { settings.rules.append(AlertRule(name: name, threshold: Int64(threshold))) }
        }
        if let webhook = optionalText(.alertWebhook) {
            if WebURL(webhook) == nil {
                note(
                    SettingProblem(
                        .alertWebhook, value: webhook, at: source(of: .alertWebhook),
                        "must be an https URL without a fragment"))
            }
            settings.webhook = webhook
        }
        if let path = path(.alertWebhookSecretFile) {
            requirePrivate(path, key: .alertWebhookSecretFile)
            settings.webhookSecret = (try? PrivateFile.read(path)).map { Secret(Array($0)) }
        }
        return settings
    }
}
