import Bridge

extension NativeSSOField {
    /// Its label in the catalogue, in the section `console_settings`.
    var key: String {
        switch self {
        case .enabled: "enabled"
        case .deviceSecretTTLDays: "ttl"
        case .maxDeviceSecretsPerUser: "per_user"
        case .maxSecretsBehavior: "behavior"
        case .allowCrossClientNativeSSO: "cross_client"
        case .maxAttemptsPerMinute: "attempts"
        case .blockDurationMinutes: "block"
        case .rotateDeviceSecrets: "rotation"
        case .rotationOverlapSeconds: "overlap"
        }
    }

    /// How people read a value that is a word, as a key of the same section; `nil` for a number.
    static func word(for value: String) -> String? {
        switch value {
        case "true": "on"
        case "false": "off"
        default: DeviceSecretLimit.Behavior(rawValue: value)?.rawValue
        }
    }
}
