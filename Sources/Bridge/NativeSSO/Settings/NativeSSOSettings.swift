/// What an operator decides about device secrets: the fields of other providers' settings, and rotation.
package struct NativeSSOSettings: Hashable, Sendable {
    package var isEnabled = false
    package var secretLifetime = Duration.seconds(30 * 86_400)
    package var limit = DeviceSecretLimit(count: 10, behavior: .revokeOldest)
    package var allowsCrossClient = false
    package var attemptsPerMinute = 10
    package var blockDuration = Duration.seconds(15 * 60)
    /// Whether a refresh that shows the secret gets a new one.
    package var rotatesSecrets = false
    /// How long a secret that was rotated away still works once.
    package var overlap = Duration.seconds(30)

    package init() {}

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
