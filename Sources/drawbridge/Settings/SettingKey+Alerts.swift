// When somebody is told, and where.
extension SettingKey {
    static let alertReplays = SettingKey(
        "alerts.replays", .integer(0...1_000_000), default: "3",
        "Tokens used twice in ten minutes before there is an alert; 0 turns the rule off.")
    static let alertRefusals = SettingKey(
        "alerts.refusals", .integer(0...100_000_000), default: "1000",
        "Failures of any kind in ten minutes before there is an alert; 0 turns the rule off.")
    static let alertExchangeFailures = SettingKey(
        "alerts.exchange_failures", .integer(0...100_000_000), default: "100",
        "Refused token requests in ten minutes before there is an alert; 0 turns the rule off.")
    static let alertSignInFailures = SettingKey(
        "alerts.sign_in_failures", .integer(0...100_000_000), default: "100",
        "Failed sign-ins in ten minutes before there is an alert; 0 turns the rule off.")
    static let alertWebhook = SettingKey(
        "alerts.webhook", .text, "Where alerts are posted as JSON: an https URL. Without one, the console shows them.")
    static let alertWebhookSecretFile = SettingKey(
        "alerts.webhook_secret_file", .path, "Signs what is posted, as HMAC-SHA256 in Drawbridge-Signature.")

    static let alerts = [
        alertReplays, alertRefusals, alertExchangeFailures, alertSignInFailures, alertWebhook, alertWebhookSecretFile,
    ]
}
