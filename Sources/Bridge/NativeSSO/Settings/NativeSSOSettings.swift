/// What an operator decides about device secrets: the fields of other providers' settings, and rotation.
package struct NativeSSOSettings: Hashable, Sendable {
    package var isEnabled: Bool
    package var secretLifetime: Duration
    package var limit: DeviceSecretLimit
    package var allowsCrossClient: Bool
    package var attemptsPerMinute: Int
    package var blockDuration: Duration
    /// Whether a refresh that shows the secret gets a new one.
    package var rotatesSecrets: Bool
    /// How long a secret that was rotated away still works once.
    package var overlap: Duration

    /// With every default: ``NativeSSOField/fallback``.
    package init() { self.init(layers: []) }

    /// Fills each field with the first value that one of `layers` has for it, else with its default.
    package init(layers: [[NativeSSOField: NativeSSOValue]]) {
        func value(_ field: NativeSSOField) -> NativeSSOValue {
            for layer in layers { if let value = layer[field], field.problem(with: value) == nil { return value } }
            return field.fallback
        }
        isEnabled = value(.enabled).flag
        secretLifetime = .seconds(value(.deviceSecretTTLDays).number * 86_400)
        limit = DeviceSecretLimit(
            count: value(.maxDeviceSecretsPerUser).number,
            behavior: DeviceSecretLimit.Behavior(rawValue: value(.maxSecretsBehavior).word) ?? .revokeOldest)
        allowsCrossClient = value(.allowCrossClientNativeSSO).flag
        attemptsPerMinute = value(.maxAttemptsPerMinute).number
        blockDuration = .seconds(value(.blockDurationMinutes).number * 60)
        rotatesSecrets = value(.rotateDeviceSecrets).flag
        overlap = .seconds(value(.rotationOverlapSeconds).number)
    }

    /// The limit on exchanges of one device, exact over all nodes that share a limiter (contract §12).
    package var exchangeWindow: AttemptWindow {
        AttemptWindow(count: attemptsPerMinute, per: .seconds(60), block: blockDuration)
    }
}
