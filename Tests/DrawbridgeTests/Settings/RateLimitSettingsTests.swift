import Bridge
import Testing

@testable import drawbridge

@Suite struct RateLimitSettingsTests {
    private typealias Place = @Sendable (LimitSettings) -> TokenBucket?

    /// Each is two settings: what passes at once and what passes in an hour.
    private static let hourly: [(name: String, place: Place)] = [
        ("limits.issue.device", { $0.issuePerDevice }),
        ("limits.issue.user", { $0.issuePerSubject }),
        ("limits.issue.network", { $0.issuePerNetwork }),
        ("limits.issue.client", { $0.issuePerClient }),
        ("limits.authorize.user", { $0.authorizationPerSubject }),
        ("limits.refresh.user", { $0.refreshPerSubject }),
    ]
    private static let minutely: [(name: String, place: Place)] = [
        ("limits.redeem.failures_per_minute", { $0.failedRedemptionPerNetwork }),
        ("limits.bearer.failures_per_minute", { $0.refusedBearerPerNetwork }),
        ("limits.sign_in.failures_per_minute", { $0.failedSignIn }),
        ("limits.sign_in.right_passwords_per_minute", { $0.rightPasswordPerAccount }),
        ("limits.pushed_request.client_per_minute", { $0.pushedRequestPerClient }),
        ("limits.pushed_request.network_per_minute", { $0.pushedRequestPerNetwork }),
        ("limits.device_authorization.client_per_minute", { $0.deviceAuthorizationPerClient }),
        ("limits.device_authorization.network_per_minute", { $0.deviceAuthorizationPerNetwork }),
        ("limits.client_credentials.client_per_minute", { $0.clientCredentialsPerClient }),
        ("limits.phone_sign_in.pages_per_minute", { $0.phonePagesPerNetwork }),
    ]
    private static let daily: [(name: String, place: Place)] = [
        ("limits.sign_in.password_failures_per_day", { $0.wrongPasswordPerDay }),
        ("limits.sign_in.code_failures_per_day", { $0.wrongCodePerDay }),
    ]

    @Test func `every limit is where the settings put it`() throws {
        var numbers = [
            "limits.audit.refusals_per_second": 7, "limits.tracked_keys": 1007,
            "limits.web_view.sessions_per_device": 11,
        ]
        var expected: [(name: String, place: Place, bucket: TokenBucket)] = []
        // Each number is another one: two limits that are exchanged are seen.
        for (number, limit) in zip(100..., Self.hourly) {
            numbers["\(limit.name)_burst"] = number
            numbers["\(limit.name)_per_hour"] = 10 * number
            expected.append((limit.name, limit.place, TokenBucket(burst: number, perHour: 10 * number)))
        }
        for (number, limit) in zip(200..., Self.minutely) {
            numbers[limit.name] = number
            expected.append((limit.name, limit.place, TokenBucket(perMinute: number)))
        }
        for (number, limit) in zip([300, 400], Self.daily) {
            numbers[limit.name] = number
            expected.append((limit.name, limit.place, TokenBucket(perDay: number)))
        }
        let declared = SettingKey.all.map(\.name).filter { $0.hasPrefix("limits.") && $0 != "limits.enabled" }
        #expect(Set(numbers.keys) == Set(declared))

        var given = [OriginSettings.publicOrigin.key: "https://www.example.com"]
        for (name, number) in numbers {
            let key = try #require(SettingKey.byName[name])
            given[key] = "\(number)"
        }
        let settings = try SettingsInForce(RawSettings(given: given)).settings.rateLimits
        for limit in expected { #expect(limit.place(settings.limits) == limit.bucket, "\(limit.name)") }
        #expect(settings.limits.webSessionsPerDevice == 11)
        #expect(settings.auditedRefusalsPerSecond == 7)
        #expect(settings.trackedKeys == 1007)
    }
}
