/// How often something may happen in ten minutes before an alert.
package struct AlertRule: Hashable, Sendable {
    /// What is counted: the rule's name in the settings, metrics and alerts.
    package enum Name: String, Sendable, CaseIterable {
        case replays
        case refusals
        case exchangeFailures = "exchange_failures"
        case signInFailures = "sign_in_failures"
        case reportedSignIns = "reported_sign_ins"

        /// The types of the events that it counts; `nil` for whatever was refused.
        package var types: Set<AuditEventType>? {
            switch self {
            case .replays: AuditEventType.tokenReuses
            case .refusals: nil
            case .exchangeFailures: [.deviceSecretRefused, .tokenRequestRefused]
            case .signInFailures: [.userSignInFailed]
            case .reportedSignIns: [.crossDeviceReported]
            }
        }
    }

    package static let window = Duration.seconds(600)

    package let name: Name
    /// More than this is an alert.
    package let threshold: Int64

    package init(name: Name, threshold: Int64) {
        self.name = name
        self.threshold = threshold
    }

    /// What a person reads.
    package var title: String {
        switch name {
        case .replays: "Tokens were used twice"
        case .refusals: "Much is refused"
        case .exchangeFailures: "Token requests fail"
        case .signInFailures: "Sign-ins fail; somebody may be guessing passwords"
        case .reportedSignIns: "Users report sign-ins that they did not begin"
        }
    }

    func counts(_ tally: AuditTally) -> Bool {
        // For one token that is used again and again three events are written: the rest are not other tokens.
        guard name != .replays || tally.reason != AuditTally.suppressedReason else { return false }
        return name.types?.contains(tally.type) ?? (tally.outcome == .failure)
    }
}

/// A rule whose threshold is exceeded now.
package struct Alert: Hashable, Sendable {
    package let rule: AlertRule
    package let count: Int64
    package let since: Timestamp

    package init(rule: AlertRule, count: Int64, since: Timestamp) {
        self.rule = rule
        self.count = count
        self.since = since
    }
}
