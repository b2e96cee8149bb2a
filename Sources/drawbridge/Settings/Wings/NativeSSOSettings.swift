import Bridge

/// Native SSO: what the admin API shows as `configuration`, and what its administrators may set over it.
struct NativeSSOSettings: Sendable {
    static let compatibility = Setting.boolean(
        "compatibility.va_sign_in", default: false,
        "Whether the paths of the VA's sign-in service, /v0/sign_in/..., are served.")

    static func setting(of field: NativeSSOField) -> Setting<NativeSSOValue> {
        switch field {
        case .enabled:
            .field(field, "native_sso.enabled", "Whether apps get device secrets and may exchange them.")
        case .deviceSecretTTLDays:
            .field(field, "native_sso.device_secret_ttl_days", "How long a device secret lives.")
        case .maxDeviceSecretsPerUser:
            .field(field, "native_sso.max_device_secrets_per_user", "Live device secrets that one user may have.")
        case .maxSecretsBehavior:
            .field(field, "native_sso.max_secrets_behavior", "What one more than that does.")
        case .allowCrossClientNativeSSO:
            .field(
                field, "native_sso.allow_cross_client",
                "Whether one app's sign-in may sign in another app that it shares with.")
        case .maxAttemptsPerMinute:
            .field(field, "native_sso.rate_limit.max_attempts_per_minute", "Exchanges of one device in a minute.")
        case .blockDurationMinutes:
            .field(
                field, "native_sso.rate_limit.block_duration_minutes",
                "How long a device that asked for more is turned away.")
        case .rotateDeviceSecrets:
            .field(
                field, "native_sso.rotate_device_secrets",
                "Whether a refresh that shows its device secret gets a new one.")
        case .rotationOverlapSeconds:
            .field(
                field, "native_sso.rotation_overlap_seconds",
                "How long a device secret that was rotated away still works once.")
        }
    }

    /// Only what somebody has set: the rest has its default, and the admin API says so.
    private(set) var configured: [NativeSSOField: NativeSSOValue] = [:]
    /// Whether the paths of the VA's sign-in service are served.
    let servesSignInCompatibility: Bool

    init(reading settings: SettingsReader) {
        for field in NativeSSOField.allCases {
            let setting = Self.setting(of: field)
            let value = settings[setting]
            if settings.isSet(setting) { configured[field] = value }
        }
        servesSignInCompatibility = settings[Self.compatibility]
    }
}

extension Setting where Value == NativeSSOValue {
    /// The field itself says what it may be and what holds without it.
    fileprivate static func field(_ field: NativeSSOField, _ name: String, _ summary: String) -> Setting {
        switch field.fallback {
        case .flag(let fallback):
            let flag = Setting<Bool>.boolean(name, default: fallback, summary)
            return Setting(key: flag.key, absent: field.fallback) { flag.parse($0).map { .flag($0) } }
        case .number(let fallback):
            let number = Setting<Int>.integer(name, field.range ?? fallback...fallback, default: fallback, summary)
            return Setting(key: number.key, absent: field.fallback) { number.parse($0).map { .number($0) } }
        case .word(let fallback):
            let word = Setting<DeviceSecretLimit.Behavior>.choice(
                name, among: DeviceSecretLimit.Behavior.allCases,
                default: DeviceSecretLimit.Behavior(rawValue: fallback) ?? .revokeOldest, summary)
            return Setting(key: word.key, absent: field.fallback) { word.parse($0).map { .word($0.rawValue) } }
        }
    }
}
