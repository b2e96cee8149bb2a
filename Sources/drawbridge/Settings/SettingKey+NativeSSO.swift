import Bridge

// Native SSO: what the admin API shows as `configuration`, and what its administrators may set over it.
extension SettingKey {
    static let nativeSSOEnabled = SettingKey(
        "native_sso.enabled", .boolean, default: "false", "Whether apps get device secrets and may exchange them.")
    static let nativeSSOLifetime = SettingKey(
        "native_sso.device_secret_ttl_days", .integer(1...90), default: "30", "How long a device secret lives.")
    static let nativeSSOMaximum = SettingKey(
        "native_sso.max_device_secrets_per_user", .integer(1...50), default: "10",
        "Live device secrets that one user may have.")
    static let nativeSSOBehavior = SettingKey(
        "native_sso.max_secrets_behavior", .choice(DeviceSecretLimit.Behavior.allCases.map(\.rawValue)),
        default: "revoke_oldest", "What one more than that does.")
    static let nativeSSOCrossClient = SettingKey(
        "native_sso.allow_cross_client", .boolean, default: "false",
        "Whether one app's sign-in may sign in another app that it shares with.")
    static let nativeSSOAttempts = SettingKey(
        "native_sso.rate_limit.max_attempts_per_minute", .integer(1...100), default: "10",
        "Exchanges of one device in a minute.")
    static let nativeSSOBlock = SettingKey(
        "native_sso.rate_limit.block_duration_minutes", .integer(1...60), default: "15",
        "How long a device that asked for more is turned away.")
    static let nativeSSORotation = SettingKey(
        "native_sso.rotate_device_secrets", .boolean, default: "false",
        "Whether a refresh that shows its device secret gets a new one.")
    static let nativeSSOOverlap = SettingKey(
        "native_sso.rotation_overlap_seconds", .integer(0...300), default: "30",
        "How long a device secret that was rotated away still works once.")
    static let signInCompatibility = SettingKey(
        "compatibility.va_sign_in", .boolean, default: "false",
        "Whether the paths of the VA's sign-in service, /v0/sign_in/..., are served.")

    static let nativeSSO: [SettingKey] = NativeSSOField.allCases.map { key(of: $0) } + [signInCompatibility]

    static func key(of field: NativeSSOField) -> SettingKey {
        switch field {
        case .enabled: nativeSSOEnabled
        case .deviceSecretTTLDays: nativeSSOLifetime
        case .maxDeviceSecretsPerUser: nativeSSOMaximum
        case .maxSecretsBehavior: nativeSSOBehavior
        case .allowCrossClientNativeSSO: nativeSSOCrossClient
        case .maxAttemptsPerMinute: nativeSSOAttempts
        case .blockDurationMinutes: nativeSSOBlock
        case .rotateDeviceSecrets: nativeSSORotation
        case .rotationOverlapSeconds: nativeSSOOverlap
        }
    }
}

extension SettingsResolver {
    /// Only what somebody has set: the rest has its default, and the admin API says so.
    mutating func nativeSSO() -> [NativeSSOField: NativeSSOValue] {
        var fields: [NativeSSOField: NativeSSOValue] = [:]
        for field in NativeSSOField.allCases {
            let key = SettingKey.key(of: field)
            let value: NativeSSOValue =
                switch key.kind {
                case .boolean: .flag(boolean(key))
                case .integer: .number(integer(key))
                default: .word(choice(key))
                }
            if raw.values[key.name] != nil { fields[field] = value }
        }
        return fields
    }
}
