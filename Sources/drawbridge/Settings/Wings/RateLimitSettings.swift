import Bridge

/// How often things may happen (contract §12), and what is remembered of it.
struct RateLimitSettings: Sendable {
    static let enabled = Setting.boolean(
        "limits.enabled", default: true, "false lifts all rate limits. For load tests only.")
    static let auditedRefusalsPerSecond = Setting.integer(
        "limits.audit.refusals_per_second", 1...10_000, default: RefusalCeiling.defaultPerSecond,
        "Events a second that refused and repeated requests may add to the audit log of one node; the rest is counted.")
    static let trackedKeys = Setting.integer(
        "limits.tracked_keys", 1000...10_000_000, default: 100_000,
        "How many users, networks and apps the limiter remembers at once, and how many code challenges and nonces of a "
            + "day.")

    /// Whether requests are held back at all.
    let areEnforced: Bool
    /// The default ones when they are lifted: the audit log counts refusals by them all the same.
    let limits: LimitSettings
    /// What a node's audit log takes of refusals a second; never lifted with the limits.
    let auditedRefusalsPerSecond: Int
    let trackedKeys: Int

    init(reading settings: SettingsReader) {
        areEnforced = settings[Self.enabled]
        let limits = LimitSettings(reading: settings)
        self.limits = areEnforced ? limits : LimitSettings()
        auditedRefusalsPerSecond = settings[Self.auditedRefusalsPerSecond]
        trackedKeys = settings[Self.trackedKeys]
    }
}

extension LimitSettings {
    private enum Issue {
        static let deviceBurst = Setting.integer(
            "limits.issue.device_burst", 1...1_000_000, default: 5,
            "Login tokens one device of a user may get at once.")
        static let devicePerHour = Setting.integer(
            "limits.issue.device_per_hour", 1...10_000_000, default: 60,
            "Login tokens one device of a user may get in any hour, the burst included.")
        static let userBurst = Setting.integer(
            "limits.issue.user_burst", 1...1_000_000, default: 15, "Login tokens one user may get at once.")
        static let userPerHour = Setting.integer(
            "limits.issue.user_per_hour", 1...10_000_000, default: 180,
            "Login tokens one user may get in any hour, the burst included.")
        static let networkBurst = Setting.integer(
            "limits.issue.network_burst", 1...1_000_000, default: 60,
            "Login tokens one network (/24 of IPv4, /64 of IPv6) may get at once.")
        static let networkPerHour = Setting.integer(
            "limits.issue.network_per_hour", 1...10_000_000, default: 1200,
            "Login tokens one network may get in any hour, the burst included.")
        static let clientBurst = Setting.integer(
            "limits.issue.client_burst", 0...1_000_000, default: 0,
            "Login tokens one app may get at once; 0 sets no limit per app.")
        static let clientPerHour = Setting.integer(
            "limits.issue.client_per_hour", 0...100_000_000, default: 0,
            "Login tokens one app may get in any hour; 0 sets no limit per app.")
    }

    private enum Failure {
        static let redemptions = Setting.integer(
            "limits.redeem.failures_per_minute", 1...1_000_000, default: 60,
            "Failed redemptions of one network a minute before it is answered with 429. A good token is never held "
                + "back.")
        static let bearers = Setting.integer(
            "limits.bearer.failures_per_minute", 1...1_000_000, default: 60,
            "Refused bearer tokens of one network a minute before the audit log stops recording each.")
        static let signIns = Setting.integer(
            "limits.sign_in.failures_per_minute", 1...1_000_000, default: 5,
            "Failed sign-ins of one account, and of one network, a minute before all of them are answered with 429.")
        static let passwords = Setting.integer(
            "limits.sign_in.password_failures_per_day", 2...1_000_000, default: 100,
            "Wrong passwords for one account in any day, half of them at once; a browser known to it is counted apart, "
                + "and all of these together have three times as many.")
        static let codes = Setting.integer(
            "limits.sign_in.code_failures_per_day", 2...1_000_000, default: 30,
            "Wrong second-factor codes for one account in any day, half of them at once; a browser known to it is "
                + "counted apart, and all of these together have three times as many.")
    }

    private enum Provider {
        static let rightPasswords = Setting.integer(
            "limits.sign_in.right_passwords_per_minute", 1...1_000_000, default: 120,
            "Sign-ins of one account by its right password a minute; browsers known to it are counted apart, together.")
        static let pushedByClient = Setting.integer(
            "limits.pushed_request.client_per_minute", 1...1_000_000, default: 600,
            "Authorization requests that one client that authenticates may push a minute.")
        static let pushedByNetwork = Setting.integer(
            "limits.pushed_request.network_per_minute", 1...1_000_000, default: 60,
            "Authorization requests that one network may push a minute for one public client.")
        static let devicesByClient = Setting.integer(
            "limits.device_authorization.client_per_minute", 1...1_000_000, default: 600,
            "Devices without a browser that one client that authenticates may start a minute.")
        static let devicesByNetwork = Setting.integer(
            "limits.device_authorization.network_per_minute", 1...1_000_000, default: 30,
            "Devices without a browser that one network may start a minute for one public client.")
        static let clientCredentials = Setting.integer(
            "limits.client_credentials.client_per_minute", 1...1_000_000, default: 600,
            "Tokens that one client may get for itself (client_credentials) a minute.")
        static let phonePages = Setting.integer(
            "limits.phone_sign_in.pages_per_minute", 1...1_000_000, default: 10,
            "Pages that show a code for a phone, a minute and network.")
        static let authorizationBurst = Setting.integer(
            "limits.authorize.user_burst", 1...1_000_000, default: 60,
            "Authorization codes one signed-in user may get at once.")
        static let authorizationPerHour = Setting.integer(
            "limits.authorize.user_per_hour", 1...10_000_000, default: 1200,
            "Authorization codes one signed-in user may get in any hour, the burst included.")
        static let refreshBurst = Setting.integer(
            "limits.refresh.user_burst", 1...1_000_000, default: 60,
            "Refreshes that one user's apps and web views may make at once.")
        static let refreshPerHour = Setting.integer(
            "limits.refresh.user_per_hour", 1...10_000_000, default: 1200,
            "Refreshes that one user's apps and web views may make in any hour, the burst included.")
        static let webSessions = Setting.integer(
            "limits.web_view.sessions_per_device", 1...100, default: 10,
            "Living web sessions that one device may have at one website; one more ends the one used longest ago.")
    }

    init(reading settings: SettingsReader) {
        self.init()
        issuePerDevice = settings.bucket(Issue.deviceBurst, Issue.devicePerHour)
        issuePerSubject = settings.bucket(Issue.userBurst, Issue.userPerHour)
        issuePerNetwork = settings.bucket(Issue.networkBurst, Issue.networkPerHour)
        issuePerClient = settings.optionalBucket(Issue.clientBurst, Issue.clientPerHour)
        failedRedemptionPerNetwork = TokenBucket(perMinute: settings[Failure.redemptions])
        refusedBearerPerNetwork = TokenBucket(perMinute: settings[Failure.bearers])
        failedSignIn = TokenBucket(perMinute: settings[Failure.signIns])
        wrongPasswordPerDay = TokenBucket(perDay: settings[Failure.passwords])
        wrongCodePerDay = TokenBucket(perDay: settings[Failure.codes])
        rightPasswordPerAccount = TokenBucket(perMinute: settings[Provider.rightPasswords])
        pushedRequestPerClient = TokenBucket(perMinute: settings[Provider.pushedByClient])
        pushedRequestPerNetwork = TokenBucket(perMinute: settings[Provider.pushedByNetwork])
        deviceAuthorizationPerClient = TokenBucket(perMinute: settings[Provider.devicesByClient])
        deviceAuthorizationPerNetwork = TokenBucket(perMinute: settings[Provider.devicesByNetwork])
        clientCredentialsPerClient = TokenBucket(perMinute: settings[Provider.clientCredentials])
        phonePagesPerNetwork = TokenBucket(perMinute: settings[Provider.phonePages])
        authorizationPerSubject = settings.bucket(Provider.authorizationBurst, Provider.authorizationPerHour)
        refreshPerSubject = settings.bucket(Provider.refreshBurst, Provider.refreshPerHour)
        webSessionsPerDevice = settings[Provider.webSessions]
    }
}

extension SettingsReader {
    fileprivate func bucket(_ burst: Setting<Int>, _ perHour: Setting<Int>) -> TokenBucket {
        bucket(burst, self[burst], perHour, self[perHour])
    }

    /// - Returns: `nil` when both are 0.
    fileprivate func optionalBucket(_ burst: Setting<Int>, _ perHour: Setting<Int>) -> TokenBucket? {
        let numbers = (burst: self[burst], perHour: self[perHour])
        if numbers == (0, 0) { return nil }
        guard numbers.burst > 0, numbers.perHour > 0 else {
            note(burst, "and \(perHour.key.name) are set together or not at all")
            return nil
        }
        return bucket(burst, numbers.burst, perHour, numbers.perHour)
    }

    private func bucket(
        _ burst: Setting<Int>, _ atOnce: Int, _ perHour: Setting<Int>, _ cap: Int
    ) -> TokenBucket {
        if cap <= atOnce {
            note(perHour, value: "\(cap)", "must be more than \(burst.key.name), which is \(atOnce)")
        }
        return TokenBucket(burst: atOnce, perHour: cap)
    }
}
