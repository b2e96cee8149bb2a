import Bridge

/// When somebody is told, and where.
struct AlertSettings: Sendable {
    static let webhook = Setting.text(
        "alerts.webhook", "Where alerts are posted as JSON: an https URL. Without one, the console shows them.")
    static let webhookSecretFile = Setting.path(
        "alerts.webhook_secret_file", isReadOnce: true,
        "File of at least 32 bytes that signs what is posted, as HMAC-SHA256 in Drawbridge-Signature.")

    static func threshold(of rule: AlertRule.Name) -> Setting<Int> {
        switch rule {
        case .replays:
            .integer(
                "alerts.replays", 0...1_000_000, default: 3,
                "Tokens used twice in ten minutes before there is an alert; 0 turns the rule off.")
        case .refusals:
            .integer(
                "alerts.refusals", 0...100_000_000, default: 1000,
                "Failures of any kind in ten minutes before there is an alert; 0 turns the rule off.")
        case .exchangeFailures:
            .integer(
                "alerts.exchange_failures", 0...100_000_000, default: 100,
                "Refused token requests in ten minutes before there is an alert; 0 turns the rule off.")
        case .signInFailures:
            .integer(
                "alerts.sign_in_failures", 0...100_000_000, default: 100,
                "Failed sign-ins in ten minutes before there is an alert; 0 turns the rule off.")
        case .reportedSignIns:
            .integer(
                "alerts.reported_sign_ins", 0...1_000_000, default: 1,
                "Sign-ins on other devices in ten minutes that users report as not theirs; 0 turns the rule off.")
        }
    }

    let rules: [AlertRule]
    let webhook: String?
    let webhookSecret: Secret<[UInt8]>?

    init(reading settings: SettingsReader) {
        rules = AlertRule.Name.allCases.compactMap { name in
            let threshold = settings[Self.threshold(of: name)]
            // The first report is an alert: so many, not more than so many.
            let bound = name == .reportedSignIns ? threshold - 1 : threshold
            return threshold > 0 ? AlertRule(name: name, threshold: Int64(bound)) : nil
        }
        webhook = settings[Self.webhook]
        if let webhook {
            // The whole text is never told again: what opens a receiver is in its path, its query or a user part.
            if let url = WebURL(webhook) {
                let origin = url.origin.description
                if webhook != origin { settings.show(Self.webhook, as: "\(origin)/…") }
            } else {
                settings.note(Self.webhook, "must be an https URL without user, password or fragment")
            }
        }
        webhookSecret = settings.secret(Self.webhookSecretFile, at: settings[Self.webhookSecretFile]) {
            try $0.key(atLeast: Client.Webhook.shortestSecret)
        }
    }
}
