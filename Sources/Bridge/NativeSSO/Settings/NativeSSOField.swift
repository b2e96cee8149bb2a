/// One field of `/api/admin/settings/native-sso`, by its name on the wire; nested names have a dot.
package enum NativeSSOField: String, Sendable, CaseIterable {
    case enabled
    case deviceSecretTTLDays
    case maxDeviceSecretsPerUser
    case maxSecretsBehavior
    case allowCrossClientNativeSSO
    case maxAttemptsPerMinute = "rateLimit.maxAttemptsPerMinute"
    case blockDurationMinutes = "rateLimit.blockDurationMinutes"
    case rotateDeviceSecrets
    case rotationOverlapSeconds

    /// What holds when it is not set.
    package var fallback: NativeSSOValue {
        switch self {
        case .enabled, .allowCrossClientNativeSSO, .rotateDeviceSecrets: .flag(false)
        case .deviceSecretTTLDays: .number(30)
        case .maxDeviceSecretsPerUser: .number(10)
        case .maxSecretsBehavior: .word(DeviceSecretLimit.Behavior.revokeOldest.rawValue)
        case .maxAttemptsPerMinute: .number(10)
        case .blockDurationMinutes: .number(15)
        case .rotationOverlapSeconds: .number(30)
        }
    }

    /// The numbers that it may be; `nil` when it is not a number.
    package var range: ClosedRange<Int>? {
        switch self {
        case .deviceSecretTTLDays: 1...90
        case .maxDeviceSecretsPerUser: 1...50
        case .maxAttemptsPerMinute: 1...100
        case .blockDurationMinutes: 1...60
        case .rotationOverlapSeconds: 0...300
        case .enabled, .maxSecretsBehavior, .allowCrossClientNativeSSO, .rotateDeviceSecrets: nil
        }
    }

    /// What is wrong with a value, as the second half of a sentence that begins with the field's name.
    package func problem(with value: NativeSSOValue) -> String? {
        switch (self, value) {
        case (.enabled, .flag), (.allowCrossClientNativeSSO, .flag), (.rotateDeviceSecrets, .flag): return nil
        case (.enabled, _), (.allowCrossClientNativeSSO, _), (.rotateDeviceSecrets, _): return "must be true or false"
        case (.maxSecretsBehavior, .word(let word)) where DeviceSecretLimit.Behavior(rawValue: word) != nil: return nil
        case (.maxSecretsBehavior, _):
            return "must be one of \(DeviceSecretLimit.Behavior.allCases.map(\.rawValue).joined(separator: ", "))"
        default:
            guard let range else { return nil }
            if case .number(let number) = value, range.contains(number) { return nil }
            return "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}

/// A field's value.
package enum NativeSSOValue: Hashable, Sendable {
    case flag(Bool)
    case number(Int)
    case word(String)

    var flag: Bool { self == .flag(true) }
    var number: Int { if case .number(let number) = self { number } else { 0 } }
    var word: String { if case .word(let word) = self { word } else { "" } }
}
