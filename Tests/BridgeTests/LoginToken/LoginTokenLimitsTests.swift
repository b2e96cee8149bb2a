import Testing

@testable import Bridge

@Suite struct LoginTokenLimitsTests {
    private func bearer(device: String? = nil) -> BearerIdentity {
        BearerIdentity(
            subject: "s", clientID: app, issuer: "i", sessionID: nil, deviceID: device,
            authentication: Authentication(), expiresAt: noon)
    }

    @Test func `keys count devices, users, networks and, where set, apps`() {
        var limits = LimitSettings()
        #expect(
            limits.issueKeys(bearer(), origin: origin()).map(\.scope) == [
                "issue.device", "issue.subject", "issue.network",
            ])
        limits.issuePerClient = TokenBucket(perMinute: 1)
        #expect(
            limits.issueKeys(bearer(device: "d"), origin: origin("2001:db8:1:2:3::4")).map(\.value) == [
                "1 s d", "s", "2001:db8:1:2::/64", "app",
            ])
        #expect(
            limits.issueKeys(bearer(), origin: origin(nil)).map(\.scope) == [
                "issue.device", "issue.subject", "issue.client",
            ])
        #expect(limits.failedRedemptionKeys(origin: origin(nil)).isEmpty)
    }
}
