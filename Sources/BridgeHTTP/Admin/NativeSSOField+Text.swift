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
}
