// Limits of contract §12, and what slow or greedy clients may take.
extension SettingKey {
    static let limitsEnabled = SettingKey(
        "limits.enabled", .boolean, default: "true", "false lifts all rate limits. For load tests only.")
    static let issueDeviceBurst = SettingKey(
        "limits.issue.device_burst", .integer(1...1_000_000), default: "5",
        "Login tokens one device of a user may get at once.")
    static let issueDevicePerHour = SettingKey(
        "limits.issue.device_per_hour", .integer(1...10_000_000), default: "60",
        "Login tokens one device of a user may get in any hour, the burst included.")
    static let issueUserBurst = SettingKey(
        "limits.issue.user_burst", .integer(1...1_000_000), default: "15",
        "Login tokens one user may get at once.")
    static let issueUserPerHour = SettingKey(
        "limits.issue.user_per_hour", .integer(1...10_000_000), default: "180",
        "Login tokens one user may get in any hour, the burst included.")
    static let issueNetworkBurst = SettingKey(
        "limits.issue.network_burst", .integer(1...1_000_000), default: "60",
        "Login tokens one network (/24 of IPv4, /64 of IPv6) may get at once.")
    static let issueNetworkPerHour = SettingKey(
        "limits.issue.network_per_hour", .integer(1...10_000_000), default: "1200",
        "Login tokens one network may get in any hour, the burst included.")
    static let issueClientBurst = SettingKey(
        "limits.issue.client_burst", .integer(0...1_000_000), default: "0",
        "Login tokens one app may get at once; 0 sets no limit per app.")
    static let issueClientPerHour = SettingKey(
        "limits.issue.client_per_hour", .integer(0...100_000_000), default: "0",
        "Login tokens one app may get in any hour; 0 sets no limit per app.")
    static let redemptionFailuresPerMinute = SettingKey(
        "limits.redeem.failures_per_minute", .integer(1...1_000_000), default: "60",
        "Failed redemptions of one network a minute before it is answered with 429. A good token is never held back.")
    static let bearerFailuresPerMinute = SettingKey(
        "limits.bearer.failures_per_minute", .integer(1...1_000_000), default: "60",
        "Refused bearer tokens of one network a minute before the audit log stops recording each.")
    static let signInFailuresPerMinute = SettingKey(
        "limits.sign_in.failures_per_minute", .integer(1...1_000_000), default: "5",
        "Failed sign-ins of one account, and of one network, a minute before all of them are answered with 429.")
    static let wrongPasswordsPerDay = SettingKey(
        "limits.sign_in.password_failures_per_day", .integer(2...1_000_000), default: "100",
        "Wrong passwords for one account in any day, half of them at once; a browser known to it is counted apart.")
    static let wrongCodesPerDay = SettingKey(
        "limits.sign_in.code_failures_per_day", .integer(2...1_000_000), default: "30",
        "Wrong second-factor codes for one account in any day, half of them at once; a known browser is counted apart.")
    static let pushedRequestsPerMinute = SettingKey(
        "limits.pushed_request.client_per_minute", .integer(1...1_000_000), default: "600",
        "Authorization requests that one client that authenticates may push a minute.")
    static let pushedRequestsOfNetworkPerMinute = SettingKey(
        "limits.pushed_request.network_per_minute", .integer(1...1_000_000), default: "60",
        "Authorization requests that one network may push a minute for one public client.")
    static let authorizationUserBurst = SettingKey(
        "limits.authorize.user_burst", .integer(1...1_000_000), default: "30",
        "Authorization codes one signed-in user may get at once.")
    static let authorizationUserPerHour = SettingKey(
        "limits.authorize.user_per_hour", .integer(1...10_000_000), default: "600",
        "Authorization codes one signed-in user may get in any hour, the burst included.")
    static let refreshUserBurst = SettingKey(
        "limits.refresh.user_burst", .integer(1...1_000_000), default: "60",
        "Refreshes that one user's apps and web views may make at once.")
    static let refreshUserPerHour = SettingKey(
        "limits.refresh.user_per_hour", .integer(1...10_000_000), default: "1200",
        "Refreshes that one user's apps and web views may make in any hour, the burst included.")
    static let auditedRefusalsPerSecond = SettingKey(
        "limits.audit.refusals_per_second", .integer(1...10_000), default: "20",
        "Events a second that refused and repeated requests may add to the audit log of one node; the rest is counted.")
    static let limitsTrackedKeys = SettingKey(
        "limits.tracked_keys", .integer(1000...10_000_000), default: "100000",
        "How many users, networks and apps the limiter remembers at once, and how many code challenges and nonces of a day."
    )

    static let limits: [SettingKey] = [
        limitsEnabled, issueDeviceBurst, issueDevicePerHour, issueUserBurst, issueUserPerHour, issueNetworkBurst,
        issueNetworkPerHour, issueClientBurst, issueClientPerHour, redemptionFailuresPerMinute, bearerFailuresPerMinute,
        signInFailuresPerMinute, wrongPasswordsPerDay, wrongCodesPerDay, pushedRequestsPerMinute,
        pushedRequestsOfNetworkPerMinute, authorizationUserBurst,
        authorizationUserPerHour, refreshUserBurst, refreshUserPerHour, auditedRefusalsPerSecond, limitsTrackedKeys,
    ]

    static let httpHeaderTimeout = SettingKey(
        "http.header_timeout", .duration(.seconds(1)...(.seconds(300))), default: "30s",
        "How long a connection may be idle, or take to send a request's header.")
    static let httpBodyTimeout = SettingKey(
        "http.body_timeout", .duration(.seconds(1)...(.seconds(300))), default: "10s",
        "How long a request's body may take to arrive.")
    static let httpMaximumHeaderSize = SettingKey(
        "http.max_header_size", .integer(4096...1_048_576), default: "32768",
        "Bytes that all header fields of a request may have together.")
    static let httpMaximumConnections = SettingKey(
        "http.max_connections", .integer(1...1_000_000), default: "10000",
        "Connections served at once; further ones wait.")

    static let http: [SettingKey] = [
        httpHeaderTimeout, httpBodyTimeout, httpMaximumHeaderSize, httpMaximumConnections,
    ]
}
